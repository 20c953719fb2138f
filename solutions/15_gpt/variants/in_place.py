"""Right, in place on its own tensors, with one matrix for queries, keys and values."""

import math

import torch
import torch.nn.functional as F


def scale_of(x):
    return torch.rsqrt(x.square().mean(2, keepdim=True).add_(1e-5))


def norm_back_(up, xhat, scale, gain, into):
    into += (up * xhat).sum((0, 1))
    up = up * gain
    return up.sub_(xhat * (up * xhat).mean(2, keepdim=True)).mul_(scale)


def walk(parameters, X, heads, keep):
    batch, time = X.shape
    x = parameters["wte"][X].add_(parameters["wpe"][:time])
    mask = torch.zeros(time, time, dtype=x.dtype).masked_fill_(
        torch.ones(time, time, dtype=torch.bool).triu_(1), -math.inf
    )
    for layer in range(parameters["Wq"].shape[0]):
        scale1 = scale_of(x)
        xhat1 = x * scale1
        normed = xhat1 * parameters["gain1"][layer]
        together = torch.cat([parameters[name][layer] for name in ("Wq", "Wk", "Wv")], 1)
        q, k, v = (normed @ together).view(batch, time, 3, heads, -1).permute(2, 0, 3, 1, 4)
        weights = (q @ k.mT).mul_(q.shape[3] ** -0.5).add_(mask).softmax(3)
        merged = (weights @ v).transpose(1, 2).reshape(x.shape)
        mid = x.clone().add_(merged @ parameters["Wo"][layer])
        scale2 = scale_of(mid)
        xhat2 = mid * scale2
        scaled = xhat2 * parameters["gain2"][layer]
        pre = scaled @ parameters["W1"][layer]
        gate = torch.erf(pre / math.sqrt(2)).add_(1).mul_(0.5)
        keep.append((scale1, xhat1, normed, together, q, k, v, weights, merged, scale2, xhat2, scaled, pre, gate))
        x = mid.add_((pre * gate) @ parameters["W2"][layer])
    scale3 = scale_of(x)
    return x * scale3, scale3


def gradients(parameters, X, Y, heads):
    kept, (batch, time) = [], X.shape
    xhat3, scale3 = walk(parameters, X, heads, kept)
    final = (xhat3 * parameters["gain3"]).flatten(0, 1)
    y = Y.flatten()
    up = (final @ parameters["wte"].T).log_softmax(1)
    loss = F.nll_loss(up, y, ignore_index=-1)
    up.exp_()
    known = y.ge(0)
    up[known.nonzero()[:, 0], y[known]] -= 1
    up.mul_(known[:, None]).div_(known.sum())
    d = {name: torch.zeros_like(value) for name, value in parameters.items()}
    d["wte"].addmm_(up.T, final)
    dx = (up @ parameters["wte"]).view(batch, time, -1)
    dx = norm_back_(dx, xhat3, scale3, parameters["gain3"], d["gain3"])
    for layer in range(len(kept))[::-1]:
        scale1, xhat1, normed, together, q, k, v, weights, merged, scale2, xhat2, scaled, pre, gate = kept[layer]
        d["W2"][layer].addmm_((pre * gate).flatten(0, 1).T, dx.flatten(0, 1))
        slope = pre.square().div_(-2).exp_().mul_(pre).div_(math.sqrt(2 * math.pi)).add_(gate)
        dpre = slope.mul_(dx @ parameters["W2"][layer].T)
        d["W1"][layer].addmm_(scaled.flatten(0, 1).T, dpre.flatten(0, 1))
        dx += norm_back_(dpre @ parameters["W1"][layer].T, xhat2, scale2, parameters["gain2"][layer], d["gain2"][layer])
        d["Wo"][layer].addmm_(merged.flatten(0, 1).T, dx.flatten(0, 1))
        back = (dx @ parameters["Wo"][layer].T).view(batch, time, heads, -1).transpose(1, 2)
        dqkv = torch.empty(3, *back.shape, dtype=dx.dtype)
        torch.matmul(weights.mT, back, out=dqkv[2])
        dscores = (back @ v.mT).mul_(weights)
        dscores.addcmul_(weights, dscores.sum(3, keepdim=True), value=-1).mul_(q.shape[3] ** -0.5)
        torch.matmul(dscores, k, out=dqkv[0])
        torch.matmul(dscores.mT, q, out=dqkv[1])
        dqkv = dqkv.permute(1, 3, 0, 2, 4).reshape(batch * time, -1)
        dtogether = normed.flatten(0, 1).T @ dqkv
        for name, part in zip(("Wq", "Wk", "Wv"), dtogether.chunk(3, 1)):
            d[name][layer].copy_(part)
        dnormed = (dqkv @ together.T).view(dx.shape)
        dx += norm_back_(dnormed, xhat1, scale1, parameters["gain1"][layer], d["gain1"][layer])
    for t in range(time):
        d["wpe"][t] += dx[:, t].sum(0)
        for b in range(batch):
            d["wte"][X[b, t]] += dx[b, t]
    return loss, d


def clip(gradients, most):
    norm = sum(each.pow(2).sum().item() for each in gradients.values()) ** 0.5
    clipped = {name: each.clone() for name, each in gradients.items()}
    if norm > most:
        for each in clipped.values():
            each *= most / norm
    return clipped, norm


def adam(parameters, gradients, means, squares, step, rate, decay):
    with torch.no_grad():
        for name, p in parameters.items():
            g, m, s = gradients[name], means[name], squares[name]
            m *= 0.9
            m += 0.1 * g
            s *= 0.99
            s += 0.01 * g * g
            if p.ndim > 1 and name not in ("gain1", "gain2"):
                p -= rate * decay * p
            p -= rate * (m / (1 - 0.9 ** (step + 1))) / (torch.sqrt(s / (1 - 0.99 ** (step + 1))) + 1e-8)


def learning_rate(step, max_steps):
    warm = max_steps / 10
    rate = min(step + 1, warm) / warm * 0.01
    if step >= warm:
        rate = 0.001 + (rate - 0.001) * 0.5 * (1 + math.cos(math.pi * (step - warm) / (max_steps - warm)))
    return rate


def train(parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
    losses = []
    with torch.inference_mode():
        for step, ix in enumerate(batches, start):
            loss, d = gradients(parameters, X[ix], Y[ix], heads)
            d, _ = clip(d, 1.0)
            adam(parameters, d, means, squares, step, learning_rate(step, max_steps), 0.1)
            losses.append(loss.item())
    return losses


def sample(parameters, heads, generator):
    name = []
    for _ in range(parameters["wpe"].shape[0]):
        xhat, _ = walk(parameters, torch.tensor([[0, *name]]), heads, [])
        logits = (xhat[0, -1] * parameters["gain3"]) @ parameters["wte"].T
        probs = logits.sub_(logits.max()).exp_()
        probs /= probs.sum()
        name.append(torch.multinomial(probs, num_samples=1, generator=generator).item())
        if name[-1] == 0:
            name.pop()
            break
    return name
