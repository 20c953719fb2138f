"""Known wrong formulas of lesson 02, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# cross-entropy
[dlogits]
no_one_over_n: gradient = F.softmax(logits, 1); gradient[range(N), Y] -= 1; gradient
    This is the gradient of the losses' sum. The loss is their mean over the batch: what does that do to each one?
true_class_forgotten: F.softmax(logits, 1) / N
    These are the probabilities alone. The true class's own logit is in the loss as well: which term does it add?
softmax_over_the_batch: gradient = F.softmax(logits, 0); gradient[range(N), Y] -= 1; gradient / N
    Your probabilities sum to one down each column. Each example has probabilities of its own: along which axis do they
    sum to one?
labels_as_values: (F.softmax(logits, 1) - Y[:, None]) / N
    This subtracts the labels as if they were values. A label is a place: in which element of its row does the 1 belong?
prediction_for_target: gradient = F.softmax(logits, 1); gradient[range(N), logits.argmax(1)] -= 1; gradient / N
    The 1 is taken off at the class the net believes in, not at the true one. Which of `logits.argmax(1)` and `Y` does
    the loss look at?

# linear layer 2
[dh_bn]
sums_multiplied: dlogits.sum(1, keepdim=True) * W2.sum(1)
    The result is a product of two sums over the classes, as if `(a * b).sum()` were `a.sum() * b.sum()`. Keep each
    class's gradient with that class's weights.

[dW2]
last_example_only: torch.outer(h_bn[-1], dlogits[-1])
    Only the last example is left, as if each turn of a loop replaced the one before. Every example uses `W2`, so their
    gradients add up.

[dgamma]
centred_only: (dh_bn * (h - h_mean)).sum(0)
    The values are centred, but not yet divided by the standard deviation. Look at the line of `h_bn`: what is
    multiplied by `gamma` there?

[dh]
means_of_an_example:
        mean, slope = (each.mean(1, keepdim=True) for each in (dh_norm, dh_norm * h_norm))
        (dh_norm - mean - h_norm * slope) / (h_var + 1e-5).sqrt()
    These are means over the numbers of one example. Which numbers share a mean in batch norm?
statistics_constant_without_eps: dh_norm / h_var.sqrt()
    Only the direct path is here, and in it the 1e-5 of the forward line is missing. Mean and variance are made from `h`
    too, so two more paths lead through them.
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
    `dh` is not divided by the standard deviation: the three paths are there, but all of them pass the division that
    makes `h_norm`.
variance_term_without_own_share:
        (N * dh_norm - dh_norm.sum(0) - (dh_norm * h_norm).sum(0)) / (N * (h_var + 1e-5).sqrt())
    The path through the variance is the same for every example here. How strongly an example moves the variance depends
    on its own distance from the mean.

# linear layer 1
[dW]
last_example_only: torch.outer(X[-1], dh[-1])
    Only the last example is left, as if each turn of a loop replaced the one before. Every example uses `W`, so their
    gradients add up.
""")
