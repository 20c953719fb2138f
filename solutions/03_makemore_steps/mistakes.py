"""Known wrong answers of lesson 03, each with the message that its author gets.

Most of them occur in public solutions of the lecture's exercise. A message says what the formula computes and what to
check.
"""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dlogprobs]
no_one_over_n: gradient = torch.zeros_like(logprobs); gradient[range(n), Yb] = -1.0; gradient
    This is the gradient of a sum over the examples. The loss is a mean: how much does one of n numbers move it?
plus_one_over_n: gradient = torch.zeros_like(logprobs); gradient[range(n), Yb] = 1.0 / n; gradient
    The sign is flipped. Read the forward line from the left: what comes before `logprobs`? A better log-probability
    should lower the loss.
dense: torch.full_like(logprobs, -1.0 / n)
    Every element gets the same gradient here, yet the loss reads only one element of each row. What is the gradient of
    something that is never read?
every_label_in_every_row: gradient = torch.zeros_like(logprobs); gradient[:, Yb] = -1.0 / n; gradient
    In every row, you set the places of all examples' true classes. The forward line pairs row i with `Yb[i]`: index
    rows and columns together.
over_all_elements: gradient = torch.zeros_like(logprobs); gradient[range(n), Yb] = -1.0 / logprobs.numel(); gradient
    You divide by the number of all elements of `logprobs`. The mean is taken after the indexing: how many numbers are
    left by then?
times_logprobs: gradient = torch.zeros_like(logprobs); gradient[range(n), Yb] = -logprobs[range(n), Yb] / n; gradient
    You put the log-probabilities themselves into the gradient. The loss is linear in them: does its slope depend on
    their values?

[dprobs]
upstream_forgotten: 1 / probs
    This is the local derivative of the logarithm alone. The chain rule multiplies it by what comes from above: where is
    `dlogprobs`?
times_probs: dlogprobs * probs
    You multiply where the derivative of a logarithm divides. A useful picture: should an unlikely true class get a
    small gradient or a large one?
log_forgotten: dlogprobs
    The upstream gradient goes through unchanged, as if the logarithm were not there. What is its slope at `probs`?
over_logprobs: dlogprobs / logprobs
    You divide by the logarithm's output. Its derivative is a function of what goes in: which of the two tensors is
    that?
over_probs_squared: dlogprobs / probs**2
    Dividing by the square is the derivative of 1/x (apart from its sign), not of the logarithm.

[dcounts_sum_inv]
no_sum: counts * dprobs
    Right before the last step: one number of `counts_sum_inv` was copied along its whole row, and each copy brings a
    contribution back. How do the contributions of copies combine?
no_keepdim: (counts * dprobs).sum(1)
    The numbers are right, the shape is not: `counts_sum_inv` is a column. A flat vector times a column silently becomes
    a square matrix in the next product. See what `keepdim` does.
counts_summed_first: counts.sum(1, keepdim=True) * dprobs
    You sum `counts` on its own and multiply afterwards. A sum of products is not a product with a sum: multiply element
    by element first, then add up.
product_of_sums: counts.sum(1, keepdim=True) * dprobs.sum(1, keepdim=True)
    You sum the two factors separately and multiply the sums. Each copy's contribution is a product of its own; add up
    after multiplying.
wrong_axis: (counts * dprobs).sum(0, keepdim=True)
    You add up along the batch. `counts_sum_inv` was copied along the other axis: compare its shape with that of
    `counts`.
mean: (counts * dprobs).mean(1, keepdim=True)
    You average the contributions of the copies. Every copy counts in full: raising the one number raises all of them.
other_factor_forgotten: dprobs.sum(1, keepdim=True)
    The other factor of the product is lost: the derivative of a * b with respect to a is b. What was `counts_sum_inv`
    multiplied by?

[dcounts_sum]
sign: counts_sum**-2 * dcounts_sum_inv
    The size is right, the sign is not. A power brings its exponent down in front: which sign has this one? (When a
    number grows, its inverse shrinks.)
exponent_kept: -(counts_sum**-1) * dcounts_sum_inv
    The exponent in front is right, but the exponent itself has to go down by one: from -1, that is away from zero.
logarithms_rule: dcounts_sum_inv / counts_sum
    1/x is what the logarithm's derivative looks like. Here x is raised to a power: use the power rule, both for the
    factor in front and for the new exponent.
exponent_up: -dcounts_sum_inv
    The exponent went up by one instead of down: a power -1 turned into a power 0, and `counts_sum` disappeared.
upstream_forgotten: -(counts_sum**-2)
    This is the local derivative alone. The chain rule multiplies it by the gradient that comes from above.

[dcounts]
only_through_probs: counts_sum_inv * dprobs
    This is the path through `probs`. `counts` is read in a second line of the forward pass; look for it, and add what
    comes back from there.
only_through_the_sum: dcounts_sum * torch.ones_like(counts)
    This is the path through the row sum. `counts` is also a factor of `probs`: add what comes back from there.
sum_times_counts: counts_sum_inv * dprobs + counts * dcounts_sum
    The path through the row sum has a factor too many: how much does a sum grow when one of its terms grows by one?
second_path_subtracted: counts_sum_inv * dprobs - dcounts_sum
    You subtract the second path. The contributions of all paths add up; a minus sign, where there is one, already sits
    inside the contribution.
sum_shared_out: counts_sum_inv * dprobs + dcounts_sum / counts.shape[1]
    You share the sum's gradient out among the elements of the row. A sum passes it to each of its terms in full; only a
    mean divides.
sum_for_its_inverse: counts_sum * dprobs + dcounts_sum
    On the path through `probs`, `counts` is multiplied by `counts_sum_inv`, not by `counts_sum`. Take the factor from
    the forward line.
other_factor_forgotten: dprobs + dcounts_sum
    On the path through `probs` the other factor is missing: the derivative of a * b with respect to a is b.

[dnorm_logits]
exp_forgotten: dcounts
    The upstream gradient goes through unchanged, as if the exponential were not there. What is its slope, and which
    tensor holds that already?
norm_logits_for_counts: norm_logits * dcounts
    You multiply by the input of the exponential. Its derivative is the exponential itself: the forward pass has
    computed it already.
upstream_forgotten: counts
    This is the local derivative alone; multiply it by the gradient that comes from above.
exp_of_counts: counts.exp() * dcounts
    You take the exponential of `counts`, which is an exponential already. At which point is the derivative to be taken?
power_rule: norm_logits * (norm_logits - 1).exp() * dcounts
    The rule for powers, where x is the base and the exponent comes down, does not hold here: x is the exponent. What is
    the derivative of e to the x?
over_counts: dcounts / counts
    You divide by `counts`: that would be the backward pass of a logarithm. This is an exponential.

[dlogit_maxes]
zeros: torch.zeros_like(logit_maxes)
    In the whole network this gradient is zero, up to rounding, since shifting a row does not change its softmax. But
    this function has to work for any upstream gradient: compute it from `dnorm_logits`.
mean: -dnorm_logits.mean(1, keepdim=True)
    You average along the row. The row's maximum was subtracted from each element, so each brings its contribution back
    in full.
sign: dnorm_logits.sum(1, keepdim=True)
    The sign is flipped: what happens to `norm_logits` when the maximum, which is subtracted, grows?
no_keepdim: -dnorm_logits.sum(1)
    The numbers are right, the shape is not: `logit_maxes` is a column. Check what `keepdim` does to a sum.
no_sum: -dnorm_logits
    One number per row was copied along that row. You have the contribution of each copy, but you still have to combine
    them into one number per row.
times_logit_maxes: (-dnorm_logits * logit_maxes).sum(1, keepdim=True)
    There is a factor `logit_maxes` too many. The forward line subtracts it: does the slope of a difference depend on
    how large the terms are?
wrong_axis: -dnorm_logits.sum(0, keepdim=True)
    You add up along the batch. Each row has a maximum of its own, copied along that row: which axis is that?

[dlogits]
no_max_branch: dnorm_logits
    You have the path through `norm_logits`. `logits` is read in one more line, where the row maximum is taken: its
    gradient is close to zero in the whole network, but it is a path.
max_to_every_column: dnorm_logits + dlogit_maxes
    The maximum's gradient goes to every column here. A maximum takes one element of the row and ignores the others: who
    should get the gradient?
max_at_true_class: gradient = dnorm_logits.clone(); gradient[range(n), Yb] += dlogit_maxes.view(-1); gradient
    You send the maximum's gradient to the true class. The true class need not have the largest logit: whose position
    does a maximum remember?
max_subtracted: dnorm_logits - F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes
    You subtract the maximum's path. The minus of `logits - logit_maxes` is inside `dlogit_maxes` already; paths add up.
only_the_max_branch: F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes
    This is the maximum's path alone. Most of the gradient comes through `norm_logits`, where `logits` appears
    unchanged: add that.
max_replaces:
        gradient = dnorm_logits.clone(); gradient[range(n), logits.max(1).indices] = dlogit_maxes.view(-1); gradient
    At the row's maximum you put the second path in place of the first. An element with two paths gets both: `=` forgets
    what `+=` keeps.
max_times_logits: dnorm_logits + F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes * logits
    You scale the maximum's path by the logits. A maximum hands its winner's value on unchanged: what is its slope
    there?
changes_dnorm_logits:
        gradient = dnorm_logits; gradient += F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes; gradient
    The numbers are right, but your `dlogits` and `dnorm_logits` are the same tensor, because `b = a` copies nothing. So
    `+=` changed `dnorm_logits`, too, which was right: below this line a `cmp` is no longer exact. Begin with a copy.

[dh]
transposed: W2 @ dlogits.T
    This is the transpose of the gradient: (hidden, batch). Write down the shapes of the two factors and find the order
    whose product has the shape of `h`.
tanh_included: (dlogits @ W2.T) * (1 - h**2)
    You already go through the tanh here. That is the next step: `h` is its output, and this gradient is with respect to
    `h`.
over_n: dlogits @ W2.T / n
    There is one division by n too many. The mean over the batch was taken into account at the loss, and is already in
    `dlogits`.
dnorm_logits_for_dlogits: dnorm_logits @ W2.T
    You use `dnorm_logits`. The product `h @ W2` ends in `logits`, so its upstream gradient is the one of `logits`, with
    all its paths.
sums_multiplied: dlogits.sum(1, keepdim=True) * W2.sum(1)
    You sum both factors over the classes before you multiply. The products over the classes are what a matrix product
    multiplies first and sums afterwards.

[dW2]
transposed: dlogits.T @ h
    This is the transpose of the gradient: (vocabulary, hidden). A gradient has the shape of its own tensor: which
    factor has to come first?
over_n: h.T @ dlogits / n
    There is one division by n too many: the mean over the batch is already in `dlogits`. The matrix product sums over
    the examples, and a sum is right.
before_the_activation: hpreact.T @ dlogits
    You take the value before the tanh. Look at the forward line: which tensor is multiplied by `W2`?
dnorm_logits_for_dlogits: h.T @ dnorm_logits
    You use `dnorm_logits`. `W2` acts on `logits`, so its upstream gradient is the one of `logits`, with all its paths.
slope_for_value: (1 - h**2).T @ dlogits
    You put the tanh's slope where its value belongs: 1 - h**2 is needed on the way down to `hpreact`, but `W2` is
    multiplied by `h` itself.

[db2]
keepdim: dlogits.sum(0, keepdim=True)
    The numbers are right, the shape is not: `b2` is a vector, and your gradient is a matrix with one row. Leave out
    what keeps the dimension.
mean: dlogits.mean(0)
    You average over the batch. The bias was copied into every row, and every copy's contribution counts in full; the
    1/n of the loss is already in `dlogits`.
no_sum: dlogits
    Each row's contribution is here, but `b2` is one vector for the whole batch: combine them.
wrong_axis: dlogits.sum(1)
    You add up over the classes, which gives one number for each example. `b2` has one number for each class.
summed_too_much: dlogits.sum()
    You add up everything into one number. `b2` has one number for each class, and each gets the sum of its own column.

[dhpreact]
of_hpreact: (1 - hpreact**2) * dh
    You put tanh's input into the formula that wants its output. Which of `hpreact` and `h` is tanh(x) already?
tanh_twice: (1 - torch.tanh(h) ** 2) * dh
    You apply tanh to `h`, which is tanh of something already: one tanh too many in the slope.
sigmoids_slope: h * (1 - h) * dh
    h (1 - h) is the slope of the sigmoid. The activation here is tanh: derive its slope, or look it up, in terms of its
    output.
upstream_forgotten: 1 - h**2
    This is tanh's slope alone. The chain rule multiplies it by the gradient that comes from above.
square_forgotten: (1 - h) * dh
    A square is missing in the slope. Try h = -1: a closed gate must let nothing through, at either end.
square_misplaced: (1 - h) ** 2 * dh
    The square is around the wrong thing. Try h = -1: a closed gate must let nothing through, at either end.
tanh_forgotten: dh
    The upstream gradient goes through unchanged, as if the tanh were not there. How steep is tanh where h is close to
    1?

[dbngain]
no_sum: bnraw * dhpreact
    One gain for each neuron was copied to every example. Each example's contribution is here; combine them into one
    row.
bndiff_for_bnraw: (bndiff * dhpreact).sum(0, keepdim=True)
    The gain is not multiplied by `bndiff`, which is centred only, but by what is centred and scaled. Look at the
    forward line again.
hpreact_for_bnraw: (hpreact * dhpreact).sum(0, keepdim=True)
    You multiply by the line's result. The derivative of a * b + c with respect to a is b: which tensor is that here?
no_keepdim: (bnraw * dhpreact).sum(0)
    The numbers are right, the shape is not: `bngain` is a matrix with one row. Check what `keepdim` does to a sum.
mean: (bnraw * dhpreact).mean(0, keepdim=True)
    You average over the batch. The gain was copied to every example, and every copy's contribution counts in full.
wrong_axis: (bnraw * dhpreact).sum(1, keepdim=True)
    You add up over the neurons, which gives one number for each example. There is one gain for each neuron.
other_factor_forgotten: dhpreact.sum(0, keepdim=True)
    This is what an added term gets. The gain multiplies: what is the derivative of a product with respect to one
    factor?

[dbnbias]
no_sum: dhpreact
    Each example's contribution is here, but there is one bias for each neuron and the whole batch: combine them.
mean: dhpreact.mean(0, keepdim=True)
    You average over the batch. The bias was copied to every example, and every copy's contribution counts in full.
no_keepdim: dhpreact.sum(0)
    The numbers are right, the shape is not: `bnbias` is a matrix with one row. Check what `keepdim` does to a sum.
wrong_axis: dhpreact.sum(1, keepdim=True)
    You add up over the neurons, which gives one number for each example. There is one bias for each neuron.
times_bnraw: (bnraw * dhpreact).sum(0, keepdim=True)
    There is a factor `bnraw`, which belongs to the gain. The bias is only added: what is its local derivative?
times_itself: (bnbias * dhpreact).sum(0, keepdim=True)
    There is a factor `bnbias` too many. An added term's slope does not depend on how large the term is.

[dbnraw]
gain_forgotten: dhpreact
    The upstream gradient goes through unchanged. `bnraw` is multiplied by something in the forward line; that something
    is its local derivative.
over_the_gain: dhpreact / bngain
    You divide by the gain, as if to undo the forward pass. Going back does not invert an operation, it multiplies by
    its slope.
summed: (bngain * dhpreact).sum(0, keepdim=True)
    You add up over the batch, but `bnraw` has its own number for every example: it was not copied by anything.
bias_added: bngain * dhpreact + bnbias
    The bias has no place in this gradient: adding a constant shifts `hpreact`, and leaves its slope as it is.
one_step_too_far: bngain * bnvar_inv * dhpreact
    You already multiply by `bnvar_inv`: that is the next step, from `bnraw` to `bndiff`. This gradient is with respect
    to `bnraw`.

[dbnvar_inv]
no_sum: bndiff * dbnraw
    One number for each neuron was copied to every example. Each example's contribution is here; combine them into one
    row.
two_nodes_in_one: -0.5 * (bnvar + 1e-5) ** -1.5 * (bndiff * dbnraw).sum(0, keepdim=True)
    You went two nodes at once: this is the gradient of `bnvar`. First only through the product, to `bnvar_inv`; the
    power comes in the next function.
no_keepdim: (bndiff * dbnraw).sum(0)
    The numbers are right, the shape is not: `bnvar_inv` is a matrix with one row. Check what `keepdim` does to a sum.
mean: (bndiff * dbnraw).mean(0, keepdim=True)
    You average over the batch. `bnvar_inv` was copied to every example, and every copy's contribution counts in full.
bnraw_for_bndiff: (bnraw * dbnraw).sum(0, keepdim=True)
    You multiply by the product itself. The derivative of a * b with respect to b is a: which tensor was `bnvar_inv`
    multiplied by?
wrong_axis: (bndiff * dbnraw).sum(1, keepdim=True)
    You add up over the neurons, which gives one number for each example. `bnvar_inv` has one number for each neuron.
hprebn_for_bndiff: (hprebn * dbnraw).sum(0, keepdim=True)
    You take the values before the mean was subtracted. Which tensor does the forward line multiply by `bnvar_inv`?

[dbnvar]
exponent_kept: -0.5 * (bnvar + 1e-5) ** -0.5 * dbnvar_inv
    The factor in front is right, but the exponent did not change. A power's derivative has an exponent lower by one:
    start from -0.5 and subtract.
exponent_up: -0.5 * (bnvar + 1e-5) ** 0.5 * dbnvar_inv
    The exponent went up by one instead of down. A power's derivative has an exponent lower by one: start from -0.5 and
    subtract.
half_lost: -((bnvar + 1e-5) ** -1.5) * dbnvar_inv
    The new exponent is right, and the old one should stand in front as a factor: you have its sign, but not its size.
sign: 0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    The size is right, the sign is not: the exponent that comes down in front is negative. (A larger variance makes its
    inverse root smaller.)
eps_forgotten: -0.5 * bnvar**-1.5 * dbnvar_inv
    The small number that is added to the variance is lost. The derivative has to be taken at the same place as the
    forward value: compare the brackets.
upstream_forgotten: -0.5 * (bnvar + 1e-5) ** -1.5
    This is the local derivative alone. The chain rule multiplies it by the gradient that comes from above.
too_low_a_power_of_the_inverse: -0.5 * bnvar_inv**2 * dbnvar_inv
    In terms of `bnvar_inv` the idea is good, but its power is too low: write (bnvar + 1e-5) to the new exponent as a
    power of `bnvar_inv`, and count again.

[dbndiff2]
one_over_n: torch.ones_like(bndiff2) * dbnvar / n
    You divide by n. The lesson's forward pass divides the sum of squares by something else (Bessel's correction): use
    the same number.
not_broadcast: dbnvar / (n - 1)
    The numbers are right, once: `bndiff2` has a row for every example, and each row's elements went into the sum. What
    does a sum over the batch become on the way back?
factor_forgotten: torch.ones_like(bndiff2) * dbnvar
    The gradient is copied to every example, but the number that multiplies the sum in the forward line is lost.
factor_inverted: torch.ones_like(bndiff2) * dbnvar * (n - 1)
    You multiply by n - 1 where the forward pass divides. Going back does not invert an operation: a factor stays the
    same factor.
times_itself: bndiff2 * dbnvar / (n - 1)
    There is a factor `bndiff2` too many: a sum grows by one when any of its terms grows by one, however large the term
    is.

[dbndiff]
only_through_bnraw: bnvar_inv * dbnraw
    You have the path through `bnraw`. `bndiff` is read in one more line, on the way to the variance: add what comes
    back from there.
only_through_bndiff2: 2 * bndiff * dbndiff2
    You have the path through the variance. `bndiff` is also scaled to become `bnraw`: add what comes back from there.
two_lost: bnvar_inv * dbnraw + bndiff * dbndiff2
    On the path through the square, the factor that the exponent leaves in front is lost.
square_not_differentiated: bnvar_inv * dbnraw + bndiff2 * dbndiff2
    On the path through the square you multiply by the square. The derivative of x**2 is not x**2: bring the exponent
    down and lower it.
second_path_subtracted: bnvar_inv * dbnraw - 2 * bndiff * dbndiff2
    You subtract the second path. The contributions of all paths add up; a minus sign, where there is one, already sits
    inside the contribution.
other_factor_forgotten: dbnraw + 2 * bndiff * dbndiff2
    On the path through `bnraw` the other factor is missing: what does the forward line multiply `bndiff` by?
variance_for_its_inverse_root: bnvar * dbnraw + 2 * bndiff * dbndiff2
    On the path through `bnraw` you multiply by the variance. Look at the forward line: `bndiff` meets its inverse root
    there.

[dbnmeani]
sign: dbndiff.sum(0, keepdim=True)
    The sign is flipped: the mean is subtracted. What happens to every `bndiff` when the mean grows?
no_keepdim: -dbndiff.sum(0)
    The numbers are right, the shape is not: `bnmeani` is a matrix with one row. Comparing them by `allclose` hides
    this, since the two broadcast: check what `keepdim` does to a sum.
mean: -dbndiff.mean(0, keepdim=True)
    You average over the batch. The mean is computed in another line; in this one it is subtracted from every example,
    and each brings its contribution back in full.
no_sum: -dbndiff
    One mean for each neuron was subtracted from every example. Each example's contribution is here; combine them into
    one row.
wrong_axis: -dbndiff.sum(1, keepdim=True)
    You add up over the neurons, which gives one number for each example. There is one mean for each neuron.

[dhprebn]
no_mean_branch: dbndiff
    You have the path through `bndiff`. `hprebn` also decides the mean that is subtracted: add what comes back through
    `bnmeani`.
no_one_over_n: dbndiff + dbnmeani
    On the path through the mean, each element gets the mean's whole gradient. How much does a mean move when one of its
    n terms moves by one?
one_over_n_minus_one: dbndiff + dbnmeani / max(n - 1, 1)
    You divide the mean's path by n - 1. Bessel's correction belongs to the variance; look at how the mean is computed.
sign: dbndiff - dbnmeani / n
    You subtract the path through the mean. The minus of `hprebn - bnmeani` is inside `dbnmeani` already; paths add up.
only_the_mean_branch: torch.ones_like(hprebn) * dbnmeani / n
    This is the path through the mean alone. `hprebn` also appears unchanged in `bndiff`: add that.
changes_dbndiff: gradient = dbndiff; gradient += dbnmeani / n; gradient
    The numbers are right, but your `dhprebn` and `dbndiff` are the same tensor, because `b = a` copies nothing. So `+=`
    changed `dbndiff`, too. Begin with a copy.

[dembcat]
transposed: W1 @ dhprebn.T
    This is the transpose of the gradient. Write down the shapes of the two factors and find the order whose product has
    the shape of `embcat`.
batch_norm_skipped: dhpreact @ W1.T
    You jump over the whole batch norm: `embcat @ W1` ends in `hprebn`, so its upstream gradient is the one of `hprebn`.
over_n: dhprebn @ W1.T / n
    There is one division by n too many: the loss's mean over the batch has been in every gradient since `dlogprobs`.
dbndiff_for_dhprebn: dbndiff @ W1.T
    You use `dbndiff`, which lacks the path through the batch's mean. The upstream gradient of this line is the one of
    `hprebn`.
sums_multiplied: dhprebn.sum(1, keepdim=True) * W1.sum(1)
    You sum both factors over the neurons before you multiply. The products over the neurons are what a matrix product
    multiplies first and sums afterwards.

[dW1]
transposed: dhprebn.T @ embcat
    This is the transpose of the gradient. A gradient has the shape of its own tensor: which factor has to come first?
over_n: embcat.T @ dhprebn / n
    There is one division by n too many: the loss's mean over the batch is already inside `dhprebn`. The matrix product
    sums over the examples, and a sum is right.
batch_norm_skipped: embcat.T @ dhpreact
    You jump over the whole batch norm: `embcat @ W1` ends in `hprebn`, so its upstream gradient is the one of `hprebn`.
dbndiff_for_dhprebn: embcat.T @ dbndiff
    You use `dbndiff`, which lacks the path through the batch's mean. The upstream gradient of this line is the one of
    `hprebn`.

[db1]
zeros: torch.zeros_like(b1)
    In the whole network this gradient is zero, up to rounding, since batch norm removes whatever a bias adds. But this
    function has to work for any upstream gradient: compute it from `dhprebn`.
mean: dhprebn.mean(0)
    You average over the batch. The bias was copied into every row, and every copy's contribution counts in full.
no_sum: dhprebn
    Each row's contribution is here, but `b1` is one vector for the whole batch: combine them.
keepdim: dhprebn.sum(0, keepdim=True)
    The numbers are right, the shape is not: `b1` is a vector, and your gradient is a matrix with one row. Leave out
    what keeps the dimension.
wrong_axis: dhprebn.sum(1)
    You add up over the neurons, which gives one number for each example. `b1` has one number for each neuron.
batch_norm_skipped: dhpreact.sum(0)
    You jump over the whole batch norm: `b1` is added into `hprebn`, so its upstream gradient is the one of `hprebn`.

[demb]
not_reshaped: dembcat
    The numbers are right, the shape is not yet that of `emb`: undo what the forward line did to the shape.
features_before_places: batch, block, embedding = emb.shape; dembcat.view(batch, embedding, block).transpose(1, 2)
    The shape is right, but the numbers are in another order: you split each row into embedding features first and
    places second. In which order did the forward `view` lay them side by side?
places_before_examples: batch, block, embedding = emb.shape; dembcat.view(block, batch, embedding).transpose(0, 1)
    The shape is right, but the numbers are in another order: examples and places are mixed up. A row of `dembcat`
    belongs to one example.
times_itself: dembcat.view(emb.shape) * emb
    There is a factor `emb` too many. Looking at the same numbers in another shape multiplies them by nothing.

[dC]
duplicates_lost: gradient = torch.zeros_like(C); gradient[Xb] += demb; gradient
    A token that occurs several times keeps one of its contributions only: with `+=` as with `=`, `dC[Xb]` on the left
    writes each row once. Contributions of the same row have to be accumulated.
mean_per_token:
        gradient = torch.zeros_like(C).index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
        occurrences = torch.bincount(Xb.view(-1), minlength=C.shape[0]).clamp(min=1)
        gradient / occurrences.view(-1, 1)
    You average over a token's occurrences. A row that is used more often moves the loss more: its contributions add up.
starts_from_C: C.clone().index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    You add the gradient to the embeddings themselves. A gradient starts from zero and collects the contributions.
first_place_only: torch.zeros_like(C).index_add_(0, Xb[:, 0], demb[:, 0])
    Only the first place of every context comes back. A context has several places, and each of them looked up a row.
whole_context_to_each_token:
        gradient = torch.zeros_like(C)
        for place in range(Xb.shape[1]):
            gradient.index_add_(0, Xb[:, place], demb.sum(1))
        gradient
    Each token gets the sum over its whole context. A place's gradient belongs to the token at that place only: pair
    `demb[i, j]` with `Xb[i, j]`.
""")
