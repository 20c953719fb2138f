"""Slips of lesson 21 that used to get another slip's message: what undoes them by chance, or a hint about another line.

lesson: 21
dx: error | = RuntimeError: The size of tensor a (8) must match the size of tensor b (2) at non-singleton dimension 2. Two
    tensors meet, element by element or in `@` in front of the last two axes, and along one axis one has 8 elements, the
    other 2. Is a sum over the wrong axis, without `keepdim=True`, or a transpose too many or too few? You are given `B` (2,
    10), `W` (8, 10), `dlogits` (3, 7, 10), `dup` (3, 7, 10).
dkl: failed | In `torch.zeros_like(kl) * dkd`, every element is zero, and so is what it multiplies. With ones, your
dlogp_l: failed | uses the number 0.3, which is `beta` there: `-0.3 * dmargin`. Take it from what you are given.
dlogits_w: failed | Yours is not zero there, for example in [0, 0, 0]. Why does a change there change nothing?
dgain: failed | `said / said.sum(1, keepdim=True) / len(said) / -dgrpo` divides by `-dgrpo`. Multiplied by it, your `dgain`
dratio: error | You write `advantage.squeeze(1)` where `advantage` belongs. With that, your `dratio` is right.
accumulated: error | = With features 5, rank 2, vocabulary 7, alpha 3.0: TypeError: 'Tensor' object is not callable. Here a
    variable hides a function of the same name (`dA` and `dB`): inside this function, such a name means the variable. Give
    the variable another name.
fine_tune: error | This is computed with your `accumulated`, which is not right yet: start there.
"""


def dgain(dgrpo, said):
    return said / said.sum(1, keepdim=True) / len(said) / -dgrpo


def dx(dlogits, dup, W, B):
    return dlogits @ W.T + dup @ B.T


def dkl(dkd, kl, T):
    return torch.zeros_like(kl) * dkd * T**2 / len(kl)


def dlogp_l(dmargin):
    return -0.3 * dmargin


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    g = F.one_hot(tokens_w, logits_w.shape[2]) - F.softmax(logits_w, 2)
    return g * (dlogp_w[:, None] * (mask_w - 1).exp())[..., None]


def dratio(dgain, ratio, advantage, clip):
    is_open = ratio * advantage <= ratio.clamp(1 - clip, 1 + clip) * advantage
    return dgain * is_open * advantage.squeeze(1)


def accumulated(pieces, W, A, B, alpha):
    scale = alpha / A.shape[1]
    total = sum(answer.sum() for _, _, answer in pieces)
    loss, dA, dB = 0.0, torch.zeros_like(A), torch.zeros_like(B)
    for x, targets, answer in pieces:
        down = x @ A
        logits = x @ W + down @ B * scale
        log_probs = F.log_softmax(logits, 2).gather(2, targets[..., None])[..., 0]
        loss -= (log_probs * answer).sum() / total
        of_up = dlogits(answer.sum() / total, logits, targets, answer) * scale
        dA += dA(ddown(of_up, B), x)
        dB += dB(of_up, down)
    return loss, dA, dB


step = lambda pieces, *layer: accumulated(pieces, *layer)


def fine_tune(batches, W, A, B, alpha, rate):
    losses = []
    for pieces in batches:
        loss, of_A, of_B = step(pieces, W, A, B, alpha)
        A, B = A - rate * of_A, B - rate * of_B
        losses.append(loss)
    return losses, A, B
