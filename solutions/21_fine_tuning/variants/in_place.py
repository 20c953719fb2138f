"""In place on its own tensors, and only at the places that a mask chooses; `accumulated` pads pieces to one batch."""

import torch
import torch.nn.functional as F


def dlogits(dsft, logits, targets, answer):
    chosen, gradient = answer.bool(), torch.zeros_like(logits)
    rows = torch.softmax(logits[chosen], 1)
    rows[torch.arange(len(rows)), targets[chosen]] -= 1
    gradient[chosen] = rows.mul_(dsft).div_(len(rows))
    return gradient


def dup(dlogits, alpha, rank):
    return dlogits.clone().mul_(alpha).div_(rank)


def dB(dup, down):
    return torch.zeros(down.shape[-1], dup.shape[-1], dtype=dup.dtype).addmm_(down.flatten(0, 1).T, dup.flatten(0, 1))


def ddown(dup, B):
    return F.linear(dup, B)


def dA(ddown, x):
    return torch.bmm(x.transpose(1, 2), ddown).sum(0)


def dx(dlogits, ddown, W, A):
    gradient = dlogits @ W.T
    gradient += ddown @ A.T
    return gradient


def dkl(dkd, kl, T):
    return torch.empty_like(kl).fill_(1 / len(kl)).mul_(dkd).mul_(T).mul_(T)


def dlogq(dkl, p):
    return p.clone().mul_(dkl.unsqueeze(1)).neg_()


def dz(dkl, p, logq, T):
    """Both steps at once, as for a cross-entropy with soft targets."""
    return logq.exp().sub_(p).mul_(dkl[:, None]).div_(T)


def dmargin(ddpo, margin):
    return torch.sigmoid(margin).sub_(1).mul_(ddpo).div_(margin.numel())


def dlogp_w(dmargin, beta):
    return dmargin.clone().mul_(beta)


def dlogp_l(dmargin, beta):
    return dmargin.clone().mul_(-beta)


def of_log_probability(up, logits, tokens, mask):
    gradient, (rows, places) = torch.zeros_like(logits), mask.nonzero(as_tuple=True)
    gradient[rows, places] = -torch.softmax(logits[rows, places], 1)
    gradient[rows, places, tokens[rows, places]] += 1
    return gradient.mul_(up[:, None, None])


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    return of_log_probability(dlogp_w, logits_w, tokens_w, mask_w)


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    return of_log_probability(dlogp_l, logits_l, tokens_l, mask_l)


def dgain(dgrpo, said):
    gradient = said.clone()
    gradient /= said.sum(1, keepdim=True)
    gradient *= -dgrpo / len(said)
    return gradient


def dratio(dgain, ratio, advantage, clip):
    gradient = dgain * advantage
    gradient[(ratio > 1 + clip) & (advantage > 0)] = 0
    gradient[(ratio < 1 - clip) & (advantage < 0)] = 0
    return gradient


def dpenalty(dgrpo, said, weight):
    return dgain(dgrpo, said).mul_(weight).neg_()


def dlogp(dratio, dpenalty, ratio, logp, ref):
    gradient = (ref - logp).exp_().neg_().add_(1).mul_(dpenalty)
    return gradient.addcmul_(dratio, ratio)


def padded(pieces, place, value):
    longest = max(piece[1].shape[1] for piece in pieces)
    rows = []
    for piece in pieces:
        missing = longest - piece[1].shape[1]
        after = (0, 0, 0, missing) if place == 0 else (0, missing)
        rows.append(F.pad(piece[place], after, value=value))
    return torch.cat(rows)


def accumulated(pieces, W, A, B, alpha):
    x, targets, answer = (padded(pieces, place, 0) for place in range(3))
    scale, down = alpha / A.shape[1], x @ A
    logits = torch.add(x @ W, down @ B, alpha=scale)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(answer.shape)
    of_up = dlogits(scale, logits, targets, answer)
    return (losses * answer).sum() / answer.sum(), dA(ddown(of_up, B), x), dB(of_up, down)


def fine_tune(batches, W, A, B, alpha, rate):
    adapter, losses = [A.clone(), B.clone()], []
    for pieces in batches:
        loss, *gradients = accumulated(pieces, W, *adapter, alpha)
        losses.append(loss)
        for value, gradient in zip(adapter, gradients):
            value.sub_(gradient, alpha=rate)
    return losses, *adapter


def group_advantages(rewards):
    gradient = rewards - rewards.mean(1, keepdim=True)
    return gradient.div_(gradient.square().sum(1, keepdim=True).div_(rewards.shape[1] - 1).sqrt_().add_(1e-4))


def dlogp_by_sequence(logp, old, said, advantage, clip):
    count = said.sum(1, keepdim=True)
    ratio = (logp - old).mul_(said).sum(1, keepdim=True).div_(count).exp_()
    gradient = said / count * ratio * -advantage / len(said)
    gradient[((ratio > 1 + clip) & (advantage > 0))[:, 0]] = 0
    gradient[((ratio < 1 - clip) & (advantage < 0))[:, 0]] = 0
    return gradient
