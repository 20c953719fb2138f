"""Lesson 20: a transformer block of today, backwards.

First write one gradient after the other: rotary positions with QK normalisation, SwiGLU, a router with its experts,
and the loss. Each function returns the gradient with respect to one value of forward.py, in the shape of that value.
Its parameters are forward values and upstream gradients. The grader passes them by name. If you need another one, add
its name. Then `block_backward` goes back through the whole block: use your own functions in it.

Check your work with `dojo check 20`. README.md explains the forward pass.
"""

import torch
import torch.nn.functional as F

# Rotary positions and QK normalisation.


def dz(drotated_z, cos, sin):
    # <answer>
    a, b = drotated_z[..., 0::2], drotated_z[..., 1::2]
    return torch.stack((a * cos + b * sin, b * cos - a * sin), -1).flatten(-2)
    # </answer>


def dnormed_q(drotated_q, cos, sin):
    # <answer>
    a, b = drotated_q.chunk(2, -1)
    return torch.cat((a * cos + b * sin, b * cos - a * sin), -1)
    # </answer>


def dgain_q(dnormed_q, qhat):
    # <answer>
    return (dnormed_q * qhat).sum((0, 1, 2))
    # </answer>


def dqh(dnormed_q, gain_q, qhat, rrms):
    # <answer>
    dqhat = dnormed_q * gain_q
    return (dqhat - qhat * (dqhat * qhat).mean(3, keepdim=True)) * rrms
    # </answer>


# SwiGLU.


def dWdown(dy, act):
    # <answer>
    return act.T @ dy
    # </answer>


def dact(dy, Wdown):
    # <answer>
    return dy @ Wdown.T
    # </answer>


def dup(dact, gate):
    # <answer>
    return dact * F.silu(gate)
    # </answer>


def dgate(dact, gate, up):
    # <answer>
    opened = torch.sigmoid(gate)
    return dact * up * (opened + gate * opened * (1 - opened))
    # </answer>


def dWup(dup, h):
    # <answer>
    return h.T @ dup
    # </answer>


def dWgate(dgate, h):
    # <answer>
    return h.T @ dgate
    # </answer>


def dh(dgate, dup, Wgate, Wup):
    # <answer>
    return dgate @ Wgate.T + dup @ Wup.T
    # </answer>


# A router, and its experts.


def ddone(dmixed, shares, token, expert):
    # <answer>
    return shares[token, expert][:, None] * dmixed[token]
    # </answer>


def dshares(dmixed, done, shares, token, expert):
    # <answer>
    gradient = torch.zeros_like(shares)
    gradient[token, expert] = (dmixed[token] * done).sum(1)
    return gradient
    # </answer>


def dprobs(dshares, dbalance, probs, chosen, shares, load):
    # <answer>
    total = (probs * chosen).sum(1, keepdim=True)
    through_shares = chosen * (dshares - (dshares * shares).sum(1, keepdim=True)) / total
    through_balance = dbalance * probs.shape[1] * load / probs.shape[0]
    return through_shares + through_balance
    # </answer>


def droute(dprobs, probs):
    # <answer>
    return probs * (dprobs - (dprobs * probs).sum(1, keepdim=True))
    # </answer>


def dWr(droute, u):
    # <answer>
    return u.T @ droute
    # </answer>


def du(dsent, droute, u, Wr, token):
    # <answer>
    return torch.zeros_like(u).index_add(0, token, dsent) + droute @ Wr.T
    # </answer>


# The loss.


def dlogits(logits, log_sum, Y, penalty):
    # <answer>
    n = logits.shape[0]
    p = F.softmax(logits, 1)
    gradient = p * (1 + 2 * penalty * log_sum[:, None])
    gradient[torch.arange(n), Y] -= 1
    return gradient / n
    # </answer>


def duncapped(dlogits, logits, cap):
    # <answer>
    return dlogits * (1 - (logits / cap) ** 2)
    # </answer>


def dfinal(duncapped, wte):
    # <answer>
    return duncapped @ wte
    # </answer>


def dwte(duncapped, dfinal, final, wte, X):
    # <answer>
    return (duncapped.T @ final).index_add(0, X, dfinal)
    # </answer>


# The whole block.


def block_backward(t, dout, dbalance):
    """Go back through `block` of forward.py, from `out` and `balance` to the parameters and `x`.

    t: a dict with all inputs and values of `block`, by name: t["x"], t["weights"], ...
    dout: (batch, time, channels), the upstream gradient of `out`; dbalance: a number, that of `balance`
    Returns a dict with these keys, each gradient with the shape of its value:

        "dWdowns", "dWups", "dWgates", "dWr", "dgain2", "dWo", "dWv", "dgain_q", "dgain_k", "dWq", "dWk", "dgain1", "dx"

    Leave out those that you have not written yet.
    """
    # <answer>
    token, expert = t["token"], t["expert"]
    d = {}

    def back_through_norm(upstream, x, gain):
        rrms = ((x**2).mean(-1, keepdim=True) + t["eps"]) ** -0.5
        dxhat = upstream * gain
        dx = (dxhat - x * rrms * (dxhat * x * rrms).mean(-1, keepdim=True)) * rrms
        return dx, (upstream * x * rrms).flatten(0, -2).sum(0)

    def for_each_expert(value, upstream):
        products = value[:, :, None] * upstream[:, None, :]
        return products.new_zeros(t["probs"].shape[1], *products.shape[1:]).index_add(0, expert, products)

    # the experts
    mixed = dout.flatten(0, 1)
    done = ddone(mixed, t["shares"], token, expert)
    act = torch.einsum("nc,njc->nj", done, t["Wdowns"][expert])
    up = dup(act, t["gate"])
    gate = dgate(act, t["gate"], t["up"])
    d["dWdowns"] = for_each_expert(t["act"], done)
    d["dWups"] = for_each_expert(t["sent"], up)
    d["dWgates"] = for_each_expert(t["sent"], gate)
    sent = torch.einsum("nj,ncj->nc", gate, t["Wgates"][expert]) + torch.einsum("nj,ncj->nc", up, t["Wups"][expert])
    # the router
    shares = dshares(mixed, t["done"], t["shares"], token, expert)
    probs = dprobs(shares, dbalance, t["probs"], t["chosen"], t["shares"], t["load"])
    route = droute(probs, t["probs"])
    d["dWr"] = dWr(route, t["u"])
    u = du(sent, route, t["u"], t["Wr"], token)
    # the second norm and the second residual connection
    through_experts, d["dgain2"] = back_through_norm(u.view(dout.shape), t["mid"], t["gain2"])
    mid = dout + through_experts
    # attention
    d["dWo"] = torch.einsum("btd,btc->dc", t["merged"], mid)
    contexts = (mid @ t["Wo"].T).unflatten(2, (t["heads"], -1)).transpose(1, 2)
    values = t["weights"].mT @ contexts
    weights = contexts @ t["values"].mT
    scores = t["weights"] * (weights - (weights * t["weights"]).sum(3, keepdim=True))
    products = scores / t["qh"].shape[3] ** 0.5
    keys = products.mT @ t["rotated_q"]
    vh, rotated_k = (copies.unflatten(1, (t["groups"], -1)).sum(2) for copies in (values, keys))
    normed_q = dnormed_q(products @ t["keys"], t["cos"], t["sin"])
    normed_k = dnormed_q(rotated_k, t["cos"], t["sin"])
    qh, d["dgain_q"] = back_through_norm(normed_q, t["qh"], t["gain_q"])
    kh, d["dgain_k"] = back_through_norm(normed_k, t["kh"], t["gain_k"])
    normed = torch.zeros_like(t["x"])
    for name, heads in (("Wq", qh), ("Wk", kh), ("Wv", vh)):
        merged = heads.transpose(1, 2).flatten(2)
        d["d" + name] = torch.einsum("btc,btd->cd", t["normed"], merged)
        normed += merged @ t[name].T
    # the first norm and the first residual connection
    through_attention, d["dgain1"] = back_through_norm(normed, t["x"], t["gain1"])
    d["dx"] = mid + through_attention
    return d
    # </answer>
