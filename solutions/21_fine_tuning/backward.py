"""Lesson 21: the backward passes of fine-tuning.

First four graphs, each from its loss backwards: an adapter, distillation, DPO and GRPO. `dsft`, `dkd`, `ddpo` and
`dgrpo` are the upstream gradients of the four losses: numbers, because a loss may be one term of a larger one. Then
four functions that put the parts together. Check your work with `dojo check 21`. README.md explains the forward passes
and derives one of the gradients.
"""

import torch
import torch.nn.functional as F


def dlogits(dsft, logits, targets, answer):
    # <answer>
    gradient = F.softmax(logits, 2) - F.one_hot(targets, logits.shape[2])
    return dsft * gradient * answer[..., None] / answer.sum()
    # </answer>


def dup(dlogits, alpha, rank):
    # <answer>
    return dlogits * (alpha / rank)
    # </answer>


def dB(dup, down):
    # <answer>
    return torch.einsum("btr,btv->rv", down, dup)
    # </answer>


def ddown(dup, B):
    # <answer>
    return dup @ B.T
    # </answer>


def dA(ddown, x):
    # <answer>
    return torch.einsum("btf,btr->fr", x, ddown)
    # </answer>


def dx(dlogits, ddown, W, A):
    # <answer>
    return dlogits @ W.T + ddown @ A.T
    # </answer>


def dkl(dkd, kl, T):
    # <answer>
    return dkd * T**2 / len(kl) * torch.ones_like(kl)
    # </answer>


def dlogq(dkl, p):
    # <answer>
    return -dkl[:, None] * p
    # </answer>


def dz(dlogq, logq, T):
    # <answer>
    return (dlogq - logq.exp() * dlogq.sum(1, keepdim=True)) / T
    # </answer>


def dmargin(ddpo, margin):
    # <answer>
    return -ddpo * torch.sigmoid(-margin) / len(margin)
    # </answer>


def dlogp_w(dmargin, beta):
    # <answer>
    return dmargin * beta
    # </answer>


def dlogp_l(dmargin, beta):
    # <answer>
    return -dmargin * beta
    # </answer>


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    # <answer>
    gradient = F.one_hot(tokens_w, logits_w.shape[2]) - F.softmax(logits_w, 2)
    return gradient * (dlogp_w[:, None] * mask_w)[..., None]
    # </answer>


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    # <answer>
    gradient = F.one_hot(tokens_l, logits_l.shape[2]) - F.softmax(logits_l, 2)
    return gradient * (dlogp_l[:, None] * mask_l)[..., None]
    # </answer>


def dgain(dgrpo, said):
    # <answer>
    return -dgrpo * said / said.sum(1, keepdim=True) / len(said)
    # </answer>


def dratio(dgain, ratio, advantage, clip):
    # <answer>
    is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
    return dgain * advantage * is_open
    # </answer>


def dpenalty(dgrpo, said, weight):
    # <answer>
    return dgrpo * weight * said / said.sum(1, keepdim=True) / len(said)
    # </answer>


def dlogp(dratio, dpenalty, ratio, logp, ref):
    # <answer>
    return dratio * ratio + dpenalty * (1 - (ref - logp).exp())
    # </answer>


def accumulated(pieces, W, A, B, alpha):
    """The loss of one large batch and its gradients, from pieces of the batch, one piece after the other.

    pieces: a list of (x, targets, answer), of the shapes (batch, time, features), (batch, time) and (batch, time);
        `answer` is a mask of 0.0 and 1.0. Pieces may have different numbers of examples and of positions. Each has at
        least one token of an answer.
    W, A, B, alpha: the layer with its adapter, as in forward.py; the rank is `A.shape[1]`
    The loss is the mean over the tokens of all answers, in all pieces.
    Returns (loss, dA, dB).
    """
    # <answer>
    scale = alpha / A.shape[1]
    total = sum(answer.sum() for _, _, answer in pieces)
    loss, of_A, of_B = 0.0, torch.zeros_like(A), torch.zeros_like(B)
    for x, targets, answer in pieces:
        down = x @ A
        logits = x @ W + down @ B * scale
        log_probs = F.log_softmax(logits, 2).gather(2, targets[..., None])[..., 0]
        mean = -(log_probs * answer).sum() / answer.sum()
        share = answer.sum() / total
        loss += mean * share
        of_up = dlogits(share, logits, targets, answer) * scale
        of_A += dA(ddown(of_up, B), x)
        of_B += dB(of_up, down)
    return loss, of_A, of_B
    # </answer>


def fine_tune(batches, W, A, B, alpha, rate):
    """Gradient descent on the adapter: one step for each batch.

    batches: a list with one entry per step, each of which is a list of pieces as `accumulated` takes it
    W, A, B, alpha: the layer with its adapter at the start; do not change these tensors
    rate: the learning rate
    Returns (losses, A, B): a list with the loss of each batch before its step, and the adapter after the last step.
    """
    # <answer>
    losses = []
    for pieces in batches:
        loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
        A, B = A - rate * of_A, B - rate * of_B
        losses.append(loss)
    return losses, A, B
    # </answer>


def group_advantages(rewards):
    """The advantage of each answer: how many standard deviations its reward is above the mean of its group.

    rewards: (prompts, group), the rewards of the `group` answers to each prompt
    The standard deviation is that of the group, with the divisor group - 1. 0.0001 is added to it.
    Returns a tensor of the shape of `rewards`.
    """
    # <answer>
    mean, deviation = rewards.mean(1, keepdim=True), rewards.std(1, keepdim=True)
    return (rewards - mean) / (deviation + 1e-4)
    # </answer>


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
    # <answer>
    count = said.sum(1, keepdim=True)
    ratio = (((logp - old) * said).sum(1, keepdim=True) / count).exp()
    is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
    return -advantage * is_open * ratio / len(logp) * said / count
    # </answer>
