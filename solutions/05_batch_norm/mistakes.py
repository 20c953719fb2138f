"""Known wrong answers of lesson 05, each with the message that its author gets."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# the lecture's form, with Bessel's correction
[dhprebn]
mean_path_divided_twice:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.mean(0, keepdim=True) - third)
    The path through the mean is divided by n twice. Is the factor 1/n outside of the brackets already?
no_deviation:
        third = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    `dhprebn` is not multiplied by `bnvar_inv`: the three paths are there, but all of them pass the multiplication that
    makes `bnraw`.
bessel_upside_down:
        third = (n - 1) / n * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    Bessel's factor is upside down. Dividing the variance by n - 1 makes it larger than dividing by n: does its path
    then weigh more, or less?
bessel_forgotten:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    This is right for a variance divided by n. The forward pass divides by n - 1: which term leads through the variance?
bessel_in_every_term:
        third = bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / (n - 1) * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    Bessel's factor multiplies everything. Only one of the three paths leads through the variance: which term is it?
variance_path_of_the_plain_sum:
        third = n / (n - 1) * bnraw * dhpreact.sum(0, keepdim=True)
        bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    The path through the variance adds up the upstream gradient alone. But how strongly an output reacts to the variance
    depends on its own distance from the mean.
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
n_of_the_other_net:
        third = N / (N - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
        bngain * bnvar_inv / N * (N * dhpreact - dhpreact.sum(0, keepdim=True) - third)
    You use the number of examples of the other network, the one with `h`. This one has `n` of them: the two are not the
    same.

# the biased form
[dh]
unbiased_throughout:
        inverse = (h.var(0) + 1e-5) ** -0.5
        raw = (h - h_mean) * inverse
        gamma * inverse / N * (N * dh_bn - dh_bn.sum(0) - N / (N - 1) * raw * (dh_bn * raw).sum(0))
    This is the whole gradient of the other batch norm, the one whose variance is divided by N - 1. Here it is divided
    by N, in the forward pass and so in the backward pass.
statistics_constant_without_eps: gamma * dh_bn / h_var.sqrt()
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from `h`
    too, so two more paths lead through them.
variance_path_of_the_plain_sum:
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - h_norm * dh_bn.sum(0))
    The path through the variance adds up the upstream gradient alone. But how strongly an output reacts to the variance
    depends on its own distance from the mean.
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
eps_outside_the_root:
        gamma / (N * (h_var.sqrt() + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    The 1e-5 is added after the root here; the forward pass adds it to the variance, under the root.
variance_for_deviation: gamma / (N * (h_var + 1e-5)) * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    This divides by the variance. The forward pass divides by its root: check the square root, or the exponent.
no_deviation: gamma / N * (N * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    `dh` is not divided by the standard deviation: the three paths are there, but all of them pass the division that
    makes `h_norm`.
variance_term_without_own_share:
        gamma / (N * (h_var + 1e-5).sqrt()) * (N * dh_bn - dh_bn.sum(0) - (dh_bn * h_norm).sum(0))
    The path through the variance is the same for every example here. How strongly an example moves the variance depends
    on its own distance from the mean.
n_of_the_other_net: gamma / (n * (h_var + 1e-5).sqrt()) * (n * dh_bn - dh_bn.sum(0) - h_norm * (dh_bn * h_norm).sum(0))
    You use the number of examples of the other network, the one with `hprebn`. This one has `N` of them: the two are
    not the same.

# by its parts

[dvar]
mean_not_subtracted: (dxhat * x * -0.5 * (var + 1e-5) ** -1.5).sum(0)
    You use `x` itself. The forward line divides its distance from the mean, `x - mean`.
divided_twice: (dxhat * xhat * -0.5 * (var + 1e-5) ** -1.5).sum(0)
    The result is divided by the root four times, once too often. Remember that `xhat` is divided by it already, and
    count again.

[dmean]
no_deviation: -dxhat.sum(0)
    `dmean` is not divided by the root. The mean is subtracted before the division, so its path leads through that
    division.
variance_for_deviation: -dxhat.sum(0) / (var + 1e-5)
    This divides by the variance. The forward line divides by its root.

[dx]
mean_not_subtracted: n = x.shape[0]; dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * x / n + dmean / n
    You use `x` itself. The variance averages the squares of *distances* from the mean.
statistics_constant_without_eps: dxhat / torch.sqrt(var)
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from
    `x`, too.
n_of_the_other_net: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / n + dmean / n
    You use the number of examples of the first network, the one with `hprebn`. This one has `x.shape[0]` of them.
n_of_the_second_net: dxhat / torch.sqrt(var + 1e-5) + dvar * 2 * (x - mean) / N + dmean / N
    You use the number of examples of the second network, the one with `h`. This one has `x.shape[0]` of them.

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
    The layer divides by the root of the bare variance, without `eps`. What happens where a unit hardly varies?
layer_eps_outside_the_root: self.inverse = 1 / (var**0.5 + self.eps)
    `eps` is added to the standard deviation, after the root. It should be added to the variance, under the root.
layer_eps_written_in: self.inverse = (var + 1e-5) ** -0.5
    The layer computes with 1e-5, whatever `eps` it gets. Use the `eps` that `__init__` received.

- return self.gamma * self.xhat + self.beta
layer_beta_forgotten: return self.gamma * self.xhat
    The output does not depend on `beta`. That shows only once beta is no longer zero.
layer_gamma_forgotten: return self.xhat + self.beta
    The output does not depend on `gamma`. That shows only once gamma is no longer one.

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
bessel_upside_down: self.momentum * var * (n - 1) / n
    `running_var` takes the batch's variance times (n - 1)/n. It should be the unbiased one: which is larger?
running_variance_biased: self.momentum * var
    `running_var` remembers the variance divided by n. It should remember the unbiased one, divided by n - 1: a batch is
    only a sample of the data.

- kept = 1 - self.momentum
- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
momentum_turned_round:
        self.running_mean = self.momentum * self.running_mean + (1 - self.momentum) * mean
        self.running_var = self.momentum * self.running_var + (1 - self.momentum) * var * n / (n - 1)
    In the running statistics the two factors have changed places. `momentum` is the share of the new batch, and the
    rest is kept.
momentum_written_in:
        self.running_mean = 0.9 * self.running_mean + 0.1 * mean
        self.running_var = 0.9 * self.running_var + 0.1 * var * n / (n - 1)
    The running statistics move with 0.1, whatever `momentum` the layer gets. Use the `momentum` that `__init__`
    received.

- self.running_mean = kept * self.running_mean + self.momentum * mean
- self.running_var = kept * self.running_var + self.momentum * var * n / (n - 1)
running_statistics_not_moved: self.kept = kept
    The running statistics stay zeros and ones, however many batches there are. `forward` should move them in training.

- self.momentum * var * n / (n - 1)
running_standard_deviation: self.momentum * (var * n / (n - 1)) ** 0.5
    `running_var` remembers standard deviations. It should remember variances: no root before they are averaged.

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
    Evaluation changes the running statistics. They should move in training only: otherwise the layer learns from what
    it is tested on.
evaluation_moves_the_statistics_first:
        kept = 1 - self.momentum
        self.running_mean = kept * self.running_mean + self.momentum * x.mean(0)
        self.running_var = kept * self.running_var + self.momentum * x.var(0)
        mean, var = self.running_mean, self.running_var
    Evaluation changes the running statistics. They should move in training only: otherwise the layer learns from what
    it is tested on.
evaluation_takes_the_running_mean_only: mean, var = self.running_mean, x.var(0, unbiased=False)
    In evaluation the mean is the running one, but the variance is still the batch's. Both should be the running ones.

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
    In `dx` nothing comes through the mean. But each input moves the mean of its column, and with it the column.
layer_no_variance_path: dxhat - by_mean
    In `dx` nothing comes through the variance. But each input moves the spread of its column.

- (dxhat * self.xhat).sum(0) / n
layer_bessel_in_backward: (dxhat * self.xhat).sum(0) / (n - 1)
    The path through the variance is divided by n - 1 in `backward`. The layer normalises by the variance divided by n.

- by_mean = dxhat.sum(0) / n
- by_variance = self.xhat * (dxhat * self.xhat).sum(0) / n
layer_sums_not_divided:
        by_mean = dxhat.sum(0)
        by_variance = self.xhat * (dxhat * self.xhat).sum(0)
    The sums over the batch in `dx` lack their 1/n: mean and variance are averages.

- dxhat = dout * self.gamma
layer_gamma_forgotten_in_backward: dxhat = dout
    `dx` does not depend on `gamma`: `dout` is the gradient after the gain. That shows only once gamma is no longer one.

- return dxhat * self.inverse, dgamma, dbeta
layer_eps_written_in_backward:
        return dxhat / (self.inverse**-2 - self.eps + 1e-5) ** 0.5, dgamma, dbeta
    `backward` computes with 1e-5, whatever `eps` the layer gets. Use the `eps` that `__init__` received.
layer_deviation_forgotten_in_backward: return dxhat, dgamma, dbeta
    `dx` lacks the division by the standard deviation: every path passes it.

- dgamma = (dout * self.xhat).sum(0)
layer_dgamma_without_xhat: dgamma = dout.sum(0)
    `dgamma` is the sum of `dout` alone, which is `dbeta`. What is gamma multiplied by?
""")
