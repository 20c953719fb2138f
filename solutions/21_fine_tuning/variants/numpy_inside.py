"""Arrays of numpy inside; `accumulated` keeps running means of the pieces seen so far."""

import numpy as np
import torch


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array))


def softmax(array):
    powers = np.exp(array - array.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def from_targets(logits, targets):
    gradient = softmax(logits)
    np.put_along_axis(gradient, targets[..., None], np.take_along_axis(gradient, targets[..., None], -1) - 1, -1)
    return gradient


def dlogits(dsft, logits, targets, answer):
    mask = answer.numpy()
    return tensor(from_targets(logits.numpy(), targets.numpy()) * mask[..., None] * (dsft.item() / mask.sum()))


def dup(dlogits, alpha, rank):
    return tensor(dlogits.numpy() * (alpha / rank))


def dB(dup, down):
    return tensor(np.tensordot(down.numpy(), dup.numpy(), axes=([0, 1], [0, 1])))


def ddown(dup, B):
    return tensor(dup.numpy() @ B.numpy().T)


def dA(ddown, x):
    return tensor(np.tensordot(x.numpy(), ddown.numpy(), axes=([0, 1], [0, 1])))


def dx(dlogits, ddown, W, A):
    return tensor(np.matmul(dlogits.numpy(), W.numpy().T) + np.matmul(ddown.numpy(), A.numpy().T))


def dkl(dkd, kl, T):
    return tensor(np.full(len(kl), dkd.item() * T**2 / len(kl), dtype=kl.numpy().dtype))


def dlogq(dkl, p):
    return tensor(-dkl.numpy()[:, None] * p.numpy())


def dz(dlogq, z, T):
    up = dlogq.numpy()
    return tensor((up - softmax(z.numpy() / T) * up.sum(1, keepdims=True)) / T)


def dmargin(ddpo, margin):
    m = margin.numpy()
    return tensor(-ddpo.item() / (1 + np.exp(m)) / m.size)


def dlogp_w(dmargin, beta):
    return tensor(np.multiply(beta, dmargin.numpy()))


def dlogp_l(dmargin, beta):
    return tensor(np.multiply(-beta, dmargin.numpy()))


def of_log_probability(up, logits, tokens, mask):
    return tensor(-from_targets(logits.numpy(), tokens.numpy()) * (up.numpy()[:, None] * mask.numpy())[..., None])


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    return of_log_probability(dlogp_w, logits_w, tokens_w, mask_w)


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    return of_log_probability(dlogp_l, logits_l, tokens_l, mask_l)


def dgain(dgrpo, said):
    mask = said.numpy()
    return tensor(-dgrpo.item() / len(mask) * mask / mask.sum(1, keepdims=True))


def dratio(dgain, ratio, advantage, clip):
    r, a = ratio.numpy(), advantage.numpy()
    stopped = np.where(a > 0, r > 1 + clip, r < 1 - clip)
    return tensor(np.where(stopped, 0, dgain.numpy() * a))


def dpenalty(dgrpo, said, weight):
    return -weight * dgain(dgrpo, said)


def dlogp(dratio, dpenalty, ratio, logp, ref):
    return tensor(dratio.numpy() * ratio.numpy() - dpenalty.numpy() * np.expm1(ref.numpy() - logp.numpy()))


def accumulated(pieces, W, A, B, alpha):
    W, A, B = (each.numpy() for each in (W, A, B))
    scale, seen, means = alpha / A.shape[1], 0.0, [0.0, np.zeros_like(A), np.zeros_like(B)]
    for x, targets, answer in pieces:
        rows = answer.numpy() > 0
        x, targets = x.numpy()[rows], targets.numpy()[rows]
        logits, count = x @ (W + scale * A @ B), len(x)
        losses = -np.log(np.take_along_axis(softmax(logits), targets[:, None], 1))
        up = from_targets(logits, targets) * (scale / count)
        seen += count
        for place, found in enumerate((losses.mean(), x.T @ up @ B.T, A.T @ x.T @ up)):
            means[place] = means[place] + (found - means[place]) * (count / seen)
    return torch.tensor(means[0]), tensor(means[1]), tensor(means[2])


def fine_tune(batches, W, A, B, alpha, rate):
    losses = np.zeros(len(batches))
    for step, pieces in enumerate(batches):
        loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
        losses[step] = loss.item()
        A, B = A - rate * of_A, B - rate * of_B
    return losses, A, B


def group_advantages(rewards):
    groups = rewards.numpy()
    centred = groups - groups.mean(1, keepdims=True)
    return tensor(centred / (groups.std(1, ddof=1, keepdims=True) + 1e-4))


def dlogp_by_sequence(logp, old, said, advantage, clip):
    mask, a = said.numpy(), advantage.numpy()
    ratio = np.exp(np.average((logp - old).numpy(), axis=1, weights=mask))[:, None]
    stopped = np.where(a > 0, ratio > 1 + clip, ratio < 1 - clip)
    return tensor(np.where(stopped, 0, -a * ratio) * mask / mask.sum(1, keepdims=True) / len(mask))
