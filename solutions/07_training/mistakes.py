"""Known mistakes of lesson 07, each with the message that its author gets.

Most are edits of the solution. A wrong line in `gradients` also makes the gradients below it and the runs of `train`
wrong. They get the same message. (`db1` is the exception: it is zero, and it stays zero after many wrong lines.)
"""

from functools import partial

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake, mistake_list

MISTAKES_1 = mistake_list("""
[learning_rate]
- return 0.1 if step < max_steps / 2 else 0.01
never_lowered: return 0.1
    The learning rate is 0.1 to the end. In the second half of the run it should be 0.01.
one_step_late: return 0.1 if step <= max_steps / 2 else 0.01
    The learning rate falls one step late. Steps are counted from 0: of 10 steps, 0 to 4 are the first half.
one_step_early: return 0.1 if step + 1 < max_steps / 2 else 0.01
    The learning rate falls one step early. Steps are counted from 0: of 10 steps, 0 to 4 are the first half.
the_lecture_s_half: return 0.1 if step < 100_000 else 0.01
    The learning rate falls at step 100,000 in every run. That is half of the lecture's; take half of `max_steps`.
halves_swapped: return 0.01 if step < max_steps / 2 else 0.1
    The two rates have changed places. Large steps come first, small ones at the end.
one_zero_too_many: return 0.1 if step < max_steps / 2 else 0.001
    The second rate is 0.001. It should be 0.01.

[update]
- parameter -= learning_rate * gradient
ascent: parameter += learning_rate * gradient
    The parameters walk uphill: the gradient points to where the loss grows. Check the sign of the step.
nothing_changes: parameter = parameter - learning_rate * gradient
    The parameters are as they were. An operation such as `p - ...` makes a new tensor: giving it the name `p`, or
    returning it, does not change the list's tensors. Change those in place, as `p -= ...` does.
rate_ignored: parameter -= gradient
    The step is the whole gradient: the learning rate is not in it.
rate_written_in: parameter -= 0.1 * gradient
    The step is 0.1 times the gradient, whatever `learning_rate` is. Take the one that is given.
step_for_parameter: parameter.copy_(-learning_rate * gradient)
    The parameters *are* the step now: `=` where `+=` belongs. What they had learnt is gone.
first_one_only:
        parameter -= learning_rate * gradient
        return
    Only the first parameter is changed. Is there a `return` or a `break` inside the loop?

- for parameter, gradient in zip(parameters, gradients, strict=True):
gain_and_bias_swapped:
        for parameter, gradient in zip(parameters, [*gradients[:-2], gradients[-1], gradients[-2]], strict=True):
    The gain is moved by the bias's gradient, and the bias by the gain's. `gradients` has the same order as
    `parameters`.

[train]
- update(parameters, slopes, learning_rate(step, max_steps))
- losses.append(loss.item())
accumulated:
        total = slopes if not losses else [a + b for a, b in zip(total, slopes)]
        update(parameters, total, learning_rate(step, max_steps))
        losses.append(loss.item())
    The gradients of all steps so far are added up, and each step walks along the sum. That is what autograd does when
    `p.grad = None` is forgotten; each of your steps should start afresh.

- update(parameters, slopes, learning_rate(step, max_steps))
ix_shadowed:
        for step in range(len(ix)):
            pass
        update(parameters, slopes, learning_rate(step, max_steps))
    An inner loop, such as the one over the examples for `dC`, uses a name of the training loop again (`i`, or `ix`).
    Afterwards the name means something else: here `learning_rate` got the number of an example. Give inner loops names
    of their own.

- for step, ix in enumerate(batches, start):
start_ignored: for step, ix in enumerate(batches):
    The steps are counted from 0 in each piece of the run, so the second piece begins with the learning rate of the
    first step. `start` says how many steps there were before.

- update(parameters, slopes, learning_rate(step, max_steps))
rate_of_the_piece: update(parameters, slopes, learning_rate(step - start, len(batches)))
    The learning rate falls in the middle of `batches`. That may be a piece of the run only: ask with the number of the
    step in the whole run, and with `max_steps`.

- update(parameters, slopes, learning_rate(step, max_steps))
rate_of_the_first_step: update(parameters, slopes, learning_rate(start, max_steps))
    Every step takes the learning rate of the first one. Is the step's number raised inside of the loop?

- loss, slopes = gradients(parameters, X[ix], Y[ix])
whole_set: loss, slopes = gradients(parameters, X, Y)
    Each step looks at all examples. `batches` says which of them belong to it: `X[ix]` and `Y[ix]`.

- for step, ix in enumerate(batches, start):
one_batch_for_ever:
        batches = list(batches)
        for step, ix in enumerate([batches[0]] * len(batches), start):
    Every step uses the first batch. Each has its own entry of `batches`.

- losses.append(loss.item())
losses_after_the_update: losses.append(gradients(parameters, X[ix], Y[ix])[0].item())
    The parameters are right, but each loss is noted after its step: it has been computed a second time. Note the one
    that came with the gradients.

- return losses
list_of_the_last_loss: return losses[-1:]
    Only the last loss is in the list. Is the list made anew in each round of the loop?
last_loss_only: return losses[-1]
    Only the last loss is returned. Return the list of all losses, one per step.

- losses = []
works_on_copies:
        parameters = [p.clone() for p in parameters]
        losses = []
    The losses are right, but the parameters that you were given are as they were: the training happened on copies.

- losses.append(loss.item())
one_step_only:
        losses.append(loss.item())
        return losses
    There is one step, and then it ends. Is the `return` inside the loop?

# gradients: forward pass
[gradients]
- loss = F.cross_entropy(logits, Yb)
loss_of_all_classes: loss = -F.log_softmax(logits, 1).mean()
    The loss is the mean over all log-probabilities. Only one of each row counts: the one of the token that came.
loss_without_minus: loss = -F.cross_entropy(logits, Yb)
    The loss is negative: a log-probability is below zero, and the loss is its opposite. Look for the minus sign.
loss_in_tens: loss = F.cross_entropy(logits, Yb).log10()
    This is the logarithm of the loss to base 10, which the lecture stores for its plot. Return the loss itself.
""")


@mistake(
    "The batch's variance is divided by n. This network divides it by n - 1 (`unbiased=True`), in the forward pass and "
    "so on the way back."
)
def gradients__biased_variance(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n = Xb.shape[0]
    embcat = C[Xb].view(n, -1)
    hprebn = embcat @ W1 + b1
    bnvar_inv = (hprebn.var(0, keepdim=True, unbiased=False) + 1e-5) ** -0.5
    bnraw = (hprebn - hprebn.mean(0, keepdim=True)) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = (F.softmax(logits, 1) - F.one_hot(Yb, b2.shape[0])) / n
    dhpreact = (1 - h**2) * (dlogits @ W2.T)
    dbnbias, dbngain = dhpreact.sum(0, keepdim=True), (dhpreact * bnraw).sum(0, keepdim=True)
    dhprebn = bngain * bnvar_inv / n * (n * dhpreact - dbnbias - bnraw * dbngain)
    demb = (dhprebn @ W1.T).view(-1, C.shape[1])
    dC = torch.zeros_like(C).index_add_(0, Xb.view(-1), demb)
    return loss, [dC, embcat.T @ dhprebn, dhprebn.sum(0), h.T @ dlogits, dlogits.sum(0), dbngain, dbnbias]


MISTAKES_2 = mistake_list("""
[gradients]
- bnvar = hprebn.var(0, keepdim=True)
- bnvar_inv = (bnvar + 1e-5) ** -0.5
- bnraw = (hprebn - bnmean) * bnvar_inv
biased_forward_only:
        bnvar = hprebn.var(0, keepdim=True, unbiased=False)
        bnvar_inv = (bnvar + 1e-5) ** -0.5
        bnraw = (hprebn - bnmean) * bnvar_inv
    Your forward pass divides the variance by n, and your backward pass is that of a variance divided by n - 1. The
    mistake is in the forward pass.

- bnvar_inv = (bnvar + 1e-5) ** -0.5
eps_forgotten: bnvar_inv = bnvar**-0.5
    The 1e-5 that is added to the batch's variance is missing. It matters wherever the variance is small.
eps_after_the_root: bnvar_inv = bnvar**-0.5 + 1e-5
    The 1e-5 is added after the power is taken. It belongs next to the variance, inside of the brackets.
eps_beside_the_root: bnvar_inv = 1 / (bnvar.sqrt() + 1e-5)
    The 1e-5 is added to the standard deviation, after the root. It belongs under the root, next to the variance.

# gradients: cross-entropy
- dlogits /= n
no_one_over_n:
    The gradients belong to the examples' losses added up: all are n times too large. The loss is their mean; is
    `dlogits` divided by n?

- loss = F.cross_entropy(logits, Yb)
- # Cross-entropy: the probabilities, minus 1 at the true class, divided by n (lesson 04)
- dlogits = F.softmax(logits, 1)
- dlogits[range(n), Yb] -= 1
- dlogits /= n
loss_summed:
        loss = F.cross_entropy(logits, Yb, reduction="sum")
        dlogits = F.softmax(logits, 1)
        dlogits[range(n), Yb] -= 1
    Is your loss the sum over the batch? It should be the mean. The gradients of the sum are n times too large.

- dlogits[range(n), Yb] -= 1
one_hot_forgotten:
    In `dlogits` every class is pushed down, the true one as well: its rows do not sum to zero. What pulls the true
    class up?

- dlogits[range(n), Yb] -= 1
- dlogits /= n
one_hot_after_division:
        dlogits /= n
        dlogits[range(n), Yb] -= 1
    In `dlogits` the 1 of the true class is taken off after the division by n, so it counts n times too much. Do the
    rows sum to zero?

- dlogits[range(n), Yb] -= 1
whole_columns: dlogits[:, Yb] -= 1
    In `dlogits`, `[:, Yb]` picks the true classes of all examples in every row. A row has one of its own: pair row i
    with `Yb[i]`.

- dlogits = F.softmax(logits, 1)
softmax_over_the_batch: dlogits = F.softmax(logits, 0)
    The softmax in `dlogits` runs over the examples, as if they competed with each other. Check its axis: a row, one
    example, should sum to one.
log_softmax: dlogits = F.log_softmax(logits, 1)
    `dlogits` is made of log-probabilities where probabilities belong.

- dW2 = h.T @ dlogits
sign:
        dlogits = -dlogits
        dW2 = h.T @ dlogits
    The sign is flipped: this points downhill, a gradient points uphill. It is the update that goes against it.

# gradients: linear layer 2 and tanh
dW2_transposed: dW2 = dlogits.T @ h
    `dW2` is the transpose of the gradient. Compare it with the shape of `W2`.
dW2_before_tanh: dW2 = hpreact.T @ dlogits
    `dW2` is made from what goes into the tanh. Which value is it that the forward pass multiplies by `W2`?
dW2_over_n: dW2 = h.T @ dlogits / n
    `dW2` is divided by n twice: the mean over the batch is in `dlogits` already.

- db2 = dlogits.sum(0)
db2_mean: db2 = dlogits.mean(0)
    `db2` is a mean over the batch. One bias serves every example, so its gradients add up; the 1/n of the loss is in
    `dlogits` already.
db2_keepdim: db2 = dlogits.sum(0, keepdim=True)
    The numbers of `db2` are right, its shape is not: `b2` is a plain vector. Check `keepdim`.
db2_wrong_axis: db2 = dlogits.sum(1)
    `db2` sums over the classes and leaves one number per example. Along which axis was `b2` copied?

- dhpreact = (1 - h**2) * dh
tanh_skipped: dhpreact = dh
    The gradient of `h` went on unchanged, as if there were no tanh. What is its slope, and where is it nearly zero?
tanh_not_squared: dhpreact = (1 - h) * dh
    The slope of the tanh is taken as one minus `h`. It is one minus the *square* of `h`: negative values of `h` close
    the gate as well.
tanh_of_its_input: dhpreact = (1 - hpreact**2) * dh
    The slope of the tanh is taken with the value that goes in. One minus the square is right for what comes out, `h`.
sigmoid_s_slope: dhpreact = h * (1 - h) * dh
    `h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?

# gradients: batch norm
- through_variance = n / (n - 1) * bnraw * dbngain
keepdim_forgotten:
        through_variance = n / (n - 1) * bnraw * dbngain
        dbnbias, dbngain = dbnbias[0], dbngain[0]
    The gradients of gain and bias lack `keepdim=True`: both parameters have the shape (1, H), not (H,).
dbngain_without_bnraw:
        through_variance = n / (n - 1) * bnraw * dbngain
        dbngain = dbnbias
    `dbngain` is the gradient of the bias. The gain *multiplies* something: that belongs into its gradient. (Or have the
    two changed places in what `gradients` returns?)
dbngain_not_normalised:
        through_variance = n / (n - 1) * bnraw * dbngain
        dbngain = dbngain / bnvar_inv
    `dbngain` is made with `hprebn` minus its mean, before it is divided by the standard deviation. The gain multiplies
    what is normalised already.

- return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
gain_and_bias_swapped: return loss, [dC, dW1, db1, dW2, db2, dbnbias, dbngain]
    The gradients of gain and bias have changed places in what `gradients` returns: the gain comes first, as in
    `parameters`. Both have the same shape, so nothing else would tell you.
backward_order: return loss, [dW2, db2, dbngain, dbnbias, dW1, db1, dC]
    The gradients come in the order in which you found them. They belong in the order of `parameters`: C, W1, b1, W2,
    b2, bngain, bnbias.

- through_variance = n / (n - 1) * bnraw * dbngain
no_bessel: through_variance = bnraw * dbngain
    In the gradient of batch norm, the path through the variance is that of a variance divided by n. The forward pass
    divides by n - 1. (Training would hardly tell: it goes nearly as well.)

- through_mean = dbnbias
bessel_in_the_mean: through_mean = n / (n - 1) * dbnbias
    In the gradient of batch norm, the path through the mean has n - 1 in it. Bessel's correction belongs to the
    variance only.
no_mean_term: through_mean = 0
    In the gradient of batch norm, the path through the mean is missing: each `hprebn` moves the mean of its column.
    `db1` tells: it should be zero.

- through_variance = n / (n - 1) * bnraw * dbngain
no_variance_term: through_variance = 0
    In the gradient of batch norm, the path through the variance is missing: each `hprebn` changes the spread of its
    column.

- through_mean = dbnbias
- through_variance = n / (n - 1) * bnraw * dbngain
statistics_constant: through_mean = through_variance = 0
    In the gradient of batch norm only the direct path is there: mean and variance are treated as constants. That is
    right at evaluation; in training they are made from the batch.

- bngain * bnvar_inv / n
gain_missing: bnvar_inv / n
    The gain is missing in the gradient of batch norm. All three paths pass it.
deviation_missing: bngain / n
    `bnvar_inv` is missing in the gradient of batch norm: all three paths pass the division by the standard deviation.

- db1 = dhprebn.sum(0)
db1_after_batch_norm: db1 = dbnbias[0]
    `db1` is the gradient of a bias *behind* batch norm. `b1` is added before it, and batch norm takes it off again.

- dhprebn = bngain * bnvar_inv / n * (n * dhpreact - through_mean - through_variance)
batch_norm_skipped: dhprebn = dhpreact
    `dhpreact` was used where `dhprebn` belongs: on the way to the first layer, the gradient has to pass batch norm.

- through_mean = dbnbias
- through_variance = n / (n - 1) * bnraw * dbngain
sums_over_the_units:
        through_mean = dhpreact.sum(1, keepdim=True)
        through_variance = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(1, keepdim=True)
    In the gradient of batch norm the sums run over the hidden units. Mean and variance are taken down each column, over
    the batch.

# gradients: linear layer 1 and embedding
- dW1 = embcat.T @ dhprebn
dW1_transposed: dW1 = dhprebn.T @ embcat
    `dW1` is the transpose of the gradient. Compare it with the shape of `W1`.
dW1_over_n: dW1 = embcat.T @ dhprebn / n
    `dW1` is divided by n twice: the mean over the batch is in `dlogits` already.

- db1 = dhprebn.sum(0)
db1_keepdim: db1 = dhprebn.sum(0, keepdim=True)
    `db1` has a 1 too many in its shape: `b1` is a plain vector. Check `keepdim`.

- dC = torch.zeros_like(C).index_add_(0, Xb.reshape(-1), demb)
copies_lost:
        dC = torch.zeros_like(C)
        dC[Xb] += demb.view(*Xb.shape, -1)
    In `dC`, only one gradient per row remains, however many copies of the row there are: `dC[Xb] = ...` and
    `dC[Xb] += ...` write each row once. The gradients of copies add up: use a loop or `index_add_`.
mean_of_copies:
        dC = torch.zeros_like(C).index_add_(0, Xb.reshape(-1), demb)
        dC = dC / Xb.reshape(-1).bincount(minlength=C.shape[0]).clamp(min=1).unsqueeze(1)
    Each row of `dC` is divided by the number of its copies. The gradients of copies add up, they are not averaged.

- dembcat.view(-1, C.shape[1])
wrong_pieces: dembcat.view(n, C.shape[1], -1).transpose(1, 2).reshape(-1, C.shape[1])
    The gradient of `embcat` was cut into embeddings in another order than the forward pass put them together. Undo the
    `view` with a `view`.

- db1 = dhprebn.sum(0)
changes_parameters: db1 = b1.add_(dhprebn.sum(0) + 0.1) - b1 + dhprebn.sum(0)
    The gradients are right, but `gradients` changes a parameter on its way. It should only look at them: writing in
    place is for tensors of your own.

[calibrate]
- bnvar = hprebn.var(0, keepdim=True)
- return bnmean, bnvar
biased: return bnmean, hprebn.var(0, keepdim=True, unbiased=False)
    The variance is divided by N. This network's batch norm is defined with N - 1, in training and here.

- C, W1, b1 = parameters[:3]
one_batch:
        C, W1, b1 = parameters[:3]
        X = X[:32]
    These are the statistics of the first 32 examples. Use all examples.

- return bnmean, bnvar
batches_averaged:
        pieces = hprebn.split(32)
        bnvar = torch.stack([piece.var(0, keepdim=True) for piece in pieces]).mean(0)
        return torch.stack([piece.mean(0, keepdim=True) for piece in pieces]).mean(0), bnvar
    The variance is an average over batches of 32, each about its own mean. How far the batches' means lie apart is not
    in it.
deviation: return bnmean, bnvar.sqrt()
    The second result is the standard deviation. It should be the variance: the root comes later, after the 1e-5.
bnvar_inv: return bnmean, (bnvar + 1e-5) ** -0.5
    The second result is one over the standard deviation, `bnvar_inv`. It should be the variance itself.
eps_added: return bnmean, bnvar + 1e-5
    The 1e-5 is in the variance already, and will be added a second time where it is used. Return the variance alone.
variance_first: return bnvar, bnmean
    Mean and variance have changed places in what is returned.
keepdim: return bnmean[0], bnvar[0]
    The numbers are right, but the shapes are (H,). They should be (1, H), like that of `bngain`: `keepdim=True`.

- bnvar = hprebn.var(0, keepdim=True)
- return bnmean, bnvar
about_zero: return bnmean, hprebn.square().sum(0, keepdim=True) / (X.shape[0] - 1)
    The variance is the mean of the squares. The mean has to be taken off before squaring.

- C, W1, b1 = parameters[:3]
- hprebn = C[X].view(X.shape[0], -1) @ W1 + b1
b1_left_out:
        C, W1, b1 = parameters[:3]
        hprebn = C[X].view(X.shape[0], -1) @ W1
    The mean lacks `b1`. Batch norm takes the bias off again, but only if it is in the mean as well.

- return bnmean, bnvar
over_the_units: return hprebn.mean(1, keepdim=True), hprebn.var(1, keepdim=True)
    Mean and variance are taken over the hidden units, so there is one of each per example. There should be one of each
    per hidden unit.
""")


split_losses = partial(
    mistake_list,
    replaces="    return F.cross_entropy(evaluate(parameters, statistics, X), Y)\n",
    by="""    C, W1, b1, W2, b2, bngain, bnbias = parameters
    bnmean, bnvar = statistics
    hprebn = C[X].view(X.shape[0], -1) @ W1 + b1
    bnraw = (hprebn - bnmean) * (bnvar + 1e-5) ** -0.5
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    return F.cross_entropy(logits, Y)
""",
)
"""Edits of a `split_loss` with the forward pass written out in it.

It is not `evaluate` that is edited, since `sample` rests on it as well and might go on for ever.
"""


SPLIT_LOSS = split_losses("""
[split_loss]
- bnraw = (hprebn - bnmean) * (bnvar + 1e-5) ** -0.5
batch_statistics:
        bnraw = (hprebn - hprebn.mean(0)) * ((hprebn - hprebn.mean(0)).square().sum(0) / (len(X) - 1) + 1e-5) ** -0.5
    Batch norm takes mean and variance of the examples at hand. At evaluation it uses the ones that it is given: the
    answer for one example must not depend on its neighbours, and a single one has no variance.
batch_mean: bnraw = (hprebn - hprebn.mean(0)) * (bnvar + 1e-5) ** -0.5
    The variance is the one that is given, but the mean is that of the examples at hand. Both come from `statistics`.
eps_missing: bnraw = (hprebn - bnmean) * bnvar**-0.5
    The 1e-5 that is added to the variance is missing. It was there in training, so it belongs here.
variance_for_deviation: bnraw = (hprebn - bnmean) / (bnvar + 1e-5)
    Batch norm divides by the variance here. It should be its root: check the exponent.
batch_norm_left_out: bnraw = hprebn
    `hprebn` goes on to gain and bias without being normalised by the mean and variance in `statistics`.

- hpreact = bngain * bnraw + bnbias
gain_and_bias_left_out: hpreact = bnraw
    Gain and bias of batch norm are missing: evaluation needs them as much as training did.
gain_for_bias: hpreact = bnbias * bnraw + bngain
    Gain and bias have changed places. The gain multiplies, the bias is added; in `parameters` the gain comes first.

- h = torch.tanh(hpreact)
tanh_forgotten: h = hpreact
    The tanh is missing: the logits come from h, not from what goes into it.

- logits = h @ W2 + b2
b2_forgotten: logits = h @ W2
    `b2` is missing: the logits have a bias.

- return F.cross_entropy(logits, Y)
summed: return F.cross_entropy(logits, Y, reduction="sum")
    This is the sum of the examples' losses. Return their mean: it makes sets of different sizes comparable.
softmax_before: return F.cross_entropy(F.softmax(logits, 1), Y)
    Probabilities were given to `F.cross_entropy`, which takes a softmax of its own: it wants the logits.
logits_for_log_probabilities: return F.nll_loss(logits, Y)
    `F.nll_loss` expects log-probabilities, and you give it logits. `F.cross_entropy` takes logits.
accuracy: return (logits.argmax(1) == Y).double().mean()
    This is the share of the examples that are predicted right. Return the mean cross-entropy.
first_batch: return F.cross_entropy(logits[:32], Y[:32])
    This is the loss of the first 32 examples. Use all of them.
""")


samplers = partial(
    mistake_list,
    replaces="""    context = [0] * (W1.shape[0] // C.shape[1])
    name = []
    while True:
        logits = evaluate(parameters, statistics, torch.tensor([context]))
        probs = F.softmax(logits, 1)
        ix = torch.multinomial(probs, 1, generator=generator).item()
        if ix == 0:
            return name
        name.append(ix)
        context = [*context[1:], ix]
""",
    by="""    block = W1.shape[0] // C.shape[1]
    context = [0] * block
    name = []
    while len(name) < 500:
        logits = evaluate(parameters, statistics, torch.tensor([context]))
        probs = F.softmax(logits, 1)
        ix = torch.multinomial(probs, 1, generator=generator).item()
        if ix == 0:
            return name
        name.append(ix)
        context = [*context[1:], ix]
    return name
""",
)
"""Edits of a sampler that stops at 500 tokens: some of them would go on for ever."""


SAMPLE = samplers("""
[sample]
- context = [*context[1:], ix]
context_stays: context = context
    The context never changes: each token is drawn as if it were the first. Where does the new token go?
newest_first: context = [ix, *context[:-1]]
    From the second token on, the context is not what the network saw in training: there the newest token is at the
    right end, and the others have moved one place to the left.
last_token_only: context = [0] * (block - 1) + [ix]
    Only the newest token is in the context, with zeros before it. The network has been trained on all its places.

- context = [0] * block
wrong_start: context = [1] * block
    The context does not begin as zeros. In training, a name's first token was seen after a row of zeros.

- ix = torch.multinomial(probs, 1, generator=generator).item()
most_probable: ix = probs.argmax(1).item()
    Always the most probable token is taken, so all names are the same. Draw: a token with probability 0.3 should come
    three times in ten.

- probs = F.softmax(logits, 1)
wrong_axis: probs = F.softmax(logits, 0)
    All tokens are equally likely: the softmax runs along the wrong axis. There is one row, so along axis 0 each token
    is compared with itself.
softmax_twice: probs = F.softmax(F.softmax(logits, 1), 1)
    The softmax is taken twice, which makes all tokens nearly equally likely.

- if ix == 0:
-     return name
stop_kept:
        if ix == 0:
            return [*name, 0]
    The 0 that ends the name is still in the list. Return what comes before it.

- while len(name) < 500:
cut_short: while len(name) < block:
    Names are cut off before the network ends them. A name ends with token 0, and with nothing else.

- ix = torch.multinomial(probs, 1, generator=generator).item()
generator_ignored: ix = torch.multinomial(probs, 1).item()
    The names are well drawn, but not with `generator`: from the same state of it comes another name each time. Pass it
    on, `generator=generator`.

- probs = F.softmax(logits, 1)
sharpened: probs = F.softmax(logits, 1) ** 2
    The probabilities are squared, or the logits doubled: what is likely is drawn too often. Draw with the network's
    probabilities as they are.
""")
