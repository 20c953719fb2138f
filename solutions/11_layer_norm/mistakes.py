"""Known wrong formulas of lesson 11, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake

# dgain


@mistake("This is summed over the examples only. Was `gain` copied along one axis, or along two?")
def dgain__one_axis(dout, norm):
    return (dout * norm).sum(0)


@mistake("This is the mean over the positions. Nothing in the line of `out` divides by their number.")
def dgain__mean(dout, norm):
    return (dout * norm).mean((0, 1))


@mistake("This multiplies by what went into the layer norm. What does `gain` stand next to in the line of `out`?")
def dgain__times_input(dout, h):
    return (dout * h).sum((0, 1))


@mistake("This multiplies by the centred differences. They are divided by the deviation before `gain` sees them.")
def dgain__times_diff(dout, diff):
    return (dout * diff).sum((0, 1))


@mistake("The local derivative is missing: this is how the output feels an addition. `gain` is a factor.")
def dgain__as_bias(dout):
    return dout.sum((0, 1))


# dbias


@mistake("This is summed over the examples only. Was `bias` copied along one axis, or along two?")
def dbias__one_axis(dout):
    return dout.sum(0)


@mistake("This is the mean over the positions. Nothing in the line of `out` divides by their number.")
def dbias__mean(dout):
    return dout.mean((0, 1))


@mistake("This is the gradient of a factor of `norm`. `bias` is only added: what is its local derivative?")
def dbias__as_gain(dout, norm):
    return (dout * norm).sum((0, 1))


@mistake("This has a factor `gain`. In the line of `out`, does `gain` multiply the bias as well?")
def dbias__times_gain(dout, gain):
    return (dout * gain).sum((0, 1))


# dnorm


@mistake("This passes the gradient on as through a sum. What is `norm` multiplied by on its way to `out`?")
def dnorm__no_gain(dout):
    return dout


@mistake("This divides by `gain`. Going backwards does not undo the multiplication: look at the local derivative.")
def dnorm__divided(dout, gain):
    return dout / gain


@mistake("This multiplies by `norm` itself; that is the other factor's gradient, before its sum.")
def dnorm__times_norm(dout, norm):
    return dout * norm


@mistake("`bias` stands in this gradient. How much does `out` move with `norm`, and does that depend on the bias?")
def dnorm__plus_bias(dout, gain, bias):
    return dout * (gain + bias)


# dinv_std


@mistake("The product is there, the sum is not: `inv_std` has one number for a whole row. Compare the shapes.")
def dinv_std__no_sum(dnorm, diff):
    return dnorm * diff


@mistake("This is a mean over the features. The copy of `inv_std` along the row becomes a sum; who would divide?")
def dinv_std__mean(dnorm, diff):
    return (dnorm * diff).mean(-1, keepdim=True)


@mistake("This multiplies by `norm`, where `inv_std` is already inside. What is the other factor in that line?")
def dinv_std__times_norm(dnorm, norm):
    return (dnorm * norm).sum(-1, keepdim=True)


@mistake("This is summed over the examples, as in batch norm. Along which axis was `inv_std` copied here?")
def dinv_std__batch_axis(dnorm, diff):
    return (dnorm * diff).sum(0, keepdim=True)


@mistake("This multiplies by `h`, which is not centred. What stands next to `inv_std` in its line?")
def dinv_std__times_input(dnorm, h):
    return (dnorm * h).sum(-1, keepdim=True)


# dvar


@mistake("The epsilon is missing here. The derivative is taken at what the power was applied to, all of it.")
def dvar__no_epsilon(dinv_std, var):
    return -0.5 * var**-1.5 * dinv_std


@mistake("The sign: when the variance grows, does its inverse root grow or shrink?")
def dvar__sign(dinv_std, var):
    return 0.5 * (var + 1e-5) ** -1.5 * dinv_std


@mistake("The exponent came down as a factor but has not fallen by one.")
def dvar__same_exponent(dinv_std, inv_std):
    return -0.5 * inv_std * dinv_std


@mistake("The exponent went up by one instead of down: from -0.5 this arrives at 0.5.")
def dvar__exponent_up(dinv_std, var):
    return -0.5 * (var + 1e-5) ** 0.5 * dinv_std


@mistake("The factor that comes down with a power rule is missing its half.")
def dvar__no_half(dinv_std, var):
    return -((var + 1e-5) ** -1.5) * dinv_std


@mistake("This is the derivative of 1/u. There is a root in the line as well.")
def dvar__no_root(dinv_std, var):
    return -((var + 1e-5) ** -2) * dinv_std


# ddiff


@mistake("One of two ways is missing: `diff` is read in the line of `var`, too.")
def ddiff__only_norm(dnorm, inv_std):
    return dnorm * inv_std


@mistake("One of two ways is missing: `diff` is read in the line of `norm`, too.")
def ddiff__only_var(dvar, diff):
    return dvar * 2 * diff / diff.shape[-1]


@mistake("The way through `var` is that of a sum of squares. The variance is a mean: by what is it divided?")
def ddiff__no_one_over_n(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + dvar * 2 * diff


@mistake("This divides by the number of features less one. Which variance does this forward pass use?")
def ddiff__unbiased(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + dvar * 2 * diff / (diff.shape[-1] - 1)


@mistake("The derivative of a square has a factor that is missing in the way through `var`.")
def ddiff__no_two(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + dvar * diff / diff.shape[-1]


@mistake("This divides by the number of examples, as in batch norm. Over what is the mean taken here?")
def ddiff__batch_size(dnorm, dvar, inv_std, diff):
    return dnorm * inv_std + dvar * 2 * diff / diff.shape[0]


# dmean


@mistake("The sign: in the line of `diff`, the mean is taken away.")
def dmean__sign(ddiff):
    return ddiff.sum(-1, keepdim=True)


@mistake("The sum is missing: one mean was copied to a whole row. Compare the shapes.")
def dmean__no_sum(ddiff):
    return -ddiff


@mistake("This is a mean of the gradients. The mean's own division stands in another line; here it is copied.")
def dmean__mean(ddiff):
    return -ddiff.mean(-1, keepdim=True)


@mistake("This is summed over the examples, as in batch norm. Along which axis was this mean copied?")
def dmean__batch_axis(ddiff):
    return -ddiff.sum(0, keepdim=True)


@mistake("This is zero. The differences themselves add up to zero; do their gradients?")
def dmean__zero(mean):
    return torch.zeros_like(mean)


# dh


@mistake("One of two ways is missing: `h` is read in the line of `mean`, too.")
def dh__only_diff(ddiff):
    return ddiff


@mistake("The way through `mean` is that of a sum. How much does one of n numbers move their mean?")
def dh__no_one_over_n(ddiff, dmean):
    return ddiff + dmean


@mistake("The sign of `dmean`: the minus in the line of `diff` is inside it already.")
def dh__sign(ddiff, dmean):
    return ddiff - dmean / ddiff.shape[-1]


@mistake("This divides by the number of examples, as in batch norm. Over what is the mean taken here?")
def dh__batch_size(ddiff, dmean):
    return ddiff + dmean / ddiff.shape[0]


@mistake("One of two ways is missing: `h` is read in the line of `diff`, too.")
def dh__only_mean(ddiff, dmean):
    return (dmean / ddiff.shape[-1]).expand_as(ddiff)


# dx


@mistake("Here mean and deviation are constants. Both move with `x`: two terms are missing.")
def dx__constants(dy, scale, rstd):
    return rstd * dy * scale


@mistake("The way through the mean is missing.")
def dx__no_mean(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))


@mistake("The way through the variance is missing.")
def dx__no_variance(dy, scale, rstd):
    g = dy * scale
    return rstd * (g - g.mean(-1, keepdim=True))


@mistake("`scale` is missing: start from the gradient with respect to `xhat`, not from `dy`.")
def dx__no_scale(dy, xhat, rstd):
    return rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))


@mistake("`scale` comes in last. It differs from feature to feature, so it cannot be taken out of the two means.")
def dx__scale_outside(dy, scale, xhat, rstd):
    return scale * rstd * (dy - dy.mean(-1, keepdim=True) - xhat * (dy * xhat).mean(-1, keepdim=True))


@mistake("These are batch norm's means, over the examples. Which numbers share a mean in layer norm?")
def dx__batch_axis(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - g.mean(0, keepdim=True) - xhat * (g * xhat).mean(0, keepdim=True))


@mistake("The two corrections are sums. One feature moves mean and variance by how much?")
def dx__sums(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - g.sum(-1, keepdim=True) - xhat * (g * xhat).sum(-1, keepdim=True))


@mistake("The way through the variance is divided by the number of features less one. Is this variance unbiased?")
def dx__unbiased(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).sum(-1, keepdim=True) / (g.shape[-1] - 1))


@mistake("The deviation has been worked out again without the epsilon. It is part of the forward pass.")
def dx__no_epsilon(dy, scale, x):
    g = dy * scale
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    hat = (x - mean) / variance.sqrt()
    return (g - g.mean(-1, keepdim=True) - hat * (g * hat).mean(-1, keepdim=True)) / variance.sqrt()


@mistake("The two corrections are added. A step in the direction of either is taken away by the normalisation.")
def dx__sign(dy, scale, xhat, rstd):
    g = dy * scale
    return rstd * (g + g.mean(-1, keepdim=True) + xhat * (g * xhat).mean(-1, keepdim=True))
