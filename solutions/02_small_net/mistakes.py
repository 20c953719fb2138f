"""Known wrong formulas of lesson 02, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# cross-entropy
[dlogits]
no_one_over_n: gradient = F.softmax(logits, 1); gradient[range(N), Y] -= 1; gradient
    This is the gradient of the losses' sum. The loss is their mean over the batch: what does that do to each one?
no_minus_one: F.softmax(logits, 1) / N
    Every logit is pushed down here and none is pulled up: the true class has no say. The rows of this gradient should
    sum to zero; look for what is missing at `Y`.
minus_one_after_division: gradient = F.softmax(logits, 1) / N; gradient[range(N), Y] -= 1; gradient
    The 1 of the true class is taken off after the division by N, so it counts N times too much. The mean divides both
    parts.
softmax_over_the_batch: gradient = F.softmax(logits, 0); gradient[range(N), Y] -= 1; gradient / N
    The softmax runs over the examples instead of the classes. Check its axis: every row, one example, should sum to
    one.
whole_columns: gradient = F.softmax(logits, 1); gradient[:, Y] -= 1; gradient / N
    `[:, Y]` picks whole columns, in every row. You want one place a row: index rows and columns together, so that they
    are paired.
log_softmax: gradient = F.log_softmax(logits, 1); gradient[range(N), Y] -= 1; gradient / N
    These are log-probabilities where probabilities belong. Check the name of the function: with or without the log?
labels_as_values: (F.softmax(logits, 1) - Y[:, None]) / N
    This subtracts the labels as if they were values. A label is a place: in which element of its row does the 1 belong?
sign: (F.one_hot(Y, logits.shape[1]) - F.softmax(logits, 1)) / N
    The sign is flipped: a step against this gradient would make the true class less likely. Look at the minus in front
    of the log-likelihood.
over_classes: gradient = F.softmax(logits, 1); gradient[range(N), Y] -= 1; gradient / logits.shape[1]
    This divides by the number of classes, or by something else than the number of examples. Over what does the loss
    take its mean?
over_all_elements: gradient = F.softmax(logits, 1); gradient[range(N), Y] -= 1; gradient / logits.numel()
    This divides by the number of all logits. The mean is over the losses, and there is one loss for each example.
prediction_for_target: gradient = F.softmax(logits, 1); gradient[range(N), logits.argmax(1)] -= 1; gradient / N
    The 1 is taken off at the class the net believes in, not at the true one. Which of `logits.argmax(1)` and `Y` does
    the loss look at?

# linear layer 2
[dh_bn]
reshaped_weights: dlogits @ W2.reshape(W2.shape[1], W2.shape[0])
    The weights were reshaped where they should be transposed: the shape fits, but the numbers stand in other places.
    Compare `W2.reshape(...)` with `W2.T` on a small example.
over_n: dlogits @ W2.T / N
    There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dlogits`.
transposed: W2 @ dlogits.T
    This is the transpose of the gradient: hidden units down, examples across. Swap the order of the two factors.
times_itself: dlogits @ W2.T * h_bn
    There is an `h_bn` too many. A product is linear in each factor, so the gradient of one factor holds the other
    factor only.
sums_multiplied: dlogits.sum(1, keepdim=True) * W2.sum(1)
    The sums over the classes were taken before multiplying, as if `(a * b).sum()` were `a.sum() * b.sum()`. Keep each
    class's gradient with that class's weights.

[dW2]
transposed: dlogits.T @ h_bn
    This is the transpose of the gradient. A gradient has the shape of its value: compare it with the shape of `W2`.
over_n: h_bn.T @ dlogits / N
    There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dlogits`.
before_scale_and_shift: h_norm.T @ dlogits
    This uses the normalised values before `gamma` and `beta`. Which value is it that the forward pass multiplies by
    `W2`?
before_batch_norm: h.T @ dlogits
    This uses `h`, the values before batch norm. Which value is it that the forward pass multiplies by `W2`?
last_example_only: torch.outer(h_bn[-1], dlogits[-1])
    Only the last example is left: each turn of the loop replaced the one before. Every example uses `W2`, so their
    gradients add up.

[db2]
keepdim: dlogits.sum(0, keepdim=True)
    The summed axis was kept, so there is a 1 in front. `b2` is a plain vector: check `keepdim`.
mean: dlogits.mean(0)
    This is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is
    already inside `dlogits`.
no_sum: dlogits.clone()
    This still has a row for each example. `b2` was broadcast over the rows: what undoes a broadcast on the way back?
wrong_axis: dlogits.sum(1)
    The sum runs over the classes and leaves one number per example. There should be one number per class: which axis
    was `b2` broadcast over?

# batch norm: scale and shift
[dgamma]
no_sum: dh_bn * h_norm
    This still has a row for each example. `gamma` was broadcast over the rows: what undoes a broadcast on the way back?
keepdim: (dh_bn * h_norm).sum(0, keepdim=True)
    The summed axis was kept, so there is a 1 in front. `gamma` is a plain vector here: check `keepdim`.
mean: (dh_bn * h_norm).mean(0)
    This is a mean over the batch. One `gamma` serves every example, so its gradients add up; the mean of the loss is
    already inside `dh_bn`.
not_normalised: (dh_bn * h).sum(0)
    This multiplies by `h`. Look at the line of `h_bn` again: which value is multiplied by `gamma` there?
centred_only: (dh_bn * (h - h_mean)).sum(0)
    The values are centred, but not yet divided by the standard deviation. Look at the line of `h_bn`: what is
    multiplied by `gamma` there?
factor_forgotten: dh_bn.sum(0)
    This is the gradient of something that is added. `gamma` is multiplied: what is the local derivative of a product?
wrong_axis: (dh_bn * h_norm).sum(1)
    The sum runs over the hidden units and leaves one number per example. There is one `gamma` per hidden unit: which
    axis was it broadcast over?

[dbeta]
no_sum: dh_bn.clone()
    This still has a row for each example. `beta` was broadcast over the rows: what undoes a broadcast on the way back?
keepdim: dh_bn.sum(0, keepdim=True)
    The summed axis was kept, so there is a 1 in front. `beta` is a plain vector here: check `keepdim`.
mean: dh_bn.mean(0)
    This is a mean over the batch. One `beta` serves every example, so its gradients add up; the mean of the loss is
    already inside `dh_bn`.
scaled: (dh_bn * gamma).sum(0)
    There is a `gamma` in it. `beta` is added after the scaling: does `gamma` touch it at all?
wrong_axis: dh_bn.sum(1)
    The sum runs over the hidden units and leaves one number per example. There is one `beta` per hidden unit: which
    axis was it broadcast over?

[dh_norm]
gain_forgotten: dh_bn.clone()
    The gradient went through unchanged, as if `gamma` were one. What happens to `h_norm` on the way to `h_bn`?
divided: dh_bn / gamma
    This divides by `gamma`, which undoes the forward pass. A gradient is scaled by the same factor as the value was,
    not by its inverse.
bias_added: gamma * dh_bn + beta
    `beta` was added, as in the forward pass. What is added on the way forward has a local derivative of one, and leaves
    no trace in the gradient of its neighbour.
summed: (gamma * dh_bn).sum(0)
    The rows were summed away. `h_norm` has the full shape, nothing was broadcast to it: so nothing is summed for it.
times_itself: gamma * dh_bn * h_norm
    There is an `h_norm` too many. Which of the two factors of a product is left over in the gradient of the other?
changes_dh_bn: dh_norm = dh_bn; dh_norm *= gamma; dh_norm
    The numbers are right, but your `dh_norm` and `dh_bn` are the same tensor, because `b = a` copies nothing. So `*=`
    changed `dh_bn`, too, and what uses `dh_bn` later is wrong. Make a new tensor.

# batch norm: the normalisation
[dh]
no_mean_term: (N * dh_norm - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the mean is missing: each `h` moves the mean of its column, and with it all of `h_norm` there.
no_variance_term: (N * dh_norm - dh_norm.sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the variance is missing: each `h` changes the spread of its column, and with it all of `h_norm`
    there.
statistics_constant: dh_norm / (h_var + 1e-5).sqrt()
    Only the direct path is here: mean and variance are treated as constants. They are made from `h` too, so two more
    paths lead through them.
statistics_constant_without_eps: dh_norm / h_var.sqrt()
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from `h`
    too, so two more paths lead through them.
bessel:
        third = N / (N - 1) * h_norm * (dh_norm * h_norm).sum(0)
        (N * dh_norm - dh_norm.sum(0) - third) / (N * (h_var + 1e-5).sqrt())
    There is a Bessel correction, N/(N-1), in the path through the variance. How does this forward pass divide its
    variance, by N or by N - 1?
unbiased_deviation:
        deviation = (h.var(0) + 1e-5).sqrt()
        (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * deviation)
    The standard deviation is the unbiased one, computed with N - 1, as `h.std(0)` gives by default. The forward pass
    divides by N: use its `h_var`.
eps_forgotten: (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * h_var.sqrt())
    The 1e-5 of the forward pass is missing under the root. It matters wherever the variance is small, and where the
    variance is zero it is all there is.
eps_outside_the_root: (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var.sqrt() + 1e-5))
    The 1e-5 is added after the root here; the forward pass adds it to the variance, under the root.
wrong_axis:
        second = dh_norm.sum(1, keepdim=True)
        third = h_norm * (dh_norm * h_norm).sum(1, keepdim=True)
        (N * dh_norm - second - third) / (N * (h_var + 1e-5).sqrt())
    The sums run over the hidden units. Mean and variance are taken down each column, over the batch: so are the sums
    that belong to them.
variance_for_deviation: (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5))
    This divides by the variance. The forward pass divides by its root: check the square root, or the exponent.
no_deviation: (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / N
    The standard deviation is missing: the three paths are there, but all of them pass the division that makes `h_norm`.
sums_not_divided: (dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()
    The sums over the batch lack their 1/N. Mean and variance are both averages, so each example has only an Nth part in
    them.
times_n: (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (h_var + 1e-5).sqrt()
    Everything is N times too large: the bracket was multiplied by N, and the 1/N in front that makes up for it is
    missing.
mean_term_added: (N * dh_norm + dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the mean has the wrong sign: when the mean goes up, every `h_norm` of the column goes down.
variance_term_added: (N * dh_norm - dh_norm.sum(0) + h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the variance has the wrong sign: when the spread goes up, `h_norm` shrinks.
variance_term_without_own_share:
        (N * dh_norm - dh_norm.sum(0) - (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the variance is the same for every example here. How strongly an example moves the variance depends
    on its own distance from the mean.
variance_term_not_normalised:
        centred = h - h_mean
        (N * dh_norm - dh_norm.sum(0) - centred * (dh_norm * centred).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the variance has `h - h_mean` where the normalised value belongs, or a power of the standard
    deviation is missing. Count how often you divide by it.
gain_twice: gamma * (N * dh_norm - dh_norm.sum(0) - h_norm * (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    There is a `gamma` in it, and that is one too many: `dh_norm` has come through `gamma` already.
mean_of_everything: (dh_norm - dh_norm.mean() - h_norm * (dh_norm * h_norm).mean(0)) / (h_var + 1e-5).sqrt()
    The mean of the whole matrix is subtracted. Every hidden unit has a mean of its own: one number per column.

# linear layer 1
[dW]
transposed: dh.T @ X
    This is the transpose of the gradient. A gradient has the shape of its value: compare it with the shape of `W`.
over_n: X.T @ dh / N
    There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dh`.
reshaped_input: X.reshape(X.shape[1], X.shape[0]) @ dh
    `X` was reshaped where it should be transposed: the shape fits, but the numbers stand in other places. Compare
    `X.reshape(...)` with `X.T` on a small example.
normalisation_skipped: X.T @ dh_norm
    The gradient used is the one after the normalisation. `W` makes `h`: which gradient belongs to `h` itself?
last_example_only: torch.outer(X[-1], dh[-1])
    Only the last example is left: each turn of the loop replaced the one before. Every example uses `W`, so their
    gradients add up.

[db]
zeros: torch.zeros_like(b)
    For the loss of this net that is the right number, because batch norm takes every constant off again. But this
    function has to be right for any `dh`: write the rule, not its result.
keepdim: dh.sum(0, keepdim=True)
    The summed axis was kept, so there is a 1 in front. `b` is a plain vector: check `keepdim`.
mean: dh.mean(0)
    This is a mean over the batch. One bias serves every example, so its gradients add up; the mean of the loss is
    already inside `dh`.
no_sum: dh.clone()
    This still has a row for each example. `b` was broadcast over the rows: what undoes a broadcast on the way back?
wrong_axis: dh.sum(1)
    The sum runs over the hidden units and leaves one number per example. There is one bias per hidden unit: which axis
    was it broadcast over?

[dX]
reshaped_weights: dh @ W.reshape(W.shape[1], W.shape[0])
    The weights were reshaped where they should be transposed: the shape fits, but the numbers stand in other places.
    Compare `W.reshape(...)` with `W.T` on a small example.
transposed: W @ dh.T
    This is the transpose of the gradient: features down, examples across. Swap the order of the two factors.
over_n: dh @ W.T / N
    There is a division by N too many. The mean over the batch is in the loss, so it is already inside `dh`.
times_itself: dh @ W.T * X
    There is an `X` too many. A product is linear in each factor, so the gradient of one factor holds the other factor
    only.
normalisation_skipped: dh_norm @ W.T
    The gradient used is the one after the normalisation. `X` makes `h`: which gradient belongs to `h` itself?
""")
