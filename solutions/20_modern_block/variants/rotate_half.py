"""Rotations with `rotate_half` and with complex numbers, tensors of their own changed in place, values made again."""

import torch
import torch.nn.functional as F


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def dz(drotated_z, cos, sin):
    pairs = torch.view_as_complex(drotated_z.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.complex(cos, -sin)).flatten(-2)


def dnormed_q(drotated_q, cos, sin):
    return drotated_q * cos.repeat(1, 2) - rotate_half(drotated_q) * sin.repeat(1, 2)


def dgain_q(dnormed_q, qhat):
    return torch.tensordot(dnormed_q.flatten(0, 2).T, qhat.flatten(0, 2), 1).diagonal()


def norm_backward(upstream, x, gain, eps):
    """The gradients of x and of the gain."""
    rrms = x.pow(2).mean(-1, keepdim=True).add(eps).rsqrt()
    xhat = x * rrms
    dx = upstream * gain
    dx -= xhat * torch.linalg.vecdot(dx, xhat).unsqueeze(-1).div(x.shape[-1])
    dx *= rrms
    return dx, (upstream * xhat).sum(tuple(range(x.ndim - 1)))


def dqh(dnormed_q, gain_q, qh, eps):
    return norm_backward(dnormed_q, qh, gain_q, eps)[0]


def dWdown(dy, gate, up):
    return F.silu(gate).mul(up).T.mm(dy)


def dact(dy, Wdown):
    return F.linear(dy, Wdown)


def dup(dact, gate):
    return dact * torch.sigmoid(gate) * gate


def dgate(dact, gate, up):
    slope = torch.sigmoid(gate)
    slope += slope * (1 - slope) * gate
    slope *= up
    slope *= dact
    return slope


def dWup(dup, h):
    return torch.tensordot(h, dup, ([0], [0]))


def dWgate(dgate, h):
    return torch.tensordot(h, dgate, ([0], [0]))


def dh(dgate, dup, Wgate, Wup):
    return torch.addmm(F.linear(dup, Wup), dgate, Wgate.T)


def ddone(dmixed, shares, token, expert):
    gradient = dmixed.index_select(0, token)
    gradient *= shares[token, expert].unsqueeze(1)
    return gradient


def dshares(dmixed, done, shares, token, expert):
    gradient = torch.zeros(shares.numel(), dtype=done.dtype)
    gradient[token * shares.shape[1] + expert] = torch.linalg.vecdot(dmixed[token], done)
    return gradient.view_as(shares)


def dprobs(dshares, dbalance, probs, chosen):
    kept = probs.masked_fill(~chosen, 0)
    total = kept.sum(1, keepdim=True)
    gradient = dshares * total
    gradient -= (dshares * kept).sum(1, keepdim=True)
    gradient /= total.square()
    gradient *= chosen
    gradient += dbalance * probs.shape[1] * (chosen.sum(0).to(probs.dtype) / chosen.sum()) / probs.shape[0]
    return gradient


def droute(dprobs, probs):
    gradient = dprobs * probs
    gradient -= probs * gradient.sum(1, keepdim=True)
    return gradient


def dWr(droute, u):
    return torch.tensordot(u, droute, ([0], [0]))


def du(dsent, droute, Wr, token):
    gradient = F.linear(droute, Wr)
    gradient.index_put_((token,), dsent, accumulate=True)
    return gradient


def dlogits(logits, Y, penalty):
    gradient = F.softmax(logits, 1)
    gradient *= 1 + 2 * penalty * torch.logsumexp(logits, 1, keepdim=True)
    gradient.scatter_add_(1, Y[:, None], torch.full_like(gradient[:, :1], -1))
    gradient /= Y.numel()
    return gradient


def duncapped(dlogits, uncapped, cap):
    t = torch.tanh(uncapped / cap)
    return dlogits - dlogits * t.square()


def dfinal(duncapped, wte):
    return F.linear(duncapped, wte.T)


def dwte(duncapped, dfinal, final, wte, X):
    gradient = torch.zeros_like(wte)
    gradient.scatter_add_(0, X[:, None].expand_as(dfinal), dfinal)
    gradient.addmm_(duncapped.T, final)
    return gradient


def block_backward(t, dout, dbalance):
    d, eps, heads, groups = {}, t["eps"], t["heads"], t["groups"]
    token, expert, mixed = t["token"], t["expert"], dout.reshape(t["u"].shape)
    sizes = t["chosen"].sum(0).tolist()
    done = ddone(mixed, t["shares"], token, expert)
    # the rows of each expert follow each other
    parts = []
    for e, (of, values, g, a, h) in enumerate(
        zip(*(rows.split(sizes) for rows in (done, t["sent"], t["gate"], t["up"], t["act"])))
    ):
        act = dact(of, t["Wdowns"][e])
        gate, up = dgate(act, g, a), dup(act, g)
        parts.append((h.T @ of, values.T @ up, values.T @ gate, dh(gate, up, t["Wgates"][e], t["Wups"][e])))
    d["dWdowns"], d["dWups"], d["dWgates"] = (torch.stack(each) for each in list(zip(*parts))[:3])
    sent = torch.cat([part[3] for part in parts])
    shares = dshares(mixed, t["done"], t["shares"], token, expert)
    route = droute(dprobs(shares, dbalance, t["probs"], t["chosen"]), t["probs"])
    d["dWr"] = dWr(route, t["u"])
    through, d["dgain2"] = norm_backward(du(sent, route, t["Wr"], token).view_as(dout), t["mid"], t["gain2"], eps)
    mid = through.add_(dout)
    d["dWo"] = torch.tensordot(t["merged"], mid, ([0, 1], [0, 1]))
    contexts = F.linear(mid, t["Wo"]).unflatten(-1, (heads, -1)).permute(0, 2, 1, 3)
    weights = contexts.matmul(t["values"].transpose(-2, -1))
    weights *= t["weights"]
    weights -= t["weights"] * weights.sum(-1, keepdim=True)
    weights /= t["qh"].shape[-1] ** 0.5
    keys = (weights.transpose(-2, -1) @ t["rotated_q"]).unflatten(1, (groups, -1)).sum(2)
    values = (t["weights"].transpose(-2, -1) @ contexts).unflatten(1, (groups, -1)).sum(2)
    qh, d["dgain_q"] = norm_backward(dnormed_q(weights @ t["keys"], t["cos"], t["sin"]), t["qh"], t["gain_q"], eps)
    kh, d["dgain_k"] = norm_backward(dnormed_q(keys, t["cos"], t["sin"]), t["kh"], t["gain_k"], eps)
    normed = torch.zeros_like(t["x"])
    for name, parts in (("Wq", qh), ("Wk", kh), ("Wv", values)):
        merged = parts.permute(0, 2, 1, 3).reshape(*normed.shape[:2], -1)
        d["d" + name] = torch.tensordot(t["normed"], merged, ([0, 1], [0, 1]))
        normed += F.linear(merged, t[name])
    d["dx"], d["dgain1"] = norm_backward(normed, t["x"], t["gain1"], eps)
    d["dx"] += mid
    return d
