"""Known wrong formulas of lesson 11, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dgain]
sums_multiplied: dout.sum((0, 1)) * norm.sum((0, 1))
    The sums are taken before the product. Each upstream gradient belongs to its own `norm`.

[dvar]
same_exponent: -0.5 * inv_std * dinv_std
    The exponent came down as a factor but has not fallen by one.
exponent_up: -0.5 * (var + 1e-5) ** 0.5 * dinv_std
    `var + 1e-5` has the exponent 0.5 here. From -0.5 that is one up instead of one down.
no_epsilon: -0.5 * var**-1.5 * dinv_std
    The 1e-5 of the forward line is missing: it is added before the power.

[dx]
no_deviation: g = dy * scale; g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)
    The factor of the standard deviation is missing: all three paths go through the line of `xhat`. What is `x - mu`
    multiplied by there?
no_scale: rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` has no effect here: start from the gradient with respect to `xhat`, not from `dy`.
scale_outside: scale * rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` is a factor outside the two means here. It differs from feature to feature, so it cannot be taken out of
    them.
batch_axis: g = dy * scale; rstd * (g - g.mean(0, keepdim=True) - xhat * (g * xhat).mean(0, keepdim=True))
    These are batch norm's means, over the examples. Which numbers share a mean in layer norm?
means_over_all_rows: g = dy * scale; rstd * (g - g.mean((0, 1)) - xhat * (g * xhat).mean((0, 1)))
    These are means over batch and time, as in batch norm. Which numbers share a mean in layer norm?
variance_term_without_xhat: g = dy * scale; mean = g.mean(-1, keepdim=True); rstd * (g - mean - xhat * mean)
    The path through the variance lacks a factor in its mean: how strongly a number moves the variance depends on its
    own distance from the mean.
no_epsilon:
        g = dy * scale
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        hat = (x - mean) / variance.sqrt()
        (g - g.mean(-1, keepdim=True) - hat * (g * hat).mean(-1, keepdim=True)) / variance.sqrt()
    The deviation is without the epsilon here, which is part of the forward pass. Is the deviation computed again?
""")
