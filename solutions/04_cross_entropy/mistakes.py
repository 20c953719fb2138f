"""Known wrong answers of lesson 04, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dlogits]
no_one_over_n: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient
    This is the gradient of the sum of the examples' losses. Look at the last line of the forward pass again: what does
    it do to the losses of the single examples, and which factor does that leave in every row?
no_minus_one: F.softmax(logits, 1) / n
    Every logit is pushed down here, the true class's as well: a row sums to 1/n, not to zero. The true class's logit
    enters the loss a second time, on its own: which term comes from there?
minus_one_after_over_n: gradient = F.softmax(logits, 1) / n; gradient[range(n), Yb] -= 1; gradient
    You pull up the true class with 1 where the rest of its row is already divided by n, so a row no longer sums to
    zero. The mean over the batch scales all of an example's gradient: check the order of your two steps.
softmax_over_the_batch: gradient = F.softmax(logits, 0); gradient[range(n), Yb] -= 1; gradient / n
    Here each column of the softmax sums to one, as if the examples competed with each other. Along which axis do the
    classes of a single example lie?
softmax_over_everything:
        gradient = F.softmax(logits.view(-1), 0).view(logits.shape).clone(); gradient[range(n), Yb] -= 1; gradient / n
    Here all numbers of the batch together sum to one. Every example has a probability distribution of its own: along
    which axis does it sum to one?
every_label_in_every_row: gradient = F.softmax(logits, 1); gradient[:, Yb] -= 1; gradient / n
    `[:, Yb]` picks, in every row, the true classes of all examples. Each row has one true class only: pair row i with
    `Yb[i]`.
log_softmax: gradient = F.log_softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient / n
    You subtract from the logarithms of the probabilities. Derive again how one logit changes the logarithm of the row's
    sum of exponentials: is a logarithm left over?
sign: gradient = -F.softmax(logits, 1); gradient[range(n), Yb] += 1; gradient / n
    The sign is flipped. A gradient points uphill, and the update subtracts it later. Follow the minus in front of the
    logarithm: does raising the true class's logit raise or lower the loss?
plus_one: gradient = F.softmax(logits, 1); gradient[range(n), Yb] += 1; gradient / n
    Both terms have the same sign here, so the true class is pushed down hardest of all. Write the loss of one example
    as a difference of two terms and look at the sign of each.
logits_for_probs: gradient = logits.clone(); gradient[range(n), Yb] -= 1; gradient / n
    You subtract the 1 from the logits themselves. What you subtract it from must be between zero and one and sum to one
    in each row: something still has to be done to the logits.
exponentials_not_normalised: gradient = logits.exp(); gradient[range(n), Yb] -= 1; gradient / n
    You use the exponentials as they are; they are not probabilities yet, since a row does not sum to one. What does a
    softmax do after the exponential?
over_classes: gradient = F.softmax(logits, 1); gradient[range(len(Yb)), Yb] -= 1; gradient / logits.shape[1]
    You divide by the number of classes. The forward pass takes a mean once: over what, and how many are there?
over_all_elements: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient / logits.numel()
    You divide by the number of all elements of `logits`. The mean in the forward pass runs over one number for each
    example: how many are there?
over_n_minus_one: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient / max(n - 1, 1)
    You divide by n - 1, as batch norm's variance does. This mean is an ordinary one: count what it averages over.
minus_one_everywhere: (F.softmax(logits, 1) - 1) / n
    You subtract 1 in every column of a row. Only one logit of a row appears in the loss outside of the sum of
    exponentials: which one does `Yb` name?
predicted_for_true_class: gradient = F.softmax(logits, 1); gradient[range(n), logits.argmax(1)] -= 1; gradient / n
    You pull up the class that the network likes best, not the one that is true. The targets are in `Yb`; what the
    network believes is already in the other term.
true_class_only: gradient = torch.zeros_like(probs); gradient[range(n), Yb] = (probs[range(n), Yb] - 1) / n; gradient
    This is non-zero at the true classes only: the other logits look as if they did not matter. They are all in the sum
    that each probability is divided by, so raising any of them lowers the true class's probability.
labels_as_values: (probs - Yb[:, None]) / n
    This subtracts the labels as if they were values. A label is a place: in which element of its row does the 1 belong?
logarithm_forgotten: -F.one_hot(Yb, probs.shape[1]) * probs * (1 - probs) / n
    You multiply by p (1 - p), the softmax's derivative with respect to a class's own logit, and stop there. The
    logarithm in the loss still divides by a probability: carry it through and see what cancels.
changes_probs: gradient = probs; gradient[range(n), Yb] -= 1; gradient /= n; gradient
    The numbers are right, but your `dlogits` is the same tensor as `probs` under a second name. Changing it changed
    `probs`, so code that reads `probs` afterwards gets a gradient. Work on a copy.
changes_logits: logits -= logits.logsumexp(1, keepdim=True); logits.exp_(); logits[range(n), Yb] -= 1; logits / n
    The numbers are right, but they were written into `logits`, which the rest of the backward pass may still need.
    Functions whose names end in `_` and operators such as `-=` work in place: start from a tensor of your own.
""")
