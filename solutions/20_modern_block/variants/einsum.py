"""Products and sums as einsums: n tokens or rows of `sent`, c channels, j hidden units, e experts, v the vocabulary."""

import torch
import torch.nn.functional as F
from torch import einsum


def rotated_back(a, b, cos, sin):
    turn = torch.stack((torch.stack((cos, sin)), torch.stack((-sin, cos))))  # (2, 2, time, pairs)
    return einsum("xytp,y...tp->x...tp", turn, torch.stack((a, b)))


def dz(drotated_z, cos, sin):
    a, b = rotated_back(*drotated_z.unflatten(-1, (-1, 2)).unbind(-1), cos, sin)
    return torch.stack((a, b), -1).flatten(-2)


def dnormed_q(drotated_q, cos, sin):
    return torch.cat(tuple(rotated_back(*drotated_q.unflatten(-1, (2, -1)).unbind(-2), cos, sin)), -1)


def dgain_q(dnormed_q, qhat):
    return einsum("bhts,bhts->s", dnormed_q, qhat)


def dqh(dnormed_q, gain_q, qh, rrms):
    inner = einsum("bhts,s,bhts->bht", dnormed_q, gain_q, qh)[..., None] / qh.shape[3]
    return dnormed_q * gain_q * rrms - qh * inner * rrms**3


def dWdown(dy, act):
    return einsum("nj,nc->jc", act, dy)


def dact(dy, Wdown):
    return einsum("nc,jc->nj", dy, Wdown)


def dup(dact, gate):
    return dact * F.silu(gate)


def dgate(dact, gate, up):
    opened = gate.sigmoid()
    return dact * up * (opened + F.silu(gate) - F.silu(gate) * opened)


def dWup(dup, h):
    return einsum("nc,nj->cj", h, dup)


def dWgate(dgate, h):
    return einsum("nc,nj->cj", h, dgate)


def dh(dgate, dup, Wgate, Wup):
    return einsum("xnj,xcj->nc", torch.stack((dgate, dup)), torch.stack((Wgate, Wup)))


def ddone(dmixed, shares, token, expert):
    return einsum("n,nc->nc", shares[token, expert], dmixed[token])


def dshares(dmixed, done, shares, token, expert):
    return torch.zeros_like(shares).index_put((token, expert), einsum("nc,nc->n", dmixed[token], done))


def dprobs(dshares, dbalance, probs, chosen, load):
    total = einsum("ne,ne->n", probs, chosen.to(probs.dtype))[:, None]
    inner = einsum("ne,ne,ne->n", dshares, probs, chosen.to(probs.dtype))[:, None]
    tokens, experts = probs.shape
    return torch.where(chosen, dshares / total - inner / total**2, 0.0) + load * (dbalance * experts / tokens)


def droute(dprobs, probs):
    return probs * dprobs - probs * einsum("ne,ne->n", probs, dprobs)[:, None]


def dWr(droute, u):
    return einsum("nc,ne->ce", u, droute)


def du(dsent, droute, Wr, token):
    return einsum("ne,ce->nc", droute, Wr).index_add(0, token, dsent)


def dlogits(logits, log_sum, Y, penalty):
    p = torch.exp(logits - log_sum[:, None])
    return (p - F.one_hot(Y, logits.shape[1]) + 2 * penalty * einsum("n,nv->nv", log_sum, p)) / len(Y)


def duncapped(dlogits, uncapped, cap):
    return dlogits / torch.cosh(uncapped / cap) ** 2


def dfinal(duncapped, wte):
    return einsum("nv,vc->nc", duncapped, wte)


def dwte(duncapped, dfinal, final, X):
    embedded = einsum("nv,nc->vc", F.one_hot(X, duncapped.shape[1]).to(dfinal.dtype), dfinal)
    return einsum("nv,nc->vc", duncapped, final) + embedded


def block_backward(t, dout, dbalance):
    channels = dout.shape[2]
    heads, groups = t["heads"], t["groups"]
    of_expert = F.one_hot(t["expert"], t["probs"].shape[1]).to(dout.dtype)

    def norm(upstream, x, gain):
        r = (x.square().mean(-1) + t["eps"]) ** -0.5
        inner = einsum("...c,c,...c->...", upstream, gain, x) / x.shape[-1]
        dx = einsum("...c,c,...->...c", upstream, gain, r) - einsum("...c,...,...->...c", x, inner, r**3)
        return dx, einsum("...c,...c,...->c", upstream, x, r)

    done = ddone(dout.reshape(-1, channels), t["shares"], t["token"], t["expert"])
    act = einsum("nc,ne,ejc->nj", done, of_expert, t["Wdowns"])
    up, gate = dup(act, t["gate"]), dgate(act, t["gate"], t["up"])
    sent = einsum("nj,ne,ecj->nc", gate, of_expert, t["Wgates"]) + einsum("nj,ne,ecj->nc", up, of_expert, t["Wups"])
    shares = dshares(dout.reshape(-1, channels), t["done"], t["shares"], t["token"], t["expert"])
    route = droute(dprobs(shares, dbalance, t["probs"], t["chosen"], t["load"]), t["probs"])
    through, gain2 = norm(du(sent, route, t["Wr"], t["token"]).view(dout.shape), t["mid"], t["gain2"])
    mid = dout + through
    contexts = einsum("btc,hsc->bhts", mid, t["Wo"].unflatten(0, (heads, -1)))
    weights = einsum("bhts,bhxs->bhtx", contexts, t["values"])
    scores = t["weights"] * (weights - einsum("bhtx,bhtx->bht", weights, t["weights"])[..., None])
    scores = scores * t["keys"].shape[3] ** -0.5
    qh, gain_q = norm(dnormed_q(scores @ t["keys"], t["cos"], t["sin"]), t["qh"], t["gain_q"])
    keys = einsum("bgmtx,bgmts->bgxs", *(a.unflatten(1, (groups, -1)) for a in (scores, t["rotated_q"])))
    values = einsum("bgmtx,bgmts->bgxs", *(a.unflatten(1, (groups, -1)) for a in (t["weights"], contexts)))
    kh, gain_k = norm(dnormed_q(keys, t["cos"], t["sin"]), t["kh"], t["gain_k"])
    normed = sum(
        einsum("bhts,chs->btc", of, t[name].unflatten(1, (of.shape[1], -1)))
        for name, of in (("Wq", qh), ("Wk", kh), ("Wv", values))
    )
    through, gain1 = norm(normed, t["x"], t["gain1"])
    return {
        "dWdowns": einsum("ne,nj,nc->ejc", of_expert, t["act"], done),
        "dWups": einsum("ne,nc,nj->ecj", of_expert, t["sent"], up),
        "dWgates": einsum("ne,nc,nj->ecj", of_expert, t["sent"], gate),
        "dWr": dWr(route, t["u"]),
        "dgain2": gain2,
        "dWo": einsum("btd,btc->dc", t["merged"], mid),
        "dWv": einsum("btc,bhts->chs", t["normed"], values).flatten(1),
        "dgain_q": gain_q,
        "dgain_k": gain_k,
        "dWq": einsum("btc,bhts->chs", t["normed"], qh).flatten(1),
        "dWk": einsum("btc,bhts->chs", t["normed"], kh).flatten(1),
        "dgain1": gain1,
        "dx": mid + through,
    }
