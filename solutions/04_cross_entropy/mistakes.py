"""Known wrong answers of lesson 04, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dlogits]
no_one_over_n: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient
    This is the gradient of the sum of the examples' losses. Look at the last line of the forward pass again: what does
    it do to these losses, and which factor does that leave in every row?
minus_one_after_over_n: gradient = F.softmax(logits, 1) / n; gradient[range(n), Yb] -= 1; gradient
    The 1 at the true class is not divided by `n`, but the rest of its row is. The mean over the batch scales all of an
    example's gradient: what should a row sum to?
softmax_over_everything:
        gradient = F.softmax(logits.view(-1), 0).view(logits.shape).clone(); gradient[range(n), Yb] -= 1; gradient / n
    Your probabilities sum to one over the whole batch. Every example has a probability distribution of its own: along
    which axis does it sum to one?
softmax_over_the_batch: gradient = F.softmax(logits, 0); gradient[range(n), Yb] -= 1; gradient / n
    Your probabilities sum to one down each column. Each example has probabilities of its own: along which axis do they
    sum to one?
minus_one_everywhere: (F.softmax(logits, 1) - 1) / n
    You subtract 1 in every column of a row. Only one logit of a row appears in the loss outside of the sum of
    exponentials: which one does `Yb` name?
minus_one_at_all_labels: (F.softmax(logits, 1) - F.one_hot(Yb, probs.shape[1]).amax(0)) / n
    In every row, 1 is subtracted at the true classes of all examples. A row is one example: which class is its own?
predicted_for_true_class: gradient = F.softmax(logits, 1); gradient[range(n), logits.argmax(1)] -= 1; gradient / n
    You pull up the class that the network likes best, not the one that is true. The targets are in `Yb`; what the
    network believes is already in the other term.
true_class_forgotten: F.softmax(logits, 1) / n
    These are the probabilities alone, the slope of the logarithm of the sum. The true class's own logit is in the loss
    as well: which term does it add, and in which element of a row?
true_class_alone: own = F.one_hot(Yb, probs.shape[1]); torch.where(own == 1, probs - 1, own) / n
    Only the true class has a gradient here. The logits of the other classes are in the loss, too: where?
gradient_of_logprobs: -F.one_hot(Yb, probs.shape[1]) / n
    This is the gradient of `logprobs`. How do the logits of all classes come into each logarithm of a probability?
labels_as_values: (probs - Yb[:, None]) / n
    This subtracts the labels as if they were values. A label is a place: in which element of its row does the 1 belong?
logarithm_forgotten: -F.one_hot(Yb, probs.shape[1]) * probs * (1 - probs) / n
    You multiply by p (1 - p), the softmax's derivative with respect to a class's own logit. The logarithm in the loss
    still divides by a probability: carry it through and see what cancels.
""")
