"""Known wrong answers of lesson 05, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# the lecture's form, with Bessel's correction
[dhprebn]
no_bessel:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    This is the formula for a variance divided by n. The forward pass divides by n - 1: follow that number through the
    variance's path.
bessel_upside_down:
        third = (n - 1) / n * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    Bessel's factor is upside down. Dividing the variance by n - 1 makes it larger than dividing by n: does its path
    then weigh more, or less?
bessel_in_the_mean:
        second = dhpreact.sum(0, keepdim=True) / (n - 1)
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
        bngain * bnvar_inv * (dhpreact - second - third)
    The n - 1 has got into the path through the mean. Bessel's correction belongs to the variance; the mean is still
    divided by n.
bessel_in_every_term:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / (n - 1) * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    Bessel's factor multiplies everything. Only one of the three paths leads through the variance: which term is it?
no_mean_term:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - third)
    The path through the mean is missing: each `hprebn` moves the mean of its column, and with it the whole column.
no_variance_term: bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True))
    The path through the variance is missing: each `hprebn` changes the spread of its column, and with it the whole
    column.
statistics_constant: bngain * bnvar_inv * dhpreact
    Only the direct path is here: mean and variance are treated as constants. They are made from `hprebn` too, so two
    more paths lead through them.
no_gain:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The gain is missing. `dhpreact` is the gradient after `bngain`: what has to happen before it is the gradient of
    `bnraw`?
gain_twice:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain**2 * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The gain is in it twice. Each path passes `bngain` once: either scale `dhpreact` first, or the result.
gain_in_direct_path_only:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bnvar_inv / n * (n * bngain * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The gain reaches the direct path only. The two indirect paths pass `bngain` as well, before they come to the mean or
    the variance.
wrong_axis:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(1, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(1, keepdim=True) - third)
    The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums
    that belong to them.
times_n:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    Everything is n times too large: the bracket was multiplied by n, and the 1/n in front that makes up for it is
    missing.
sums_not_divided:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv * (dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The sums over the batch are not divided by anything. Mean and variance are averages: each example has only a share
    in them.
mean_term_added:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact + dhpreact.sum(0, keepdim=True) - third)
    The path through the mean has the wrong sign: when the mean goes up, everything in its column goes down.
variance_term_added:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) + third)
    The path through the variance has the wrong sign. Mind the exponent of `bnvar_inv`: -0.5.
variance_term_halved:
        third = 0.5 * n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The path through the variance is half of what it should be. The 0.5 of the root meets the 2 of the square: is the
    square's derivative in your sum?
variance_term_without_own_share:
        third = n / (n - 1) * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The path through the variance is the same for every example here. How strongly an example moves the variance depends
    on its own distance from the mean.
variance_term_not_normalised:
        third = n / (n - 1) * bndiff * (dhpreact * bndiff).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The term of the variance is built from `bndiff`, and powers of `bnvar_inv` got lost on the way. Count them: the
    derivative of `(bnvar + 1e-5) ** -0.5` brings some.
hpreact_for_bnraw:
        third = n / (n - 1) * hpreact * (dhpreact * hpreact).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The term of the variance is built from `hpreact`, which has gain and bias in it already. Which value is the
    normalised one?
eps_forgotten:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar**-0.5 / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The 1e-5 of the forward pass is missing. It matters wherever the variance is small; `bnvar_inv` has it in already.
biased_deviation:
        inverse = (hprebn.var(0, unbiased=False, keepdim=True) + 1e-5) ** -0.5
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * inverse / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The standard deviation is the biased one, computed with n. The forward pass divides its variance by n - 1: use its
    `bnvar_inv`.
variance_for_deviation:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv**2 / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    This divides by the variance: `bnvar_inv` is already the inverse of the standard deviation, and here it appears one
    time too many.
no_deviation:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    `bnvar_inv` is missing in front: the three paths are there, but all of them pass the multiplication that makes
    `bnraw`.
mean_of_everything:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
        bngain * bnvar_inv * (dhpreact - dhpreact.mean() - third)
    The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.
n_of_the_other_net:
        third = N / (N - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / N * (N * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    `N` is the number of examples of the other network, the one with `h`. This one has `n` of them: the two are not the
    same.
changes_dhpreact:
        second = dhpreact.mean(0, keepdim=True)
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True) / (n - 1)
        dhprebn = dhpreact
        dhprebn -= second
        dhprebn -= third
        bngain * bnvar_inv * dhprebn
    The numbers are right, but `+=` and `-=` on `dhpreact` change the tensor you were given, and all that uses it later
    is spoilt. Make a new one.

# the biased form
[dh]
bessel:
        third = N / (N - 1) * h_norm * (dh_bn * h_norm).sum(0)
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - third)
    There is a Bessel correction, N/(N-1), in the path through the variance. This forward pass divides its variance by
    N.
unbiased_deviation:
        deviation = (h.var(0) + 1e-5).sqrt()
        gamma / (N * deviation) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The standard deviation is the unbiased one, computed with N - 1, as `h.std(0)` gives by default. The forward pass
    divides by N: use its `h_var`.
unbiased_throughout:
        inverse = (h.var(0) + 1e-5) ** -0.5
        raw = (h - h_mean) * inverse
        gamma * inverse / N * (N * dh_bn - dh_bn.sum(0) - N / (N - 1) * raw * (dh_bn * raw).sum(0))
    This is the whole gradient of the other batch norm, the one whose variance is divided by N - 1. Here it is divided
    by N, in the forward pass and so in the backward pass.
no_mean_term: gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - h_norm * (dh_bn * h_norm).sum(0))
    The path through the mean is missing: each `h` moves the mean of its column, and with it the whole column.
no_variance_term: gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0))
    The path through the variance is missing: each `h` changes the spread of its column, and with it the whole column.
statistics_constant: gamma * dh_bn / (h_var + 1e-5).sqrt()
    Only the direct path is here: mean and variance are treated as constants. They are made from `h` too, so two more
    paths lead through them.
statistics_constant_without_eps: gamma * dh_bn / h_var.sqrt()
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from `h`
    too, so two more paths lead through them.
no_gain: (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    `gamma` is missing. `dh_bn` is the gradient after the scaling: what has to happen before it is that of `h_norm`?
gain_twice: gamma**2 / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    `gamma` is in it twice. Each path passes it once: either scale `dh_bn` first, or the result.
gain_in_direct_path_only:
        (N * gamma * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    `gamma` reaches the direct path only. The two indirect paths pass it as well, before they come to the mean or the
    variance.
wrong_axis:
        second = dh_bn.sum(1, keepdim=True)
        third = h_norm * (dh_bn * h_norm).sum(1, keepdim=True)
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - second - third)
    The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums
    that belong to them.
eps_forgotten: gamma / (N * h_var.sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The 1e-5 of the forward pass is missing under the root. It matters wherever the variance is small, and where the
    variance is zero it is all there is.
eps_outside_the_root:
        gamma / (N * (h_var.sqrt() + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The 1e-5 is added after the root here; the forward pass adds it to the variance, under the root.
variance_for_deviation: gamma / (N * (h_var + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    This divides by the variance. The forward pass divides by its root: check the square root, or the exponent.
no_deviation: gamma / N * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The standard deviation is missing: the three paths are there, but all of them pass the division that makes `h_norm`.
times_n: gamma / (h_var + 1e-5).sqrt() * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    Everything is N times too large: the bracket was multiplied by N, and the 1/N in front that makes up for it is
    missing.
sums_not_divided: gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The sums over the batch lack their 1/N. Mean and variance are both averages, so each example has only an Nth part in
    them.
mean_term_added: gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn + dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The path through the mean has the wrong sign: when the mean goes up, every `h_norm` of the column goes down.
variance_term_added: gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) + h_norm * (dh_bn * h_norm).sum(0))
    The path through the variance has the wrong sign: when the spread goes up, `h_norm` shrinks.
variance_term_halved:
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - 0.5 * h_norm * (dh_bn * h_norm).sum(0))
    The path through the variance is half of what it should be. The 0.5 of the root meets the 2 of the square: is the
    square's derivative in your sum?
variance_term_without_own_share:
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - (dh_bn * h_norm).sum(0))
    The path through the variance is the same for every example here. How strongly an example moves the variance depends
    on its own distance from the mean.
variance_term_not_normalised:
        centred = h - h_mean
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - centred * (dh_bn * centred).sum(0))
    The term of the variance is built from `h - h_mean`, and powers of the standard deviation got lost on the way. Count
    how often you divide by it.
h_bn_for_h_norm: gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_bn * (dh_bn * h_bn).sum(0))
    The term of the variance is built from `h_bn`, which has `gamma` and `beta` in it already. Which value is the
    normalised one?
mean_of_everything: gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean() - h_norm * (dh_bn * h_norm).mean(0))
    The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.
n_of_the_other_net: gamma / (n * (h_var + 1e-5).sqrt()) * (n * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    `n` is the number of examples of the other network, the one with `hprebn`. This one has `N` of them: the two are not
    the same.

# by its parts
[dxhat]
scale_forgotten: dout.clone()
    The gain is forgotten: `out` is `scale` times `xhat`. What does a multiplication do to the gradient?
divided_by_scale: dout / scale
    You divide by `scale`. A larger gain makes `out` react more to `xhat`, not less.
times_itself: dout * xhat
    You multiply by `xhat` itself; that belongs into the gradient of `scale`.
with_shift: dout * scale + shift
    Your gradient depends on `shift`. A constant that is added does not change the slope.
divided_by_the_deviation: dout * scale / torch.sqrt(var + 1e-5)
    This is the gradient on the other side of the division. `dxhat` ends at `xhat`; the root comes in further down.

[dscale]
no_sum: dout * xhat
    Nothing was summed: `scale` was copied to every row, and gets something back from each of them.
mean: (dout * xhat).mean(0)
    You average over the rows. Each copy of `scale` acts in full: sum.
keepdim: (dout * xhat).sum(0, keepdim=True)
    The numbers are right, and there is an axis of size 1 too many: `scale` is a vector, so no `keepdim`.
not_normalised: (dout * x).sum(0)
    You multiply by `x`. What `scale` is multiplied by in the forward line is the normalised one.
times_out: (dout * out).sum(0)
    You multiply by `out`, which has `scale` and `shift` in it already. What is `scale` multiplied by?
that_of_shift: dout.sum(0)
    This is the gradient of `shift`. `scale` is multiplied by something: by what?

[dshift]
no_sum: dout.clone()
    Nothing was summed: `shift` was copied to every row, and gets something back from each of them.
mean: dout.mean(0)
    You average over the rows. Each copy of `shift` acts in full: sum.
keepdim: dout.sum(0, keepdim=True)
    The numbers are right, and there is an axis of size 1 too many: `shift` is a vector, so no `keepdim`.
times_scale: (dout * scale).sum(0)
    You multiply by `scale`. `shift` is added after the gain: does the gain change its slope?
wrong_axis: dout.sum(1)
    You sum along the units. Every unit has a `shift` of its own: sum over the batch.

[dvar]
sign_lost: (dxhat * (x - mean) * 0.5 * (var + 1e-5) ** -1.5).sum(0)
    The minus of the exponent is lost. With a larger variance, does `xhat` move away from zero or towards it?
half_lost: -(dxhat * (x - mean) * (var + 1e-5) ** -1.5).sum(0)
    The exponent was lowered but not brought to the front: the one half of the root is missing.
exponent_kept: (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -0.5).sum(0)
    The exponent came to the front, but it was not lowered by one: it is still that of the forward line.
new_exponent_in_front: (dxhat * (x - mean) * -1.5 * (var + 1e-5) ** -1.5).sum(0)
    You brought the new exponent to the front. The rule for a power takes the old one.
eps_forgotten: (dxhat * (x - mean) * -0.5 * var**-1.5).sum(0)
    The 1e-5 of the forward line is missing. It matters wherever the variance is small.
mean_not_subtracted: (dxhat * x * -0.5 * (var + 1e-5) ** -1.5).sum(0)
    You use `x` itself. The forward line divides its distance from the mean, `x - mean`.
divided_twice: (dxhat * xhat * -0.5 * (var + 1e-5) ** -1.5).sum(0)
    `xhat` is divided by the root already, and here three more powers of it follow: count them again.
no_sum: dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5
    Nothing was summed: one variance divides its whole column, and gets something back from every row.
averaged: (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5).mean(0)
    You average over the rows. The variance acts on each of them in full: sum.
keepdim: (dxhat * (x - mean) * -0.5 * (var + 1e-5) ** -1.5).sum(0, keepdim=True)
    The numbers are right, and there is an axis of size 1 too many: `var` is a vector, so no `keepdim`.

[dmean]
sign_turned_round: dxhat.sum(0) / torch.sqrt(var + 1e-5)
    The sign is flipped. With a higher mean, are the numbers of the column larger or smaller?
no_sum: -dxhat / torch.sqrt(var + 1e-5)
    Nothing was summed: one mean is subtracted from its whole column, and gets something back from every row.
averaged: -dxhat.mean(0) / torch.sqrt(var + 1e-5)
    You average over the rows. The mean is subtracted from each of them in full: sum.
no_deviation: -dxhat.sum(0)
    The root is missing. The mean is subtracted before the division, so its way leads through it.
variance_for_deviation: -dxhat.sum(0) / (var + 1e-5)
    This divides by the variance. The forward line divides by its root.
eps_forgotten: -dxhat.sum(0) / torch.sqrt(var)
    The 1e-5 of the forward line is missing under the root. It matters wherever the variance is small.
keepdim: -dxhat.sum(0, keepdim=True) / torch.sqrt(var + 1e-5)
    The numbers are right, and there is an axis of size 1 too many: `mean` is a vector, so no `keepdim`.

[dx]
no_mean_term: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / x.shape[0]
    The path through the mean is missing: `dmean` is one of the three gradients that come back to `x`.
no_variance_term: dxhat / torch.sqrt(var + 1e-5) + dmean / x.shape[0]
    The path through the variance is missing: `dvar` is one of the three gradients that come back to `x`.
no_direct_term: dvar * 2 * (x - mean) / x.shape[0] + dmean / x.shape[0]
    The direct path is missing: `x` is read in the line of `xhat` itself, too.
statistics_constant: dxhat / torch.sqrt(var + 1e-5)
    Only the direct path is here: mean and variance are treated as constants. They are made from `x`, too.
statistics_constant_without_eps: dxhat / torch.sqrt(var)
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from
    `x`, too.
two_lost: n = x.shape[0]; dxhat / torch.sqrt(var + 1e-5) + dvar * (x - mean) / n + dmean / n
    The 2 of the square is lost on the path through the variance.
mean_not_divided: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / x.shape[0] + dmean
    The mean's term lacks its 1/n: the mean is an average, so each `x` has a share in it only.
variance_not_divided: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) + dmean / x.shape[0]
    The variance's term lacks its 1/n: the variance is an average of squares, so each `x` has a share in it only.
bessel_in_variance: n = x.shape[0]; dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / (n - 1) + dmean / n
    There is a 1/(n - 1) in the variance's term. This forward pass divides its variance by n.
mean_not_subtracted: n = x.shape[0]; dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * x / n + dmean / n
    You use `x` itself. The variance averages the squares of *distances* from the mean.
eps_forgotten: n = x.shape[0]; dxhat / torch.sqrt(var) + dvar * 2 * (x - mean) / n + dmean / n
    The 1e-5 of the forward line is missing in the direct path. It matters wherever the variance is small.
no_deviation: n = x.shape[0]; dxhat + dvar * 2 * (x - mean) / n + dmean / n
    The direct path lacks the root: `xhat` is the distance *divided* by it.
n_of_the_other_net: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n
    `n` is the number of examples of the first network, the one with `hprebn`. This one has `x.shape[0]` of them.
n_of_the_second_net: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / N + dmean / N
    `N` is the number of examples of the second network, the one with `h`. This one has `x.shape[0]` of them.

# the layer, forward
[BatchNorm1d]
- mean, var = x.mean(0), x.var(0, unbiased=False)
- kept = 1 - self.momentum
- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
layer_normalises_by_the_unbiased_variance:
        mean, var = x.mean(0), x.var(0)
        kept = 1 - self.momentum
        self.running_mean = kept * self.running_mean + self.momentum * mean
        self.running_var = kept * self.running_var + self.momentum * var
    In training the layer normalises by the variance divided by n - 1, which is what `x.var(0)` gives by default. That
    one is only for `running_var`; the batch itself is normalised by the biased one.

- self.inverse = (var + self.eps) ** -0.5
layer_eps_forgotten: self.inverse = var**-0.5
    `eps` is not used: the layer divides by the root of the bare variance. Where a unit hardly varies, it blows up.
layer_eps_outside_the_root: self.inverse = 1 / (var**0.5 + self.eps)
    `eps` is added to the standard deviation, after the root. It is added to the variance, under the root.
layer_eps_written_in: self.inverse = (var + 1e-5) ** -0.5
    The layer is right with eps=1e-5 only, because `forward` contains this number. Use the `eps` that `__init__`
    received.

- return self.gamma * self.xhat + self.beta
layer_gamma_forgotten: return self.xhat + self.beta
    The output is not multiplied by `gamma`. That shows only once gamma is no longer one.
layer_beta_forgotten: return self.gamma * self.xhat
    `beta` is not added to the output. That shows only once beta is no longer zero.

- self.training = training
layer_trains_on_running_statistics:
        mean, var = self.running_mean, self.running_var
        self.training = training
    In training the layer normalises by its running statistics. Those are for evaluation; a training batch is normalised
    by its own mean and variance.

- mean, var = x.mean(0), x.var(0, unbiased=False)
layer_one_mean_for_all_units: mean, var = x.mean(), x.var(0, unbiased=False)
    The layer takes one mean over everything. Each unit, each column, has a mean of its own.

# the layer, its memory
- self.momentum * var * n / (n - 1)
running_variance_biased: self.momentum * var
    `running_var` remembers the variance divided by n. It is to remember the unbiased one, divided by n - 1: what was
    seen is a sample of all there will be.

- kept = 1 - self.momentum
- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
momentum_turned_round:
        kept = self.momentum
        self.running_mean = kept * self.running_mean + (1 - kept) * mean
        self.running_var = kept * self.running_var + (1 - kept) * var * n / (n - 1)
    The two weights are exchanged: with a momentum of 0.1 the running statistics move a tenth of the way to the new
    batch, not nine tenths.
momentum_written_in:
        self.running_mean = 0.9 * self.running_mean + 0.1 * mean
        self.running_var = 0.9 * self.running_var + 0.1 * var * n / (n - 1)
    The layer is right with momentum=0.1 only, because `forward` contains this number. Use the `momentum` that
    `__init__` received.

- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
running_statistics_of_the_last_batch: self.running_mean, self.running_var = mean, var * n / (n - 1)
    The running statistics are those of the latest batch alone: each batch overwrites what was there.

- kept = 1 - self.momentum
running_statistics_added_up: kept = 1
    The old value is kept whole while the new one is added, so the running statistics grow with every batch. The two
    weights have to add up to one.

- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
running_statistics_not_moved: self.kept = kept
    The running statistics stay zeros and ones, however many batches there are. `forward` moves them in training.

- self.momentum * var * n / (n - 1)
running_standard_deviation: self.momentum * (var * n / (n - 1)) ** 0.5
    `running_var` remembers standard deviations. It is to remember variances: no root before they are averaged.

# the layer, evaluated
- mean, var = self.running_mean, self.running_var
evaluation_by_batch_statistics: mean, var = x.mean(0), x.var(0, unbiased=False)
    In evaluation the layer still takes mean and variance from the batch. Then what it says of one example depends on
    the others, and of a single example it can say nothing.
evaluation_moves_the_statistics:
        mean, var = self.running_mean, self.running_var
        kept = 1 - self.momentum
        self.running_mean = kept * self.running_mean + self.momentum * x.mean(0)
        self.running_var = kept * self.running_var + self.momentum * x.var(0, unbiased=len(x) > 1)
    Evaluation leaves its trace in the running statistics. They move in training only, or the layer learns from what it
    is tested on.
evaluation_takes_the_running_mean_only: mean, var = self.running_mean, x.var(0, unbiased=False)
    In evaluation the mean is the running one, but the variance is still the batch's. Both are to be remembered.

# the layer, backward
- if self.training:  #
layer_statistics_constant: if False:  #
    `backward` takes mean and variance as constants. That is right in evaluation; in training they are made from the
    batch, and two more paths lead through them.
evaluation_with_paths_through_the_batch: if True:  #
    After an evaluation `backward` still goes through the batch's mean and variance. The running statistics were used:
    do they depend on this batch?

- dxhat - by_mean - by_variance
layer_no_mean_path: dxhat - by_variance
    In `dx` the path through the mean is missing: each input moves the mean of its column, and with it the column.
layer_no_variance_path: dxhat - by_mean
    In `dx` the path through the variance is missing: each input moves the spread of its column.

- (dxhat * self.xhat).sum(0) / n
layer_bessel_in_backward: (dxhat * self.xhat).sum(0) / (n - 1)
    The path through the variance is divided by n - 1 in `backward`. The layer normalises by the one divided by n.

- by_mean = dxhat.sum(0) / n
- by_variance = self.xhat * (dxhat * self.xhat).sum(0) / n
layer_sums_not_divided:
        by_mean = dxhat.sum(0)
        by_variance = self.xhat * (dxhat * self.xhat).sum(0)
    The sums over the batch in `dx` lack their 1/n: mean and variance are averages.

- dxhat = dout * self.gamma
layer_gamma_forgotten_in_backward: dxhat = dout
    `dx` does not know of `gamma`: `dout` is the gradient after the gain. It shows only once gamma is no longer one.

- return dxhat * self.inverse, dgamma, dbeta
layer_deviation_forgotten_in_backward: return dxhat, dgamma, dbeta
    `dx` lacks the division by the standard deviation: every path passes it.

- dgamma = (dout * self.xhat).sum(0)
layer_dgamma_without_xhat: dgamma = dout.sum(0)
    `dgamma` is the sum of `dout` alone, which is `dbeta`. What is gamma multiplied by?

- dgamma = (dout * self.xhat).sum(0)
- dbeta = dout.sum(0)
layer_gain_and_bias_averaged:
        dgamma = (dout * self.xhat).mean(0)
        dbeta = dout.mean(0)
    `dgamma` and `dbeta` are averaged over the batch. Both act on every row in full: sum.

- return dxhat * self.inverse, dgamma, dbeta
layer_results_in_another_order: return dxhat * self.inverse, dbeta, dgamma
    `dgamma` and `dbeta` come back in the wrong order: expected are dx, dgamma, dbeta.
""")
