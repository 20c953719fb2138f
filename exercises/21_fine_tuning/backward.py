"""Lesson 21: the backward passes of fine-tuning.

First four graphs, each from its loss backwards: an adapter, distillation, DPO and GRPO. `dsft`, `dkd`, `ddpo` and
`dgrpo` are the upstream gradients of the four losses: numbers, because a loss may be one term of a larger one. Then
four functions that put the parts together. Check your work with `dojo check 21`. README.md explains the forward passes
and derives one of the gradients.
"""

import torch
import torch.nn.functional as F


def dlogits(dsft, logits, targets, answer):
    """The gradient with respect to `logits`, of shape (4, 6, 11).

    Where the forward pass reads it:

        sft = -log_probability(logits, targets, answer).sum() / answer.sum()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dup(dlogits, alpha, rank):
    """The gradient with respect to `up`, of shape (4, 6, 11).

    Where the forward pass reads it:

        logits = x @ W + up * (alpha / rank)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dB(dup, down):
    """The gradient with respect to `B`, of shape (3, 11).

    Where the forward pass reads it:

        up = down @ B
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def ddown(dup, B):
    """The gradient with respect to `down`, of shape (4, 6, 3).

    Where the forward pass reads it:

        up = down @ B
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dA(ddown, x):
    """The gradient with respect to `A`, of shape (9, 3).

    Where the forward pass reads it:

        down = x @ A
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dlogits, ddown, W, A):
    """The gradient with respect to `x`, of shape (4, 6, 9).

    Where the forward pass reads it:

        down = x @ A
        logits = x @ W + up * (alpha / rank)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dkl(dkd, kl, T):
    """The gradient with respect to `kl`, of shape (7,).

    Where the forward pass reads it:

        kd = T**2 * kl.mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogq(dkl, p):
    """The gradient with respect to `logq`, of shape (7, 11).

    Where the forward pass reads it:

        kl = (p * (p.log() - logq)).sum(1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dz(dlogq, logq, T):
    """The gradient with respect to `z`, of shape (7, 11).

    Where the forward pass reads it:

        logq = F.log_softmax(z / T, 1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmargin(ddpo, margin):
    """The gradient with respect to `margin`, of shape (5,).

    Where the forward pass reads it:

        dpo = -F.logsigmoid(margin).mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogp_w(dmargin, beta):
    """The gradient with respect to `logp_w`, of shape (5,).

    Where the forward pass reads it:

        margin = beta * ((logp_w - ref_w) - (logp_l - ref_l))
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogp_l(dmargin, beta):
    """The gradient with respect to `logp_l`, of shape (5,).

    Where the forward pass reads it:

        margin = beta * ((logp_w - ref_w) - (logp_l - ref_l))
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    """The gradient with respect to `logits_w`, of shape (5, 6, 11).

    Where the forward pass reads it:

        logp_w = log_probability(logits_w, tokens_w, mask_w)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    """The gradient with respect to `logits_l`, of shape (5, 6, 11).

    Where the forward pass reads it:

        logp_l = log_probability(logits_l, tokens_l, mask_l)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dgain(dgrpo, said):
    """The gradient with respect to `gain`, of shape (8, 10).

    Where the forward pass reads it:

        grpo = -(((gain - weight * penalty) * said).sum(1) / said.sum(1)).mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dratio(dgain, ratio, advantage, clip):
    """The gradient with respect to `ratio`, of shape (8, 10).

    Where the forward pass reads it:

        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dpenalty(dgrpo, said, weight):
    """The gradient with respect to `penalty`, of shape (8, 10).

    Where the forward pass reads it:

        grpo = -(((gain - weight * penalty) * said).sum(1) / said.sum(1)).mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogp(dratio, dpenalty, ratio, logp, ref):
    """The gradient with respect to `logp`, of shape (8, 10).

    Where the forward pass reads it:

        ratio = (logp - old).exp()
        penalty = (ref - logp).exp() - (ref - logp) - 1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def accumulated(pieces, W, A, B, alpha):
    """The loss of one large batch and its gradients, from pieces of the batch, one piece after the other.

    pieces: a list of (x, targets, answer), of the shapes (batch, time, features), (batch, time) and (batch, time);
        `answer` is a mask of 0.0 and 1.0. Pieces may have different numbers of examples and of positions. Each has at
        least one token of an answer.
    W, A, B, alpha: the layer with its adapter, as in forward.py; the rank is `A.shape[1]`
    The loss is the mean over the tokens of all answers, in all pieces.
    Returns (loss, dA, dB).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def fine_tune(batches, W, A, B, alpha, rate):
    """Gradient descent on the adapter: one step for each batch.

    batches: a list with one entry per step, each of which is a list of pieces as `accumulated` takes it
    W, A, B, alpha: the layer with its adapter at the start; do not change these tensors
    rate: the learning rate
    Returns (losses, A, B): a list with the loss of each batch before its step, and the adapter after the last step.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def group_advantages(rewards):
    """The advantage of each answer: how many standard deviations its reward is above the mean of its group.

    rewards: (prompts, group), the rewards of the `group` answers to each prompt
    The standard deviation is that of the group, with the divisor group - 1. 0.0001 is added to it.
    Returns a tensor of the shape of `rewards`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogp_by_sequence(logp, old, said, advantage, clip):
    """The gradient of `logp` where whole answers are clipped (GSPO): there is one ratio for each answer.

        mean = ((logp - old) * said).sum(1, keepdim=True) / said.sum(1, keepdim=True)
        ratio = mean.exp()                                                             (answers, 1)
        loss = -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()

    logp, old, said: (answers, time), `said` with 1.0 where the answer has a token, else 0.0
    advantage: (answers, 1)
    clip: a number
    Returns a tensor of the shape of `logp`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
