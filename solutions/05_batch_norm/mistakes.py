"""Known wrong formulas of lesson 05, and what a student who wrote one is told."""

from grader.mistakes import mistake

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
    "The standard deviation is the biased one, made with n. The forward pass divides its variance by n - 1: take "
    "`bnvar_inv` as it stands there."
)
def dhprebn__biased_deviation(dhpreact, bngain, bnraw, hprebn, n):
    inverse = (hprebn.var(0, unbiased=False, keepdim=True) + 1e-5) ** -0.5
    third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * inverse / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)


@mistake(
    "This divides by the variance: `bnvar_inv` is the inverse of the standard deviation already, and stands here once "
    "too often."
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


@mistake("The mean of the whole matrix is taken off. Every hidden unit has a mean of its own: one number a column.")
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
    "The standard deviation is the unbiased one, made with N - 1, as `h.std(0)` gives by default. The forward pass "
    "divides by N: take `h_var` as it stands there."
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


@mistake("The mean of the whole matrix is taken off. Every hidden unit has a mean of its own: one number a column.")
def dh__mean_of_everything(dh_bn, gamma, h_norm, h_var):
    return gamma / (h_var + 1e-5).sqrt() * (dh_bn - dh_bn.mean() - h_norm * (dh_bn * h_norm).mean(0))


@mistake(
    "`n` is the number of examples of the other network, the one with `hprebn`. This one has `N` of them: the two are "
    "not the same."
)
def dh__n_of_the_other_net(dh_bn, gamma, h_norm, h_var, n):
    return gamma / (n * (h_var + 1e-5).sqrt()) * (n * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
