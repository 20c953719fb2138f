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
    The exponent went up by one instead of down: from -0.5 this arrives at 0.5.
no_epsilon: -0.5 * var**-1.5 * dinv_std
    The 1e-5 of the forward line is missing: it is added before the power.

[dx]
no_deviation: g = dy * scale; g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True)
    All three paths go through the division that gives `xhat`. By what does it divide?
no_scale: rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` is missing: start from the gradient with respect to `xhat`, not from `dy`.
scale_outside: scale * rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` comes in last. It differs from feature to feature, so it cannot be taken out of the two means.
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
    The deviation has been worked out again without the epsilon. It is part of the forward pass.
""")
