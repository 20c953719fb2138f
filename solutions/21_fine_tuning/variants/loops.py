"""One example, one position, one pair, one answer at a time."""

import torch


def dlogits(dsft, logits, targets, answer):
    gradient, count = torch.zeros_like(logits), answer.sum()
    for b in range(len(logits)):
        for t in range(logits.shape[1]):
            if answer[b, t]:
                gradient[b, t] = torch.softmax(logits[b, t], 0) * dsft / count
                gradient[b, t, targets[b, t]] -= dsft / count
    return gradient


def dup(dlogits, alpha, rank):
    return torch.stack([each * alpha / rank for each in dlogits])


def dB(dup, down):
    return sum(a.T @ b for a, b in zip(down, dup))


def ddown(dup, B):
    return torch.stack([each @ B.T for each in dup])


def dA(ddown, x):
    return sum(a.T @ b for a, b in zip(x, ddown))


def dx(dlogits, ddown, W, A):
    return torch.stack([a @ W.T + b @ A.T for a, b in zip(dlogits, ddown)])


def dkl(dkd, kl, T):
    return torch.stack([dkd * T * T / kl.shape[0] for _ in kl])


def dlogq(dkl, p):
    return torch.stack([-up * row for up, row in zip(dkl, p)])


def dz(dlogq, z, T):
    rows = []
    for up, row in zip(dlogq, z):
        rows.append((up - torch.softmax(row / T, 0) * up.sum()) / T)
    return torch.stack(rows)


def dmargin(ddpo, margin):
    return torch.stack([ddpo / len(margin) * (1 / (1 + torch.exp(-m)) - 1) for m in margin])


def dlogp_w(dmargin, beta):
    return torch.stack([beta * up for up in dmargin])


def dlogp_l(dmargin, beta):
    return torch.stack([-beta * up for up in dmargin])


def of_log_probability(up, logits, tokens, mask):
    gradient = torch.zeros_like(logits)
    for i in range(len(logits)):
        for t in range(logits.shape[1]):
            if mask[i, t]:
                gradient[i, t] = -up[i] * torch.softmax(logits[i, t], 0)
                gradient[i, t, tokens[i, t]] += up[i]
    return gradient


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    return of_log_probability(dlogp_w, logits_w, tokens_w, mask_w)


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    return of_log_probability(dlogp_l, logits_l, tokens_l, mask_l)


def dgain(dgrpo, said):
    return torch.stack([-dgrpo / len(said) * row / row.sum() for row in said])


def dratio(dgain, ratio, advantage, clip):
    gradient = torch.zeros_like(ratio)
    for i in range(len(ratio)):
        for t in range(ratio.shape[1]):
            good = advantage[i, 0] > 0
            stopped = ratio[i, t] > 1 + clip if good else ratio[i, t] < 1 - clip
            if not stopped:
                gradient[i, t] = dgain[i, t] * advantage[i, 0]
    return gradient


def dpenalty(dgrpo, said, weight):
    return torch.stack([weight * dgrpo / len(said) * row / row.sum() for row in said])


def dlogp(dratio, dpenalty, logp, old, ref):
    return dratio * (logp - old).exp() + dpenalty - dpenalty * (ref - logp).exp()


def accumulated(pieces, W, A, B, alpha):
    """Token by token; the division comes last."""
    scale = alpha / A.shape[1]
    loss, of_A, of_B, count = 0.0, torch.zeros_like(A), torch.zeros_like(B), 0
    for xs, targets, answer in pieces:
        for b, t in torch.nonzero(answer).tolist():
            x, target = xs[b, t], targets[b, t]
            probs = torch.softmax(x @ W + x @ A @ B * scale, 0)
            loss, count = loss - probs[target].log(), count + 1
            up = probs.clone()
            up[target] -= 1
            of_A += torch.outer(x, B @ up) * scale
            of_B += torch.outer(x @ A, up) * scale
    return loss / count, of_A / count, of_B / count


def fine_tune(batches, W, A, B, alpha, rate):
    A, B, losses = A.clone(), B.clone(), []
    for pieces in batches:
        loss, of_A, of_B = accumulated(pieces, W, A, B, alpha)
        losses.append(float(loss))
        A -= rate * of_A
        B -= rate * of_B
    return losses, A, B


def group_advantages(rewards):
    rows = []
    for group in rewards:
        mean = sum(group) / len(group)
        variance = sum((reward - mean) ** 2 for reward in group) / (len(group) - 1)
        rows.append(torch.stack([(reward - mean) / (variance**0.5 + 1e-4) for reward in group]))
    return torch.stack(rows)


def dlogp_by_sequence(logp, old, said, advantage, clip):
    gradient = torch.zeros_like(logp)
    for i in range(len(logp)):
        places = said[i] == 1
        ratio = (logp[i] - old[i])[places].mean().exp()
        stopped = ratio > 1 + clip if advantage[i, 0] > 0 else ratio < 1 - clip
        if not stopped:
            gradient[i, places] = -advantage[i, 0] * ratio / places.sum() / len(logp)
    return gradient
