"""In numpy: arrays inside, with `np.add.at` for scatters, and tensors at the edges."""

import numpy as np
import torch


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def dz(drotated_z, cos, sin):
    g, c, s = drotated_z.numpy(), cos.numpy(), sin.numpy()
    gradient = np.empty_like(g)
    gradient[..., 0::2] = g[..., 0::2] * c + g[..., 1::2] * s
    gradient[..., 1::2] = g[..., 1::2] * c - g[..., 0::2] * s
    return tensor(gradient)


def dnormed_q(drotated_q, cos, sin):
    (a, b), c, s = np.split(drotated_q.numpy(), 2, axis=-1), cos.numpy(), sin.numpy()
    return tensor(np.concatenate((a * c + b * s, b * c - a * s), axis=-1))


def dgain_q(dnormed_q, qhat):
    return tensor((dnormed_q.numpy() * qhat.numpy()).sum(axis=(0, 1, 2)))


def back_through_norm(upstream, x, gain, eps):
    r = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + eps)
    g = upstream * gain
    dx = g * r - x * r**3 * (g * x).mean(-1, keepdims=True)
    return dx, (upstream * x * r).reshape(-1, x.shape[-1]).sum(0)


def dqh(dnormed_q, gain_q, qh, eps):
    return tensor(back_through_norm(dnormed_q.numpy(), qh.numpy(), gain_q.numpy(), eps)[0])


def dWdown(dy, act):
    return tensor(np.dot(act.numpy().T, dy.numpy()))


def dact(dy, Wdown):
    return tensor(np.dot(dy.numpy(), Wdown.numpy().T))


def dup(dact, gate):
    return tensor(dact.numpy() * gate.numpy() * sigmoid(gate.numpy()))


def silu_slope(x):
    return sigmoid(x) * (1 + x * sigmoid(-x))


def dgate(dact, gate, up):
    return tensor(dact.numpy() * up.numpy() * silu_slope(gate.numpy()))


def dWup(dup, h):
    return tensor(np.dot(h.numpy().T, dup.numpy()))


def dWgate(dgate, h):
    return tensor(np.dot(h.numpy().T, dgate.numpy()))


def dh(dgate, dup, Wgate, Wup):
    return tensor(np.dot(dgate.numpy(), Wgate.numpy().T) + np.dot(dup.numpy(), Wup.numpy().T))


def ddone(dmixed, shares, token, expert):
    token, expert = token.numpy(), expert.numpy()
    return tensor(dmixed.numpy()[token] * shares.numpy()[token, expert, None])


def dshares(dmixed, done, shares, token, expert):
    gradient = np.zeros(tuple(shares.shape), dtype=done.numpy().dtype)
    np.add.at(gradient, (token.numpy(), expert.numpy()), (dmixed.numpy()[token.numpy()] * done.numpy()).sum(1))
    return tensor(gradient)


def dprobs(dshares, dbalance, probs, chosen, load):
    p, g, kept = probs.numpy(), dshares.numpy(), chosen.numpy()
    total = np.where(kept, p, 0).sum(1, keepdims=True)
    inner = np.where(kept, p * g, 0).sum(1, keepdims=True) / total
    return tensor(np.where(kept, (g - inner) / total, 0) + float(dbalance) * load.numpy() * p.shape[1] / p.shape[0])


def droute(dprobs, probs):
    g, p = dprobs.numpy(), probs.numpy()
    return tensor(p * (g - (g * p).sum(1, keepdims=True)))


def dWr(droute, u):
    return tensor(np.dot(u.numpy().T, droute.numpy()))


def du(dsent, droute, Wr, token):
    gradient = np.dot(droute.numpy(), Wr.numpy().T)
    np.add.at(gradient, token.numpy(), dsent.numpy())
    return tensor(gradient)


def dlogits(logits, log_sum, Y, penalty):
    gradient = softmax(logits.numpy()) * (1 + 2 * penalty * log_sum.numpy()[:, None])
    np.subtract.at(gradient, (np.arange(len(gradient)), Y.numpy()), 1)
    return tensor(gradient / len(gradient))


def duncapped(dlogits, logits, cap):
    return tensor(dlogits.numpy() * (1 - np.square(logits.numpy() / cap)))


def dfinal(duncapped, wte):
    return tensor(np.dot(duncapped.numpy(), wte.numpy()))


def dwte(duncapped, dfinal, final, X):
    gradient = np.dot(duncapped.numpy().T, final.numpy())
    np.add.at(gradient, X.numpy(), dfinal.numpy())
    return tensor(gradient)


def block_backward(t, dout, dbalance):
    v = {name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in t.items()}
    d = {f"d{name}": np.zeros_like(v[name]) for name in ("Wdowns", "Wups", "Wgates")}
    eps, shape, token, expert = v["eps"], v["x"].shape, v["token"], v["expert"]
    mixed = dout.numpy().reshape(v["u"].shape)
    done = mixed[token] * v["shares"][token, expert, None]
    u = np.zeros_like(v["u"])
    for e in np.unique(expert):
        rows = expert == e
        act = done[rows] @ v["Wdowns"][e].T
        gate = act * v["up"][rows] * silu_slope(v["gate"][rows])
        up = act * v["gate"][rows] * sigmoid(v["gate"][rows])
        d["dWdowns"][e], d["dWups"][e] = v["act"][rows].T @ done[rows], v["sent"][rows].T @ up
        d["dWgates"][e] = v["sent"][rows].T @ gate
        np.add.at(u, token[rows], gate @ v["Wgates"][e].T + up @ v["Wups"][e].T)
    shares = dshares(tensor(mixed), t["done"], t["shares"], t["token"], t["expert"])
    route = droute(dprobs(shares, dbalance, t["probs"], t["chosen"], t["load"]), t["probs"]).numpy()
    d["dWr"] = v["u"].T @ route
    u += route @ v["Wr"].T
    through, d["dgain2"] = back_through_norm(u.reshape(shape), v["mid"], v["gain2"], eps)
    mid = dout.numpy() + through
    d["dWo"] = np.einsum("btd,btc->dc", v["merged"], mid)
    contexts = (mid @ v["Wo"].T).reshape(*shape[:2], v["heads"], -1).transpose(0, 2, 1, 3)
    weights = np.einsum("bhts,bhxs->bhtx", contexts, v["values"])
    scores = v["weights"] * (weights - (weights * v["weights"]).sum(3, keepdims=True)) / contexts.shape[3] ** 0.5
    copies = (np.einsum("bhtx,bhts->bhxs", a, b) for a, b in ((scores, v["rotated_q"]), (v["weights"], contexts)))
    keys, vh = (copy.reshape(shape[0], v["groups"], -1, *copy.shape[2:]).sum(2) for copy in copies)
    turned = [dnormed_q(tensor(part), t["cos"], t["sin"]).numpy() for part in (scores @ v["keys"], keys)]
    qh, d["dgain_q"] = back_through_norm(turned[0], v["qh"], v["gain_q"], eps)
    kh, d["dgain_k"] = back_through_norm(turned[1], v["kh"], v["gain_k"], eps)
    normed = np.zeros(shape)
    for name, part in (("Wq", qh), ("Wk", kh), ("Wv", vh)):
        merged = part.transpose(0, 2, 1, 3).reshape(*shape[:2], -1)
        d["d" + name] = np.einsum("btc,btd->cd", v["normed"], merged)
        normed += merged @ v[name].T
    through, d["dgain1"] = back_through_norm(normed, v["x"], v["gain1"], eps)
    d["dx"] = mid + through
    return {name: tensor(gradient) for name, gradient in d.items()}
