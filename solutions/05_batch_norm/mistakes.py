"""Known wrong answers of lesson 05, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import edit, mistake

# the lecture's form, with Bessel's correction


@mistake(
    "This is the formula for a variance divided by n. The forward pass divides by n - 1: follow that number through "
    "the variance's path."
)
def dhprebn__no_bessel(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "Bessel's factor is upside down. Dividing the variance by n - 1 makes it larger than dividing by n: does its path "
    "then weigh more, or less?"
)
def dhprebn__bessel_upside_down(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = (n - 1) / n * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The n - 1 has got into the path through the mean. Bessel's correction belongs to the variance; the mean is still "
    "divided by n."
)
def dhprebn__bessel_in_the_mean(dhpreact, bngain, bnraw, bnvar_inv, n):
    second = dhpreact.sum(0, keepdim=True) / (n - 1)
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
    return bngain * bnvar_inv * (dhpreact - second - third)


@mistake(
    "Bessel's factor stands in front of everything. Only one of the three paths leads through the variance: which term "
    "is it?"
)
def dhprebn__bessel_in_every_term(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / (n - 1) * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The path through the mean is missing: each `hprebn` moves the mean of its column, and with it the whole column."
)
def dhprebn__no_mean_term(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - third)


@mistake(
    "The path through the variance is missing: each `hprebn` changes the spread of its column, and with it the whole "
    "column."
)
def dhprebn__no_variance_term(dhpreact, bngain, bnvar_inv, n):
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True))


@mistake(
    "Only the direct path is here: mean and variance are treated as constants. They are made from `hprebn` too, so two "
    "more paths lead through them."
)
def dhprebn__statistics_constant(dhpreact, bngain, bnvar_inv):
    return bngain * bnvar_inv * dhpreact


@mistake(
    "The gain is missing. `dhpreact` is the gradient after `bngain`: what has to happen before it is the gradient of "
    "`bnraw`?"
)
def dhprebn__no_gain(dhpreact, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake("The gain is in it twice. Each path passes `bngain` once: either scale `dhpreact` first, or the result.")
def dhprebn__gain_twice(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain**2 * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The gain reaches the direct path only. The two indirect paths pass `bngain` as well, before they come to the mean "
    "or the variance."
)
def dhprebn__gain_in_direct_path_only(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bnvar_inv / n * (n * bngain * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums "
    "that belong to them."
)
def dhprebn__wrong_axis(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(1, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(1, keepdim=True) - third)


@mistake(
    "Everything is n times too large: the bracket was multiplied by n, and the 1/n in front that makes up for it is "
    "missing."
)
def dhprebn__times_n(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The sums over the batch are not divided by anything. Mean and variance are averages: each example has only a "
    "share in them."
)
def dhprebn__sums_not_divided(dhpreact, bngain, bnraw, bnvar_inv):
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv * (dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake("The path through the mean has the wrong sign: when the mean goes up, everything in its column goes down.")
def dhprebn__mean_term_added(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact + dhpreact.sum(0, keepdim=True) - third)


@mistake("The path through the variance has the wrong sign. Mind the exponent of `bnvar_inv`: -0.5.")
def dhprebn__variance_term_added(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) + third)


@mistake(
    "The path through the variance is half of what it should be. The 0.5 of the root meets the 2 of the square: is the "
    "square's derivative in your sum?"
)
def dhprebn__variance_term_halved(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = 0.5 * n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The path through the variance is the same for every example here. How strongly an example moves the variance "
    "depends on its own distance from the mean."
)
def dhprebn__variance_term_without_own_share(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The term of the variance is built from `bndiff`, and powers of `bnvar_inv` got lost on the way. Count them: the "
    "derivative of `(bnvar + 1e-5) ** -0.5` brings some."
)
def dhprebn__variance_term_not_normalised(dhpreact, bngain, bndiff, bnvar_inv, n):
    third = n / (n - 1) * bndiff * (dhpreact * bndiff).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The term of the variance is built from `hpreact`, which has gain and bias in it already. Which value is the "
    "normalised one?"
)
def dhprebn__hpreact_for_bnraw(dhpreact, bngain, hpreact, bnvar_inv, n):
    third = n / (n - 1) * hpreact * (dhpreact * hpreact).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The 1e-5 of the forward pass is missing. It matters wherever the variance is small; `bnvar_inv` has it in already."
)
def dhprebn__eps_forgotten(dhpreact, bngain, bnraw, bnvar, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar**-0.5 / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The standard deviation is the biased one, computed with n. The forward pass divides its variance by n - 1: use "
    "its `bnvar_inv`."
)
def dhprebn__biased_deviation(dhpreact, bngain, bnraw, hprebn, n):
    inverse = (hprebn.var(0, unbiased=False, keepdim=True) + 1e-5) ** -0.5
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * inverse / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "This divides by the variance: `bnvar_inv` is already the inverse of the standard deviation, and here it appears "
    "one time too many."
)
def dhprebn__variance_for_deviation(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv**2 / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "`bnvar_inv` is missing in front: the three paths are there, but all of them pass the multiplication that makes "
    "`bnraw`."
)
def dhprebn__no_deviation(dhpreact, bngain, bnraw, n):
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake("The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.")
def dhprebn__mean_of_everything(dhpreact, bngain, bnraw, bnvar_inv, n):
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
    return bngain * bnvar_inv * (dhpreact - dhpreact.mean() - third)


@mistake(
    "`N` is the number of examples of the other network, the one with `h`. This one has `n` of them: the two are not "
    "the same."
)
def dhprebn__n_of_the_other_net(dhpreact, bngain, bnraw, bnvar_inv, N):
    third = N / (N - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / N * (N * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "The numbers are right, but `+=` and `-=` on `dhpreact` change the tensor you were given, and all that uses it "
    "later is spoilt. Make a new one."
)
def dhprebn__changes_dhpreact(dhpreact, bngain, bnraw, bnvar_inv, n):
    second = dhpreact.mean(0, keepdim=True)
    third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
    dhprebn = dhpreact
    dhprebn -= second
    dhprebn -= third
    return bngain * bnvar_inv * dhprebn


# the biased form


@mistake(
    "There is a Bessel correction, N/(N-1), in the path through the variance. This forward pass divides its variance "
    "by N."
)
def dh__bessel(dh_bn, gamma, h_norm, h_var, N):
    third = N / (N - 1) * h_norm * (dh_bn * h_norm).sum(0)
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - third)


@mistake(
    "The standard deviation is the unbiased one, computed with N - 1, as `h.std(0)` gives by default. The forward "
    "pass divides by N: use its `h_var`."
)
def dh__unbiased_deviation(dh_bn, gamma, h_norm, h, N):
    deviation = (h.var(0) + 1e-5).sqrt()
    return gamma / (N * deviation) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "This is the whole gradient of the other batch norm, the one whose variance is divided by N - 1. Here it is "
    "divided by N, in the forward pass and so in the backward pass."
)
def dh__unbiased_throughout(dh_bn, gamma, h, h_mean, N):
    inverse = (h.var(0) + 1e-5) ** -0.5
    raw = (h - h_mean) * inverse
    return gamma * inverse / N * (N * dh_bn - dh_bn.sum(0) - N / (N - 1) * raw * (dh_bn * raw).sum(0))


@mistake("The path through the mean is missing: each `h` moves the mean of its column, and with it the whole column.")
def dh__no_mean_term(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "The path through the variance is missing: each `h` changes the spread of its column, and with it the whole column."
)
def dh__no_variance_term(dh_bn, gamma, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0))


@mistake(
    "Only the direct path is here: mean and variance are treated as constants. They are made from `h` too, so two more "
    "paths lead through them."
)
def dh__statistics_constant(dh_bn, gamma, h_var):
    return gamma * dh_bn / (h_var + 1e-5).sqrt()


@mistake(
    "`gamma` is missing. `dh_bn` is the gradient after the scaling: what has to happen before it is that of `h_norm`?"
)
def dh__no_gain(dh_bn, h_norm, h_var, N):
    return (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake("`gamma` is in it twice. Each path passes it once: either scale `dh_bn` first, or the result.")
def dh__gain_twice(dh_bn, gamma, h_norm, h_var, N):
    return gamma**2 / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "`gamma` reaches the direct path only. The two indirect paths pass it as well, before they come to the mean or the "
    "variance."
)
def dh__gain_in_direct_path_only(dh_bn, gamma, h_norm, h_var, N):
    return (N * gamma * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())


@mistake(
    "The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums "
    "that belong to them."
)
def dh__wrong_axis(dh_bn, gamma, h_norm, h_var, N):
    second = dh_bn.sum(1, keepdim=True)
    third = h_norm * (dh_bn * h_norm).sum(1, keepdim=True)
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - second - third)


@mistake(
    "The 1e-5 of the forward pass is missing under the root. It matters wherever the variance is small, and where the "
    "variance is zero it is all there is."
)
def dh__eps_forgotten(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * h_var.sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake("The 1e-5 is added after the root here; the forward pass adds it to the variance, under the root.")
def dh__eps_outside_the_root(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var.sqrt() + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake("This divides by the variance. The forward pass divides by its root: check the square root, or the exponent.")
def dh__variance_for_deviation(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "The standard deviation is missing: the three paths are there, but all of them pass the division that makes "
    "`h_norm`."
)
def dh__no_deviation(dh_bn, gamma, h_norm, N):
    return gamma / N * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "Everything is N times too large: the bracket was multiplied by N, and the 1/N in front that makes up for it is "
    "missing."
)
def dh__times_n(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (h_var + 1e-5).sqrt() * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "The sums over the batch lack their 1/N. Mean and variance are both averages, so each example has only an Nth part "
    "in them."
)
def dh__sums_not_divided(dh_bn, gamma, h_norm, h_var):
    return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake("The path through the mean has the wrong sign: when the mean goes up, every `h_norm` of the column goes down.")
def dh__mean_term_added(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn + dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


@mistake("The path through the variance has the wrong sign: when the spread goes up, `h_norm` shrinks.")
def dh__variance_term_added(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) + h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "The path through the variance is half of what it should be. The 0.5 of the root meets the 2 of the square: is the "
    "square's derivative in your sum?"
)
def dh__variance_term_halved(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - 0.5 * h_norm * (dh_bn * h_norm).sum(0))


@mistake(
    "The path through the variance is the same for every example here. How strongly an example moves the variance "
    "depends on its own distance from the mean."
)
def dh__variance_term_without_own_share(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - (dh_bn * h_norm).sum(0))


@mistake(
    "The term of the variance is built from `h - h_mean`, and powers of the standard deviation got lost on the way. "
    "Count how often you divide by it."
)
def dh__variance_term_not_normalised(dh_bn, gamma, h, h_mean, h_var, N):
    centred = h - h_mean
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - centred * (dh_bn * centred).sum(0))


@mistake(
    "The term of the variance is built from `h_bn`, which has `gamma` and `beta` in it already. Which value is the "
    "normalised one?"
)
def dh__h_bn_for_h_norm(dh_bn, gamma, h_bn, h_var, N):
    return gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_bn * (dh_bn * h_bn).sum(0))


@mistake("The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.")
def dh__mean_of_everything(dh_bn, gamma, h_norm, h_var):
    return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean() - h_norm * (dh_bn * h_norm).mean(0))


@mistake(
    "`n` is the number of examples of the other network, the one with `hprebn`. This one has `N` of them: the two are "
    "not the same."
)
def dh__n_of_the_other_net(dh_bn, gamma, h_norm, h_var, n):
    return gamma / (n * (h_var + 1e-5).sqrt()) * (n * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))


# by its parts


@mistake("The gain is forgotten: `out` is `scale` times `xhat`. What does a multiplication do to the gradient?")
def dxhat__scale_forgotten(dout):
    return dout.clone()


@mistake("You divide by `scale`. A larger gain makes `out` react more to `xhat`, not less.")
def dxhat__divided_by_scale(dout, scale):
    return dout / scale


@mistake("You multiply by `xhat` itself; that belongs into the gradient of `scale`.")
def dxhat__times_itself(dout, xhat):
    return dout * xhat


@mistake("Your gradient depends on `shift`. A constant that is added does not change the slope.")
def dxhat__with_shift(dout, scale, shift):
    return dout * scale + shift


@mistake(
    "This is the gradient on the other side of the division. `dxhat` ends at `xhat`; the root comes in further down."
)
def dxhat__divided_by_the_deviation(dout, scale, var):
    return dout * scale / torch.sqrt(var + 1e-5)


@mistake("Nothing was summed: `scale` was copied to every row, and gets something back from each of them.")
def dscale__no_sum(dout, xhat):
    return dout * xhat


@mistake("You average over the rows. Each copy of `scale` acts in full: sum.")
def dscale__mean(dout, xhat):
    return (dout * xhat).mean(0)


@mistake("The numbers are right, and there is an axis of size 1 too many: `scale` is a vector, so no `keepdim`.")
def dscale__keepdim(dout, xhat):
    return (dout * xhat).sum(0, keepdim=True)


@mistake("You multiply by `x`. What `scale` is multiplied by in the forward line is the normalised one.")
def dscale__not_normalised(dout, x):
    return (dout * x).sum(0)


@mistake("You multiply by `out`, which has `scale` and `shift` in it already. What is `scale` multiplied by?")
def dscale__times_out(dout, out):
    return (dout * out).sum(0)


@mistake("This is the gradient of `shift`. `scale` is multiplied by something: by what?")
def dscale__that_of_shift(dout):
    return dout.sum(0)


@mistake("Nothing was summed: `shift` was copied to every row, and gets something back from each of them.")
def dshift__no_sum(dout):
    return dout.clone()


@mistake("You average over the rows. Each copy of `shift` acts in full: sum.")
def dshift__mean(dout):
    return dout.mean(0)


@mistake("The numbers are right, and there is an axis of size 1 too many: `shift` is a vector, so no `keepdim`.")
def dshift__keepdim(dout):
    return dout.sum(0, keepdim=True)


@mistake("You multiply by `scale`. `shift` is added after the gain: does the gain change its slope?")
def dshift__times_scale(dout, scale):
    return (dout * scale).sum(0)


@mistake("You sum along the units. Every unit has a `shift` of its own: sum over the batch.")
def dshift__wrong_axis(dout):
    return dout.sum(1)


@mistake("The minus of the exponent is lost. With a larger variance, does `xhat` move away from zero or towards it?")
def dvar__sign_lost(dxhat, x, mean, var):
    return (dxhat * (x - mean) * 0.5 * (var + 1e-5) ** -1.5).sum(0)


@mistake("The exponent was lowered but not brought to the front: the one half of the root is missing.")
def dvar__half_lost(dxhat, x, mean, var):
    return -(dxhat * (x - mean) * (var + 1e-5) ** -1.5).sum(0)


@mistake("The exponent came to the front, but it was not lowered by one: it is still that of the forward line.")
def dvar__exponent_kept(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -0.5).sum(0)


@mistake("You brought the new exponent to the front. The rule for a power takes the old one.")
def dvar__new_exponent_in_front(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -1.5 * (var + 1e-5) ** -1.5).sum(0)


@mistake("The 1e-5 of the forward line is missing. It matters wherever the variance is small.")
def dvar__eps_forgotten(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -0.5 * var**-1.5).sum(0)


@mistake("`x` itself stands where its distance from the mean belongs: it is the distance that is divided by the root.")
def dvar__mean_not_subtracted(dxhat, x, var):
    return (dxhat * x * -0.5 * (var + 1e-5) ** -1.5).sum(0)


@mistake("`xhat` is divided by the root already, and here three more powers of it follow: count them again.")
def dvar__divided_twice(dxhat, xhat, var):
    return (dxhat * xhat * -0.5 * (var + 1e-5) ** -1.5).sum(0)


@mistake("Nothing was summed: one variance divides its whole column, and gets something back from every row.")
def dvar__no_sum(dxhat, x, mean, var):
    return dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5


@mistake("You average over the rows. The variance acts on each of them in full: sum.")
def dvar__averaged(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5).mean(0)


@mistake("The numbers are right, and there is an axis of size 1 too many: `var` is a vector, so no `keepdim`.")
def dvar__keepdim(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5).sum(0, keepdim=True)


@mistake("The sign is flipped. With a higher mean, are the numbers of the column larger or smaller?")
def dmean__sign_turned_round(dxhat, var):
    return dxhat.sum(0) / torch.sqrt(var + 1e-5)


@mistake("Nothing was summed: one mean is subtracted from its whole column, and gets something back from every row.")
def dmean__no_sum(dxhat, var):
    return -dxhat / torch.sqrt(var + 1e-5)


@mistake("You average over the rows. The mean is subtracted from each of them in full: sum.")
def dmean__averaged(dxhat, var):
    return -dxhat.mean(0) / torch.sqrt(var + 1e-5)


@mistake("The root is missing. The mean is subtracted before the division, so its way leads through it.")
def dmean__no_deviation(dxhat):
    return -dxhat.sum(0)


@mistake("This divides by the variance. The forward line divides by its root.")
def dmean__variance_for_deviation(dxhat, var):
    return -dxhat.sum(0) / (var + 1e-5)


@mistake("The 1e-5 of the forward line is missing under the root. It matters wherever the variance is small.")
def dmean__eps_forgotten(dxhat, var):
    return -dxhat.sum(0) / torch.sqrt(var)


@mistake("The numbers are right, and there is an axis of size 1 too many: `mean` is a vector, so no `keepdim`.")
def dmean__keepdim(dxhat, var):
    return -dxhat.sum(0, keepdim=True) / torch.sqrt(var + 1e-5)


@mistake("The path through the mean is missing: `dmean` is one of the three gradients that come back to `x`.")
def dx__no_mean_term(dxhat, dvar, x, mean, var):
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / x.shape[0]


@mistake("The path through the variance is missing: `dvar` is one of the three gradients that come back to `x`.")
def dx__no_variance_term(dxhat, dmean, x, var):
    return dxhat / torch.sqrt(var + 1e-5) + dmean / x.shape[0]


@mistake("The direct path is missing: `x` is read in the line of `xhat` itself, too.")
def dx__no_direct_term(dvar, dmean, x, mean):
    return dvar * 2 * (x - mean) / x.shape[0] + dmean / x.shape[0]


@mistake("Only the direct path is here: mean and variance are treated as constants. They are made from `x`, too.")
def dx__statistics_constant(dxhat, var):
    return dxhat / torch.sqrt(var + 1e-5)


@mistake("The 2 of the square is lost on the path through the variance.")
def dx__two_lost(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[0]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * (x - mean) / n + dmean / n


@mistake("The mean's term lacks its 1/n: the mean is an average, so each `x` has a share in it only.")
def dx__mean_not_divided(dxhat, dvar, dmean, x, mean, var):
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / x.shape[0] + dmean


@mistake(
    "The variance's term lacks its 1/n: the variance is an average of squares, so each `x` has a share in it only."
)
def dx__variance_not_divided(dxhat, dvar, dmean, x, mean, var):
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) + dmean / x.shape[0]


@mistake("There is a 1/(n - 1) in the variance's term. This forward pass divides its variance by n.")
def dx__bessel_in_variance(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[0]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / (n - 1) + dmean / n


@mistake("`x` itself stands where its distance from the mean belongs: the variance averages squared *distances*.")
def dx__mean_not_subtracted(dxhat, dvar, dmean, x, var):
    n = x.shape[0]
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * x / n + dmean / n


@mistake("The 1e-5 of the forward line is missing in the direct path. It matters wherever the variance is small.")
def dx__eps_forgotten(dxhat, dvar, dmean, x, mean, var):
    n = x.shape[0]
    return dxhat / torch.sqrt(var) + dvar * 2 * (x - mean) / n + dmean / n


@mistake("The direct path lacks the root: `xhat` is the distance *divided* by it.")
def dx__no_deviation(dxhat, dvar, dmean, x, mean):
    n = x.shape[0]
    return dxhat + dvar * 2 * (x - mean) / n + dmean / n


@mistake(
    "`n` is the number of examples of the first network, the one with `hprebn`. This one has `x.shape[0]` of them."
)
def dx__n_of_the_other_net(dxhat, dvar, dmean, x, mean, var, n):
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n


@mistake("`N` is the number of examples of the second network, the one with `h`. This one has `x.shape[0]` of them.")
def dx__n_of_the_second_net(dxhat, dvar, dmean, x, mean, var, N):
    return dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / N + dmean / N


# the layer, forward

layer_unbiased = edit(
    "BatchNorm1d__layer_normalises_by_the_unbiased_variance",
    "In training the layer normalises by the variance divided by n - 1, which is what `x.var(0)` gives by default. "
    "That one is only for `running_var`; the batch itself is normalised by the biased one.",
    old="""mean, var = x.mean(0), x.var(0, unbiased=False)
            kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)""",
    new="""mean, var = x.mean(0), x.var(0)
            kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var""",
)
layer_eps_forgotten = edit(
    "BatchNorm1d__layer_eps_forgotten",
    "`eps` is not used: the layer divides by the root of the bare variance. Where a unit hardly varies, it blows up.",
    old="self.inverse = (var + self.eps) ** -0.5",
    new="self.inverse = var**-0.5",
)
layer_eps_outside = edit(
    "BatchNorm1d__layer_eps_outside_the_root",
    "`eps` is added to the standard deviation, after the root. It is added to the variance, under the root.",
    old="self.inverse = (var + self.eps) ** -0.5",
    new="self.inverse = 1 / (var**0.5 + self.eps)",
)
layer_eps_fixed = edit(
    "BatchNorm1d__layer_eps_written_in",
    "The layer is right with eps=1e-5 and no other: the number stands in `forward`. Take the `eps` it was made with.",
    old="self.inverse = (var + self.eps) ** -0.5",
    new="self.inverse = (var + 1e-5) ** -0.5",
)
layer_no_gamma = edit(
    "BatchNorm1d__layer_gamma_forgotten",
    "The output is not multiplied by `gamma`. That shows only once gamma is no longer one.",
    old="return self.gamma * self.xhat + self.beta",
    new="return self.xhat + self.beta",
)
layer_no_beta = edit(
    "BatchNorm1d__layer_beta_forgotten",
    "`beta` is not added to the output. That shows only once beta is no longer zero.",
    old="return self.gamma * self.xhat + self.beta",
    new="return self.gamma * self.xhat",
)
layer_running_in_training = edit(
    "BatchNorm1d__layer_trains_on_running_statistics",
    "In training the layer normalises by its running statistics. Those are for evaluation; a training batch is "
    "normalised by its own mean and variance.",
    old="        self.training = training\n",
    new="        mean, var = self.running_mean, self.running_var\n        self.training = training\n",
)
layer_one_mean = edit(
    "BatchNorm1d__layer_one_mean_for_all_units",
    "The layer takes one mean over everything. Each unit, each column, has a mean of its own.",
    old="mean, var = x.mean(0), x.var(0, unbiased=False)",
    new="mean, var = x.mean(), x.var(0, unbiased=False)",
)

# the layer, its memory

layer_biased_memory = edit(
    "BatchNorm1d__running_variance_biased",
    "`running_var` remembers the variance divided by n. It is to remember the unbiased one, divided by n - 1: what was "
    "seen is a sample of all there will be.",
    old="self.momentum * var * n / (n - 1)",
    new="self.momentum * var",
)
layer_momentum_turned = edit(
    "BatchNorm1d__momentum_turned_round",
    "The two weights are exchanged: with a momentum of 0.1 the running statistics move a tenth of the way to the new "
    "batch, not nine tenths.",
    old="""kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)""",
    new="""kept = self.momentum
            self.running_mean = kept * self.running_mean + (1 - kept) * mean
            self.running_var = kept * self.running_var + (1 - kept) * var * n / (n - 1)""",
)
layer_momentum_fixed = edit(
    "BatchNorm1d__momentum_written_in",
    "The layer is right with momentum=0.1 and no other: the number stands in `forward`. Take the one it was made with.",
    old="""kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)""",
    new="""self.running_mean = 0.9 * self.running_mean + 0.1 * mean
            self.running_var = 0.9 * self.running_var + 0.1 * var * n / (n - 1)""",
)
layer_last_batch = edit(
    "BatchNorm1d__running_statistics_of_the_last_batch",
    "The running statistics are those of the latest batch alone: each batch overwrites what was there.",
    old="""self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)""",
    new="self.running_mean, self.running_var = mean, var * n / (n - 1)",
)
layer_added_up = edit(
    "BatchNorm1d__running_statistics_added_up",
    "The old value is kept whole while the new one is added, so the running statistics grow with every batch. The two "
    "weights have to add up to one.",
    old="kept = 1 - self.momentum\n",
    new="kept = 1\n",
)
layer_no_memory = edit(
    "BatchNorm1d__running_statistics_not_moved",
    "The running statistics stay zeros and ones, however many batches there are. `forward` moves them in training.",
    old="""self.running_mean = kept * self.running_mean + self.momentum * mean
            self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)""",
    new="self.kept = kept",
)
layer_remembers_deviation = edit(
    "BatchNorm1d__running_standard_deviation",
    "`running_var` remembers standard deviations. It is to remember variances: no root before they are averaged.",
    old="self.momentum * var * n / (n - 1)",
    new="self.momentum * (var * n / (n - 1)) ** 0.5",
)

# the layer, evaluated

layer_batch_in_evaluation = edit(
    "BatchNorm1d__evaluation_by_batch_statistics",
    "In evaluation the layer still takes mean and variance from the batch. Then what it says of one example depends on "
    "the others, and of a single example it can say nothing.",
    old="mean, var = self.running_mean, self.running_var",
    new="mean, var = x.mean(0), x.var(0, unbiased=False)",
)
layer_learns_in_evaluation = edit(
    "BatchNorm1d__evaluation_moves_the_statistics",
    "Evaluation leaves its trace in the running statistics. They move in training only, or the layer learns from what "
    "it is tested on.",
    old="mean, var = self.running_mean, self.running_var",
    new="""mean, var = self.running_mean, self.running_var
            kept = 1 - self.momentum
            self.running_mean = kept * self.running_mean + self.momentum * x.mean(0)
            self.running_var = kept * self.running_var + self.momentum * x.var(0, unbiased=len(x) > 1)""",
)
layer_mean_only = edit(
    "BatchNorm1d__evaluation_takes_the_running_mean_only",
    "In evaluation the mean is the running one, but the variance is still the batch's. Both are to be remembered.",
    old="mean, var = self.running_mean, self.running_var",
    new="mean, var = self.running_mean, x.var(0, unbiased=False)",
)

# the layer, backward

layer_constant = edit(
    "BatchNorm1d__layer_statistics_constant",
    "`backward` takes mean and variance as constants. That is right in evaluation; in training they are made from the "
    "batch, and two more paths lead through them.",
    old="if self.training:  #",
    new="if False:  #",
)
layer_always_training = edit(
    "BatchNorm1d__evaluation_with_paths_through_the_batch",
    "After an evaluation `backward` still goes through the batch's mean and variance. The running statistics were "
    "used: do they depend on this batch?",
    old="if self.training:  #",
    new="if True:  #",
)
layer_no_mean_path = edit(
    "BatchNorm1d__layer_no_mean_path",
    "In `dx` the path through the mean is missing: each input moves the mean of its column, and with it the column.",
    old="dxhat - by_mean - by_variance",
    new="dxhat - by_variance",
)
layer_no_variance_path = edit(
    "BatchNorm1d__layer_no_variance_path",
    "In `dx` the path through the variance is missing: each input moves the spread of its column.",
    old="dxhat - by_mean - by_variance",
    new="dxhat - by_mean",
)
layer_bessel = edit(
    "BatchNorm1d__layer_bessel_in_backward",
    "The path through the variance is divided by n - 1 in `backward`. The layer normalises by the one divided by n.",
    old="(dxhat * self.xhat).sum(0) / n",
    new="(dxhat * self.xhat).sum(0) / (n - 1)",
)
layer_not_divided = edit(
    "BatchNorm1d__layer_sums_not_divided",
    "The sums over the batch in `dx` lack their 1/n: mean and variance are averages.",
    old="""by_mean = dxhat.sum(0) / n
            by_variance = self.xhat * (dxhat * self.xhat).sum(0) / n""",
    new="""by_mean = dxhat.sum(0)
            by_variance = self.xhat * (dxhat * self.xhat).sum(0)""",
)
layer_gain_in_backward = edit(
    "BatchNorm1d__layer_gamma_forgotten_in_backward",
    "`dx` does not know of `gamma`: `dout` is the gradient after the gain. It shows only once gamma is no longer one.",
    old="dxhat = dout * self.gamma",
    new="dxhat = dout",
)
layer_deviation_forgotten = edit(
    "BatchNorm1d__layer_deviation_forgotten_in_backward",
    "`dx` lacks the division by the standard deviation: every path passes it.",
    old="return dxhat * self.inverse, dgamma, dbeta",
    new="return dxhat, dgamma, dbeta",
)
layer_dgamma_without = edit(
    "BatchNorm1d__layer_dgamma_without_xhat",
    "`dgamma` is the sum of `dout` alone, which is `dbeta`. What is gamma multiplied by?",
    old="dgamma = (dout * self.xhat).sum(0)",
    new="dgamma = dout.sum(0)",
)
layer_averaged = edit(
    "BatchNorm1d__layer_gain_and_bias_averaged",
    "`dgamma` and `dbeta` are averaged over the batch. Both act on every row in full: sum.",
    old="dgamma = (dout * self.xhat).sum(0)\n        dbeta = dout.sum(0)",
    new="dgamma = (dout * self.xhat).mean(0)\n        dbeta = dout.mean(0)",
)
layer_order = edit(
    "BatchNorm1d__layer_results_in_another_order",
    "`dgamma` and `dbeta` come back in the wrong order: expected are dx, dgamma, dbeta.",
    old="return dxhat * self.inverse, dgamma, dbeta",
    new="return dxhat * self.inverse, dbeta, dgamma",
)
