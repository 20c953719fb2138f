"""Known wrong formulas of lesson 11, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dgain]
one_axis: (dout * norm).sum(0)
    This is summed over the examples only. Was `gain` copied along one axis, or along two?
mean: (dout * norm).mean((0, 1))
    This is the mean over the positions. Nothing in the line of `out` divides by their number.
times_input: (dout * h).sum((0, 1))
    This multiplies by what went into the layer norm. What does `gain` stand next to in the line of `out`?
times_diff: (dout * diff).sum((0, 1))
    This multiplies by the centred differences. They are divided by the deviation before `gain` sees them.
as_bias: dout.sum((0, 1))
    The local derivative is missing: this is how the output feels an addition. `gain` is a factor.

[dbias]
one_axis: dout.sum(0)
    This is summed over the examples only. Was `bias` copied along one axis, or along two?
mean: dout.mean((0, 1))
    This is the mean over the positions. Nothing in the line of `out` divides by their number.
as_gain: (dout * norm).sum((0, 1))
    This is the gradient of a factor of `norm`. `bias` is only added: what is its local derivative?
times_gain: (dout * gain).sum((0, 1))
    This has a factor `gain`. In the line of `out`, does `gain` multiply the bias as well?

[dnorm]
no_gain: dout
    This passes the gradient on as through a sum. What is `norm` multiplied by on its way to `out`?
divided: dout / gain
    This divides by `gain`. Going backwards does not undo the multiplication: look at the local derivative.
times_norm: dout * norm
    This multiplies by `norm` itself; that is the other factor's gradient, before its sum.
plus_bias: dout * (gain + bias)
    This gradient contains `bias`. How much does `out` move with `norm`, and does that depend on the bias?

[dinv_std]
no_sum: dnorm * diff
    The product is there, the sum is not: `inv_std` has one number for a whole row. Compare the shapes.
mean: (dnorm * diff).mean(-1, keepdim=True)
    This is a mean over the features. The copy of `inv_std` along the row becomes a sum; who would divide?
times_norm: (dnorm * norm).sum(-1, keepdim=True)
    This multiplies by `norm`, where `inv_std` is already inside. What is the other factor in that line?
batch_axis: (dnorm * diff).sum(0, keepdim=True)
    This is summed over the examples, as in batch norm. Along which axis was `inv_std` copied here?
times_input: (dnorm * h).sum(-1, keepdim=True)
    This multiplies by `h`, which is not centred. What is multiplied by `inv_std` in its line?

[dvar]
no_epsilon: -0.5 * var**-1.5 * dinv_std
    The epsilon is missing here. The derivative is taken at what the power was applied to, all of it.
sign: 0.5 * (var + 1e-5) ** -1.5 * dinv_std
    The sign: when the variance grows, does its inverse root grow or shrink?
same_exponent: -0.5 * inv_std * dinv_std
    The exponent came down as a factor but has not fallen by one.
exponent_up: -0.5 * (var + 1e-5) ** 0.5 * dinv_std
    The exponent went up by one instead of down: from -0.5 this arrives at 0.5.
no_half: -((var + 1e-5) ** -1.5) * dinv_std
    The factor that comes down with a power rule is missing its half.
no_root: -((var + 1e-5) ** -2) * dinv_std
    This is the derivative of 1/u. There is a root in the line as well.

[ddiff]
only_norm: dnorm * inv_std
    One of two ways is missing: `diff` is read in the line of `var`, too.
only_var: dvar * 2 * diff / diff.shape[-1]
    One of two ways is missing: `diff` is read in the line of `norm`, too.
no_one_over_n: dnorm * inv_std + dvar * 2 * diff
    The way through `var` is that of a sum of squares. The variance is a mean: by what is it divided?
unbiased: dnorm * inv_std + dvar * 2 * diff / (diff.shape[-1] - 1)
    This divides by the number of features less one. Which variance does this forward pass use?
no_two: dnorm * inv_std + dvar * diff / diff.shape[-1]
    The derivative of a square has a factor that is missing in the way through `var`.
batch_size: dnorm * inv_std + dvar * 2 * diff / diff.shape[0]
    This divides by the number of examples, as in batch norm. Over what is the mean taken here?

[dmean]
sign: ddiff.sum(-1, keepdim=True)
    The sign: in the line of `diff`, the mean is taken away.
no_sum: -ddiff
    The sum is missing: one mean was copied to a whole row. Compare the shapes.
mean: -ddiff.mean(-1, keepdim=True)
    This is a mean of the gradients. The division by the number of features is in another line; here the mean is only
    copied.
batch_axis: -ddiff.sum(0, keepdim=True)
    This is summed over the examples, as in batch norm. Along which axis was this mean copied?
zero: torch.zeros_like(mean)
    This is zero. The differences themselves add up to zero; do their gradients?

[dh]
only_diff: ddiff
    One of two ways is missing: `h` is read in the line of `mean`, too.
no_one_over_n: ddiff + dmean
    The way through `mean` is that of a sum. How much does one of n numbers move their mean?
sign: ddiff - dmean / ddiff.shape[-1]
    The sign of `dmean`: the minus in the line of `diff` is inside it already.
batch_size: ddiff + dmean / ddiff.shape[0]
    This divides by the number of examples, as in batch norm. Over what is the mean taken here?
only_mean: (dmean / ddiff.shape[-1]).expand_as(ddiff)
    One of two ways is missing: `h` is read in the line of `diff`, too.

[dx]
constants: rstd * dy * scale
    Here mean and deviation are constants. Both move with `x`: two terms are missing.
no_mean: g = dy * scale; rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))
    The way through the mean is missing.
no_variance: g = dy * scale; rstd * (g - g.mean(-1, keepdim=True))
    The way through the variance is missing.
no_scale: rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` is missing: start from the gradient with respect to `xhat`, not from `dy`.
scale_outside: scale * rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))
    `scale` comes in last. It differs from feature to feature, so it cannot be taken out of the two means.
batch_axis: g = dy * scale; rstd * (g - g.mean(0, keepdim=True) - xhat * (g * xhat).mean(0, keepdim=True))
    These are batch norm's means, over the examples. Which numbers share a mean in layer norm?
sums: g = dy * scale; rstd * (g - g.sum(-1, keepdim=True) - xhat * (g * xhat).sum(-1, keepdim=True))
    The two corrections are sums. One feature moves mean and variance by how much?
unbiased:
        g = dy * scale
        rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).sum(-1, keepdim=True) / (g.shape[-1] - 1))
    The way through the variance is divided by the number of features less one. Is this variance unbiased?
no_epsilon:
        g = dy * scale
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        hat = (x - mean) / variance.sqrt()
        (g - g.mean(-1, keepdim=True) - hat * (g * hat).mean(-1, keepdim=True)) / variance.sqrt()
    The deviation has been worked out again without the epsilon. It is part of the forward pass.
sign: g = dy * scale; rstd * (g + g.mean(-1, keepdim=True) + xhat * (g * xhat).mean(-1, keepdim=True))
    The two corrections are added. A step in the direction of either is taken away by the normalisation.
""")
