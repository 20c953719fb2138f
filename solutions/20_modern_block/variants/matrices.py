"""Rotations, gathers and scatters as products with matrices, Jacobians written out, and every expert on every token."""

import torch
import torch.nn.functional as F


def rotation(angles, first, second):
    """(time, size, size): the matrix of each position, for the pairs (first[i], second[i])."""
    matrix = torch.zeros(len(angles), 2 * len(first), 2 * len(first), dtype=angles.dtype)
    matrix[:, first, first] = matrix[:, second, second] = angles.cos()
    matrix[:, second, first] = angles.sin()
    matrix[:, first, second] = -angles.sin()
    return matrix


def dz(drotated_z, angles):
    features = torch.arange(drotated_z.shape[2])
    return torch.einsum("tji,btj->bti", rotation(angles, features[0::2], features[1::2]), drotated_z)


def dnormed_q(drotated_q, angles):
    features = torch.arange(drotated_q.shape[3])
    return (drotated_q.unsqueeze(3) @ rotation(angles, *features.chunk(2))).squeeze(3)


def dgain_q(dnormed_q, qhat):
    return (dnormed_q * qhat).flatten(0, -2).sum(0)


def back_through_norm(upstream, x, gain, eps):
    """Subtract the part of the gradient that is parallel to x."""
    squares = x.square().sum(-1, keepdim=True) + eps * x.shape[-1]
    g = upstream * gain
    return (g - x * (g * x).sum(-1, keepdim=True) / squares) * (squares / x.shape[-1]).rsqrt()


def dqh(dnormed_q, gain_q, qh, eps):
    return back_through_norm(dnormed_q, qh, gain_q, eps)


def dWdown(dy, act):
    return (dy.T @ act).T


def dact(dy, Wdown):
    return (Wdown @ dy.T).T


def dup(dact, gate):
    return F.silu(gate) * dact


def dgate(dact, gate, up):
    """SiLU as x / 2 * (1 + tanh(x / 2))."""
    h = torch.tanh(gate / 2)
    return dact * up * (1 + h + gate / 2 * (1 - h * h)) / 2


def dWup(dup, h):
    return (dup.T @ h).T


def dWgate(dgate, h):
    return (dgate.T @ h).T


def dh(dgate, dup, Wgate, Wup):
    return torch.cat((dgate, dup), 1) @ torch.cat((Wgate, Wup), 1).T


def rows_of(places, count, dtype):
    """(rows, count), with a 1 at each row's place."""
    return (places[:, None] == torch.arange(count)).to(dtype)


def ddone(dmixed, shares, token, expert):
    combine = rows_of(token, len(shares), dmixed.dtype) * shares[:, expert].T
    return combine @ dmixed


def dshares(dmixed, done, shares, token, expert):
    products = (dmixed @ done.T) * rows_of(token, len(shares), done.dtype).T
    return products @ rows_of(expert, shares.shape[1], done.dtype)


def dprobs(dshares, dbalance, probs, chosen, shares, load):
    """With the Jacobian of each token's shares."""
    total = (probs * chosen).sum(1)[:, None, None]
    jacobian = (torch.diag_embed(chosen.to(probs.dtype)) - shares[:, :, None] * chosen[:, None, :]) / total
    return (dshares[:, None, :] @ jacobian)[:, 0] + dbalance * probs.shape[1] / len(probs) * load


def droute(dprobs, probs):
    jacobian = torch.diag_embed(probs) - probs[:, :, None] * probs[:, None, :]
    return (jacobian @ dprobs[:, :, None]).squeeze(2)


def dWr(droute, u):
    return (droute.T @ u).T


def du(dsent, droute, Wr, token):
    return rows_of(token, len(droute), dsent.dtype).T @ dsent + (Wr @ droute.T).T


def dlogits(logits, Y, penalty):
    p, log_sum = logits.softmax(1), logits.logsumexp(1, keepdim=True)
    n, vocabulary = logits.shape
    return (p - rows_of(Y, vocabulary, p.dtype)) / n + p * log_sum * (2 * penalty / n)


def duncapped(dlogits, logits, cap):
    return dlogits * (cap - logits) * (cap + logits) / cap**2


def dfinal(duncapped, wte):
    return (wte.T @ duncapped.T).T


def dwte(duncapped, dfinal, final, X):
    return torch.cat((duncapped, rows_of(X, duncapped.shape[1], dfinal.dtype))).T @ torch.cat((final, dfinal))


def block_backward(t, dout, dbalance):
    """Every expert on every token: a row of `act` is (expert, token, hidden), with a share of zero where not chosen."""
    eps, mixed, u = t["eps"], dout.flatten(0, 1), t["u"]
    gate, up = u @ t["Wgates"], u @ t["Wups"]
    act = F.silu(gate) * up
    done = t["shares"].T[:, :, None] * mixed
    back = done @ t["Wdowns"].mT
    dups, dgates = dup(back, gate), dgate(back, gate, up)
    shares = ((act @ t["Wdowns"]) * mixed).sum(2).T * t["chosen"]
    route = droute(dprobs(shares, dbalance, t["probs"], t["chosen"], t["shares"], t["load"]), t["probs"])
    from_experts = (dgates @ t["Wgates"].mT + dups @ t["Wups"].mT).sum(0)
    through = (from_experts + route @ t["Wr"].T).view(dout.shape)
    mid = dout + back_through_norm(through, t["mid"], t["gain2"], eps)

    def gain(upstream, x):
        return (upstream * x * (x.square().mean(-1, keepdim=True) + eps).rsqrt()).flatten(0, -2).sum(0)

    def merged(y):
        return y.transpose(1, 2).flatten(2)

    def of_groups(y):
        return y.unflatten(1, (t["groups"], -1)).sum(2)

    contexts = (mid @ t["Wo"].T).unflatten(2, (t["heads"], -1)).transpose(1, 2)
    weights = contexts @ t["values"].mT
    scores = t["weights"] * (weights - (weights * t["weights"]).sum(3, keepdim=True)) / t["qh"].shape[3] ** 0.5
    normed_q = dnormed_q(scores @ t["keys"], t["angles"])
    normed_k = of_groups(dnormed_q(scores.mT @ t["rotated_q"], t["angles"]))
    qkv = (
        merged(back_through_norm(normed_q, t["qh"], t["gain_q"], eps)),
        merged(back_through_norm(normed_k, t["kh"], t["gain_k"], eps)),
        merged(of_groups(t["weights"].mT @ contexts)),
    )
    joined = torch.cat(qkv, 2)
    normed = joined @ torch.cat((t["Wq"], t["Wk"], t["Wv"]), 1).T
    slopes = (t["normed"].flatten(0, 1).T @ joined.flatten(0, 1)).split([part.shape[2] for part in qkv], 1)
    return {
        "dWdowns": act.mT @ done,
        "dWups": u.T @ dups,
        "dWgates": u.T @ dgates,
        "dWr": dWr(route, u),
        "dgain2": gain(through, t["mid"]),
        "dWo": (t["merged"].mT @ mid).sum(0),
        "dgain_q": gain(normed_q, t["qh"]),
        "dgain_k": gain(normed_k, t["kh"]),
        "dgain1": gain(normed, t["x"]),
        "dx": mid + back_through_norm(normed, t["x"], t["gain1"], eps),
        **dict(zip(("dWq", "dWk", "dWv"), slopes)),
    }
