"""Right, with checkpointing: only what each block reads is kept. The gradients are a tuple, as in lesson.toml."""

import math

import torch
import torch.nn.functional as F

ORDER = ("gain3", "W2", "W1", "gain2", "Wo", "Wv", "Wq", "Wk", "gain1", "wpe", "wte")


def norm(x, gain):
    return F.rms_norm(x, gain.shape, gain, 1e-5)


def norm_backward(up, x, gain):
    """With each position's Jacobian: (I - xhat xhat' / n) / rms."""
    n = x.shape[2]
    root = (x.pow(2).mean(2) + 1e-5).sqrt()[:, :, None]
    xhat = x / root
    jacobian = (torch.eye(n, dtype=x.dtype) - xhat[:, :, :, None] * xhat[:, :, None, :] / n) / root[:, :, :, None]
    return ((up * gain)[:, :, None, :] @ jacobian)[:, :, 0], (up * xhat).sum(1).sum(0)


def heads_of(x, heads):
    return torch.stack(x.chunk(heads, 2), 1)


def joined(y):
    return torch.cat(list(y.unbind(1)), 2)


def inside(x, P, layer, heads):
    normed = norm(x, P["gain1"][layer])
    q, k, v = (heads_of(normed @ P[name][layer], heads) for name in ("Wq", "Wk", "Wv"))
    scores = q @ k.mT / q.shape[3] ** 0.5
    scores = scores - 1e30 * torch.ones_like(scores[0, 0]).triu(1)
    weights = scores.softmax(3)
    mid = x + joined(weights @ v) @ P["Wo"][layer]
    scaled = norm(mid, P["gain2"][layer])
    return normed, q, k, v, weights, mid, scaled, scaled @ P["W1"][layer]


def gradients(parameters, X, Y, heads):
    P = parameters
    x = P["wte"].index_select(0, X.reshape(-1)).view(*X.shape, -1) + P["wpe"][: X.shape[1]]
    read = []
    for layer in range(len(P["W1"])):
        read.append(x)
        *_, mid, _, pre = inside(x, P, layer, heads)
        x = mid + F.gelu(pre) @ P["W2"][layer]
    final = norm(x, P["gain3"]).flatten(0, 1)
    logits = final @ P["wte"].T
    loss = F.cross_entropy(logits, Y.reshape(-1), ignore_index=-1)
    target = Y.reshape(-1)
    dlogits = logits.softmax(1)
    dlogits[torch.arange(len(target)), target.clamp(min=0)] -= 1
    dlogits[target < 0] = 0
    dlogits /= (target >= 0).sum()
    dwte = dlogits.T @ final
    dx, dgain3 = norm_backward((dlogits @ P["wte"]).view(x.shape), x, P["gain3"])
    d = {name: torch.empty_like(P[name]) for name in ("gain1", "Wq", "Wk", "Wv", "Wo", "gain2", "W1", "W2")}
    for layer in range(len(read) - 1, -1, -1):
        x = read.pop()
        normed, q, k, v, weights, mid, scaled, pre = inside(x, P, layer, heads)
        d["W2"][layer] = (F.gelu(pre).mT @ dx).sum(0)
        slope = torch.special.ndtr(pre) + pre * torch.distributions.Normal(0.0, 1.0).log_prob(pre).exp()
        dpre = dx @ P["W2"][layer].T * slope
        d["W1"][layer] = (scaled.mT @ dpre).sum(0)
        back, d["gain2"][layer] = norm_backward(dpre @ P["W1"][layer].T, mid, P["gain2"][layer])
        dx = dx + back
        d["Wo"][layer] = (joined(weights @ v).mT @ dx).sum(0)
        up = heads_of(dx @ P["Wo"][layer].T, heads)
        scores = weights * (up @ v.mT)
        scores = (scores - weights * scores.sum(3, keepdim=True)) / math.sqrt(q.shape[3])
        dqkv = torch.cat([joined(scores @ k), joined(scores.mT @ q), joined(weights.mT @ up)], 2)
        together = torch.cat([P[name][layer] for name in ("Wq", "Wk", "Wv")], 1)
        for name, each in zip(("Wq", "Wk", "Wv"), (normed.mT @ dqkv).sum(0).chunk(3, 1)):
            d[name][layer] = each
        back, d["gain1"][layer] = norm_backward(dqkv @ together.T, x, P["gain1"][layer])
        dx = dx + back
    dwpe = torch.zeros_like(P["wpe"])
    dwpe[: X.shape[1]] = torch.ones(len(X), dtype=dx.dtype) @ dx.transpose(0, 1)
    dwte = dwte.index_add(0, X.reshape(-1), dx.reshape(-1, dx.shape[2]))
    d |= {"gain3": dgain3, "wpe": dwpe, "wte": dwte}
    return loss, *(d[name] for name in ORDER)


def clip(gradients, most):
    norm = torch.cat([each.reshape(-1) for each in gradients.values()]).norm()
    return {name: each * torch.clamp(most / norm, max=1.0) if norm else each for name, each in gradients.items()}, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    names = list(parameters)
    slopes, m, s = ([table[name] for name in names] for table in (gradients, means, squares))
    torch._foreach_mul_(m, 0.9)
    torch._foreach_add_(m, slopes, alpha=0.1)
    torch._foreach_mul_(s, 0.99)
    torch._foreach_addcmul_(s, slopes, slopes, value=0.01)
    torch._foreach_mul_([parameters[name] for name in names if name[0] != "g"], 1 - rate * decay)
    roots = torch._foreach_sqrt(torch._foreach_div(s, 1 - 0.99 ** (step + 1)))
    torch._foreach_add_(roots, 1e-8)
    torch._foreach_addcdiv_([parameters[name] for name in names], m, roots, value=-rate / (1 - 0.9 ** (step + 1)))


def learning_rate(step, max_steps):
    rise = (step + 1) / (max_steps / 10)
    fall = (1 + math.cos(math.pi * (step / max_steps - 0.1) / 0.9)) / 2
    return 0.01 * rise if step < max_steps / 10 else 0.001 + 0.009 * fall


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    losses = []
    for step, ix in enumerate(batches, start):
        loss, *slopes = gradients(parameters, X[ix], Y[ix], heads)
        clipped, _ = clip(dict(zip(ORDER, slopes)), 1.0)
        adam(parameters, clipped, means, squares, step, learning_rate(step, max_steps), 0.1)
        losses.append(loss)
    return torch.stack(losses) if losses else []


def sample(parameters, heads, generator):
    P, context = parameters, [0]
    while len(context) <= len(P["wpe"]):
        x = P["wte"][context][None] + P["wpe"][: len(context)]
        for layer in range(len(P["W1"])):
            *_, mid, _, pre = inside(x, P, layer, heads)
            x = mid + F.gelu(pre) @ P["W2"][layer]
        edges = torch.softmax(norm(x, P["gain3"])[0, -1] @ P["wte"].T, 0).cumsum(0)
        drawn = torch.rand(1, generator=generator, dtype=edges.dtype) * edges[-1]
        token = min(int(torch.searchsorted(edges, drawn, right=True)), len(edges) - 1)
        if token == 0:
            break
        context.append(token)
    return context[1:]
