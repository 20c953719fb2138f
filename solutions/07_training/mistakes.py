"""Known mistakes of lesson 07, each with the message that its author gets.

Most are edits of the solution. A wrong line in `gradients` also makes the gradients below it and the runs of `train`
wrong. They get the same message. (`db1` is the exception: it is zero, and it stays zero after many wrong lines.)
"""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES_1 = mistake_list("""
[learning_rate]
- return 0.1 if step < max_steps / 2 else 0.01
the_lecture_s_half: return 0.1 if step < 100_000 else 0.01
    The learning rate is as if it fell at step 100,000 in every run, in the middle of the lecture's. Does yours fall at
    half of `max_steps`?
one_zero_too_many: return 0.1 if step < max_steps / 2 else 0.001
    The second rate is 0.001. It should be 0.01.

[update]
- parameter -= learning_rate * gradient
nothing_changes: parameter = parameter - learning_rate * gradient
    The parameters are as they were. Do you change the list's own tensors, or new ones? `p - ...` and `p.clone()` make a
    new tensor, and giving it the name `p` does not change the old one.
uphill: parameter += learning_rate * gradient
    The parameters move along the gradient, where the loss rises. In which direction does it fall?
rate_written_in: parameter -= 0.1 * gradient
    The step is 0.1 times the gradient, whatever `learning_rate` is. Take the one that is given.

[train]

- update(parameters, slopes, learning_rate(step, max_steps))
ix_shadowed:
        for step in range(len(ix)):
            pass
        update(parameters, slopes, learning_rate(step, max_steps))
    The learning rate is as if the step had the number of a batch's last example. Does an inner loop, such as one over
    the examples for `dC`, use a name of the training loop again (`i`, or `ix`)?

- for step, ix in enumerate(batches, start):
counted_from_one: for step, ix in enumerate(batches, start + 1):
    The learning rate falls one step early, as if `learning_rate` were called with the number of the next step. The
    first step has the number `start`: is the count raised too early?
start_ignored: for step, ix in enumerate(batches):
    The steps are counted from 0 in each piece of the run, so the second piece begins with the learning rate of the
    first step. `start` says how many steps there were before.

- update(parameters, slopes, learning_rate(step, max_steps))
rate_of_the_piece: update(parameters, slopes, learning_rate(step - start, len(batches)))
    The learning rate falls in the middle of `batches`. That may be a piece of the run only: ask with the number of the
    step in the whole run, and with `max_steps`.
rate_of_the_first_step: update(parameters, slopes, learning_rate(start, max_steps))
    Every step takes the learning rate of the first one. Do you ask for it in each round of the loop, with that step's
    own number?

- loss, slopes = gradients(parameters, X[ix], Y[ix])
whole_set: loss, slopes = gradients(parameters, X, Y)
    Each step looks at all examples. `batches` says which of them belong to it: where do you use its indices?

- for step, ix in enumerate(batches, start):
one_batch_for_ever:
        batches = list(batches)
        for step, ix in enumerate([batches[0]] * len(batches), start):
    Every step uses the first batch. Each has its own entry of `batches`.

- loss, slopes = gradients(parameters, X[ix], Y[ix])
never_zeroed:
        loss, new = gradients(parameters, X[ix], Y[ix])
        slopes = [a + b for a, b in zip(slopes, new)] if losses else new
    The gradients of all steps so far are added up. Which ones belong to a step?

- losses.append(loss.item())
losses_after_the_update: losses.append(gradients(parameters, X[ix], Y[ix])[0].item())
    The parameters are right, but each loss is noted after its step: it has been computed a second time. Note the one
    that came with the gradients.

- return losses
list_of_the_last_loss: return losses[-1:]
    Only the last loss is in the list. Is the list made anew in each round of the loop?
last_loss_only: return losses[-1]
    Only the last loss is returned. Return the list of all losses, one per step.

# gradients: forward pass
[gradients]
- loss = F.cross_entropy(logits, Yb)
loss_of_all_classes: loss = -F.log_softmax(logits, 1).mean()
    The loss is the mean over all log-probabilities. Only one of each row counts: that of the token in `Yb`.
loss_without_minus: loss = -F.cross_entropy(logits, Yb)
    The loss is negative: a log-probability is below zero, and the loss is its opposite. Is a minus sign missing, or is
    there one too many?
loss_in_tens: loss = F.cross_entropy(logits, Yb).log10()
    This is the logarithm of the loss to base 10, which the lecture stores for its plot. Return the loss itself.

[gradients]
biased_variance:
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
        loss, [dC, embcat.T @ dhprebn, dhprebn.sum(0), h.T @ dlogits, dlogits.sum(0), dbngain, dbnbias]
    The batch's variance is divided by n. This network divides it by n - 1 (`unbiased=True`), in the forward pass
    and so on the way back.
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
    The gradients belong to the examples' losses added up. The loss is their mean; is `dlogits` divided by n?

- loss = F.cross_entropy(logits, Yb)
- # Cross-entropy: the probabilities, minus 1 at the true class, divided by n (lesson 04)
- dlogits = F.softmax(logits, 1)
- dlogits[range(n), Yb] -= 1
- dlogits /= n
loss_summed:
        loss = F.cross_entropy(logits, Yb, reduction="sum")
        dlogits = F.softmax(logits, 1)
        dlogits[range(n), Yb] -= 1
    Is your loss the sum over the batch? It should be the mean over its examples.

# gradients: linear layer 2 and tanh

- dhpreact = (1 - h**2) * dh
no_tanh: dhpreact = dh
    From `dhpreact` on, the gradients lack the slope of tanh: tanh lies between batch norm and the second linear layer.
slope_from_the_input: dhpreact = (1 - hpreact**2) * dh
    From `dhpreact` on, the slope of tanh is computed from its input. 1 - h² takes the output.
sigmoid_s_slope: dhpreact = h * (1 - h) * dh
    `h * (1 - h)` is the slope of a sigmoid. This is a tanh: what is its slope, written with its output?

# gradients: batch norm

- db1 = dhprebn.sum(0)
db1_after_batch_norm: db1 = dbnbias[0]
    `db1` is the gradient of a bias *behind* batch norm. `b1` is added before it, and batch norm takes it off again.

- dhprebn = bngain * bnvar_inv / n * (n * dhpreact - through_mean - through_variance)
no_gain: dhprebn = bnvar_inv / n * (n * dhpreact - through_mean - through_variance)
    On the way back through batch norm a factor is missing. What is `bnraw` multiplied by in the forward pass?
- through_mean = dbnbias
- through_variance = n / (n - 1) * bnraw * dbngain
sums_over_the_units:
        through_mean = dhpreact.sum(1, keepdim=True)
        through_variance = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(1, keepdim=True)
    In the gradient of batch norm the sums run over the hidden units. Mean and variance are taken down each column, over
    the batch.

- return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
gain_of_centred:
        dbngain = (dhpreact * (hprebn - bnmean)).sum(0, keepdim=True)
        return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
    `dbngain` is made with values that are centred, but not divided by the deviation. What does the forward pass
    multiply by `bngain`?

# gradients: linear layer 1 and embedding. The rows of `train` alone show it.

[train]
- db1 = dhprebn.sum(0)
changes_parameters: db1 = b1.add_(dhprebn.sum(0) + 0.1) - b1 + dhprebn.sum(0)
    `b1` moves by more than its gradient says. Does `gradients` change it on its way? It should only look at the
    parameters: writing in place is for tensors of your own.

[calibrate]

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
variances_averaged: return bnmean, torch.stack([piece.var(0, keepdim=True) for piece in hprebn.split(32)]).mean(0)
    The variance is an average over batches of 32, each about its own mean. How far the batches' means lie apart is not
    in it.
deviation: return bnmean, bnvar.sqrt()
    The second result is the standard deviation. It should be the variance: no root is taken here.
bnvar_inv: return bnmean, (bnvar + 1e-5) ** -0.5
    The second result is one over the standard deviation, `bnvar_inv`. It should be the variance itself.

- bnvar = hprebn.var(0, keepdim=True)
- return bnmean, bnvar
about_zero: return bnmean, hprebn.square().sum(0, keepdim=True) / (X.shape[0] - 1)
    The variance is the mean of the squares. The mean has to be taken off before squaring.

[split_loss]
- return F.cross_entropy(evaluate(parameters, statistics, X), Y)
variance_for_deviation:
        bnmean, bnvar = statistics
        return F.cross_entropy(evaluate(parameters, (bnmean, (bnvar + 1e-5) ** 2 - 1e-5), X), Y)
    The values are divided by the variance. What does the forward pass divide by?
log_of_the_mean: return -F.softmax(evaluate(parameters, statistics, X), 1)[range(len(Y)), Y].mean().log()
    This is the logarithm of the mean probability. The loss is the mean of the logarithms: do the two agree?
statistics_of_the_split: return F.cross_entropy(evaluate(parameters, calibrate(parameters, X), X), Y)
    The mean and the variance are those of `X`. Which ones does the trained network go on with?

[sample]
- if ix == 0:
-     return name
- name.append(ix)
with_the_end:
        name.append(ix)
        if ix == 0:
            return name
    The list contains the token 0. It ends the name, and is no part of it.
- context = [*context[1:], ix]
from_the_left: context = [ix, *context[:-1]]
    The names are as if each new token came into the context from the left. From which side does it come in yours? And
    does your loop go on after one token?
""")
