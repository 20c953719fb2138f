"""Loops over pairs, heads, tokens and experts."""

import math

import torch
import torch.nn.functional as F


def rotated(upstream, pairs, cos, sin):
    gradient = torch.zeros_like(upstream)
    for i, (first, second) in enumerate(pairs):
        gradient[..., first] = upstream[..., first] * cos[:, i] + upstream[..., second] * sin[:, i]
        gradient[..., second] = upstream[..., second] * cos[:, i] - upstream[..., first] * sin[:, i]
    return gradient


def dz(drotated_z, cos, sin):
    return rotated(drotated_z, [(2 * i, 2 * i + 1) for i in range(cos.shape[1])], cos, sin)


def dnormed_q(drotated_q, cos, sin):
    return rotated(drotated_q, [(i, i + cos.shape[1]) for i in range(cos.shape[1])], cos, sin)


def dgain_q(dnormed_q, qhat):
    return sum((dnormed_q[:, h] * qhat[:, h]).sum(1).sum(0) for h in range(qhat.shape[1]))


def back_through_norm(upstream, x, gain, eps):
    size = x.shape[-1]
    mean = sum(x[..., i] ** 2 for i in range(size)) / size + eps
    inner = sum(x[..., i] * upstream[..., i] * gain[i] for i in range(size)) / size
    return torch.stack(
        [gain[i] * upstream[..., i] * mean**-0.5 - x[..., i] * inner * mean**-1.5 for i in range(size)], -1
    )


def dqh(dnormed_q, gain_q, qh, eps):
    return back_through_norm(dnormed_q, qh, gain_q, eps)


def outer(values, upstream):
    return sum(a.outer(b) for a, b in zip(values, upstream))


def dWdown(dy, act):
    return outer(act, dy)


def dact(dy, Wdown):
    return torch.stack([Wdown @ row for row in dy])


def dup(dact, gate):
    return dact * gate / (1 + torch.exp(-gate))


def dgate(dact, gate, up):
    e = torch.exp(-gate)
    return dact * up * (1 + e + gate * e) / (1 + e) ** 2


def dWup(dup, h):
    return outer(h, dup)


def dWgate(dgate, h):
    return outer(h, dgate)


def dh(dgate, dup, Wgate, Wup):
    return torch.stack([Wgate @ a + Wup @ b for a, b in zip(dgate, dup)])


def ddone(dmixed, shares, token, expert):
    return torch.stack([dmixed[n] * shares[n, e] for n, e in zip(token, expert)])


def dshares(dmixed, done, shares, token, expert):
    gradient = torch.zeros_like(shares)
    for row, n, e in zip(done, token, expert):
        gradient[n, e] = row.dot(dmixed[n])
    return gradient


def dprobs(dshares, dbalance, probs, chosen, load):
    tokens, experts = probs.shape
    gradient = torch.zeros_like(probs)
    for n in range(tokens):
        p, g = probs[n, chosen[n]], dshares[n, chosen[n]]
        gradient[n, chosen[n]] = (g * p.sum() - g @ p) / p.sum() ** 2
        gradient[n] += dbalance * experts * load / tokens
    return gradient


def droute(dprobs, probs):
    return torch.stack([(torch.diag(p) - p.outer(p)) @ g for p, g in zip(probs, dprobs)])


def dWr(droute, u):
    return outer(u, droute)


def du(dsent, droute, Wr, token):
    gradient = torch.stack([Wr @ row for row in droute])
    for row, n in zip(dsent, token):
        gradient[n] += row
    return gradient


def dlogits(logits, log_sum, Y, penalty):
    gradient = torch.zeros_like(logits)
    for n, label in enumerate(Y):
        p = logits[n].softmax(0)
        gradient[n] = p + 2 * penalty * log_sum[n] * p
        gradient[n, label] -= 1
    return gradient / len(Y)


def duncapped(dlogits, uncapped, cap):
    e = torch.exp(-2 * (uncapped / cap).abs())
    return dlogits * 4 * e / (1 + e) ** 2


def dfinal(duncapped, wte):
    return sum(duncapped[:, v, None] * wte[v] for v in range(len(wte)))


def dwte(duncapped, dfinal, final, X):
    gradient = outer(duncapped, final)
    for n, place in enumerate(X):
        gradient[place] += dfinal[n]
    return gradient


def block_backward(t, dout, dbalance):
    d = {name: torch.zeros_like(t[name[1:]]) for name in ("dWdowns", "dWups", "dWgates", "dWo", "dWq", "dWk", "dWv")}
    mixed, eps = dout.flatten(0, 1), t["eps"]
    done = ddone(mixed, t["shares"], t["token"], t["expert"])
    sent = torch.zeros_like(done)
    for e in range(t["probs"].shape[1]):
        rows = (t["expert"] == e).nonzero()[:, 0]
        if not len(rows):
            continue
        act = done[rows] @ t["Wdowns"][e].T
        gate, up = dgate(act, t["gate"][rows], t["up"][rows]), dup(act, t["gate"][rows])
        d["dWdowns"][e] = t["act"][rows].T @ done[rows]
        d["dWups"][e], d["dWgates"][e] = t["sent"][rows].T @ up, t["sent"][rows].T @ gate
        sent[rows] = gate @ t["Wgates"][e].T + up @ t["Wups"][e].T
    shares = dshares(mixed, t["done"], t["shares"], t["token"], t["expert"])
    route = droute(dprobs(shares, dbalance, t["probs"], t["chosen"], t["load"]), t["probs"])
    d["dWr"] = dWr(route, t["u"])
    u = du(sent, route, t["Wr"], t["token"]).view(dout.shape)

    def gain(upstream, x):
        return (upstream * F.rms_norm(x, x.shape[-1:], eps=eps)).reshape(-1, x.shape[-1]).sum(0)

    d["dgain2"] = gain(u, t["mid"])
    mid = dout + back_through_norm(u, t["mid"], t["gain2"], eps)
    size, members = t["qh"].shape[3], t["heads"] // t["groups"]
    for a, b in zip(t["merged"], mid):
        d["dWo"] += a.T @ b
    qh, kh, vh = (torch.zeros_like(t[name]) for name in ("qh", "kh", "vh"))
    normed_q, normed_k = torch.zeros_like(qh), torch.zeros_like(kh)
    for head in range(t["heads"]):
        group, block = head // members, slice(head * size, (head + 1) * size)
        context, P = mid @ t["Wo"][block].T, t["weights"][:, head]
        vh[:, group] += P.mT @ context
        dP = context @ t["vh"][:, group].mT
        dS = P * (dP - (dP * P).sum(2, keepdim=True)) / math.sqrt(size)
        normed_q[:, head] = dnormed_q(dS @ t["rotated_k"][:, group], t["cos"], t["sin"])
        normed_k[:, group] += dnormed_q(dS.mT @ t["rotated_q"][:, head], t["cos"], t["sin"])
    d["dgain_q"], d["dgain_k"] = gain(normed_q, t["qh"]), gain(normed_k, t["kh"])
    qh, kh = (
        back_through_norm(normed_q, t["qh"], t["gain_q"], eps),
        back_through_norm(normed_k, t["kh"], t["gain_k"], eps),
    )
    normed = torch.zeros_like(t["x"])
    for name, heads in (("Wq", qh), ("Wk", kh), ("Wv", vh)):
        for head in range(heads.shape[1]):
            block = slice(head * size, (head + 1) * size)
            d["d" + name][:, block] = (t["normed"].mT @ heads[:, head]).sum(0)
            normed += heads[:, head] @ t[name][:, block].T
    d["dgain1"] = gain(normed, t["x"])
    d["dx"] = mid + back_through_norm(normed, t["x"], t["gain1"], eps)
    return d
