"""Log-probabilities in place of probabilities, gather and scatter for one-hot rows; `fine_tune` by recursion."""

import math

import torch


def log_probs(logits):
    return logits - torch.logsumexp(logits, -1, keepdim=True)


def minus_one_at(logits, tokens):
    """The gradient of minus the log-probability of each token."""
    return log_probs(logits).exp().scatter_add(-1, tokens[..., None], -torch.ones_like(logits[..., :1]))


def dlogits(dsft, logits, targets, answer):
    return minus_one_at(logits, targets) * (answer * (dsft / answer.sum())).unsqueeze(-1)


def dup(dlogits, alpha, rank):
    return alpha * dlogits / rank


def dB(dup, down):
    return down.flatten(0, 1).mT @ dup.flatten(0, 1)


def ddown(dup, B):
    return (B @ dup.mT).mT


def dA(ddown, x):
    return (ddown.flatten(0, 1).mT @ x.flatten(0, 1)).mT


def dx(dlogits, ddown, W, A):
    return torch.cat((dlogits, ddown), -1) @ torch.cat((W, A), 1).mT


def dkl(dkd, kl, T):
    return torch.full_like(kl, float(dkd) * T**2 / len(kl))


def dlogq(dkl, v, T):
    return -dkl.unsqueeze(1) * log_probs(v / T).exp()


def dz(dlogq, logq, T):
    return dlogq / T - torch.exp(logq - math.log(T)) * dlogq.sum(-1, keepdim=True)


def dmargin(ddpo, margin):
    return -ddpo * torch.exp(-torch.logaddexp(torch.zeros_like(margin), margin) - math.log(len(margin)))


def dlogp_w(ddpo, logp_w, logp_l, ref_w, ref_l, beta):
    """From the loss, with a margin of its own."""
    margin = beta * (logp_w - logp_l - ref_w + ref_l)
    return beta * dmargin(ddpo, margin)


def dlogp_l(dmargin, beta):
    return torch.neg(beta * dmargin)


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    return -minus_one_at(logits_w, tokens_w) * dlogp_w.view(-1, 1, 1) * mask_w.unsqueeze(-1)


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    return -minus_one_at(logits_l, tokens_l) * dlogp_l.view(-1, 1, 1) * mask_l.unsqueeze(-1)


def dgain(dgrpo, said):
    return torch.where(said > 0, -dgrpo / (said.sum(1, keepdim=True) * said.size(0)), 0.0)


def dratio(dgain, ratio, advantage, clip):
    """In log space: the interval of the log-ratio."""
    distance = ratio.log() * advantage.sign()
    edge = torch.where(advantage > 0, math.log(1 + clip), -math.log(1 - clip))
    return torch.where(distance <= edge, dgain * advantage, 0.0)


def dpenalty(dgrpo, said, weight):
    return -weight * dgain(dgrpo, said)


def dlogp(dratio, dpenalty, logp, old, ref):
    return dratio * torch.exp(logp - old) - torch.expm1(ref - logp) * dpenalty


def accumulated(pieces, W, A, B, alpha):
    """The tokens of all answers as one list."""
    x, targets = (torch.cat([each[place][each[2].bool()] for each in pieces]) for place in (0, 1))
    scale, down = alpha / B.shape[0], x @ A
    logits = x @ W + scale * down @ B
    loss = -log_probs(logits).gather(1, targets[:, None]).mean()
    of_up = minus_one_at(logits, targets) * (scale / len(x))
    return loss, x.T @ (of_up @ B.T), down.T @ of_up


def fine_tune(batches, W, A, B, alpha, rate):
    if not batches:
        return [], A, B
    loss, of_A, of_B = accumulated(batches[0], W, A, B, alpha)
    losses, *adapter = fine_tune(batches[1:], W, A - rate * of_A, B - rate * of_B, alpha, rate)
    return [loss, *losses], *adapter


def group_advantages(rewards):
    variance, mean = torch.var_mean(rewards, 1, keepdim=True)
    return (rewards - mean) / (variance.sqrt() + 0.0001)


def dlogp_by_sequence(logp, old, said, advantage, clip):
    count = said.sum(1, keepdim=True)
    log_ratio = ((logp - old) * said).sum(1, keepdim=True) / count
    edge = torch.where(advantage > 0, math.log(1 + clip), -math.log(1 - clip))
    found = torch.where(log_ratio * advantage.sign() <= edge, -advantage * log_ratio.exp(), 0.0)
    return (found / (len(logp) * count)).expand_as(logp) * said
