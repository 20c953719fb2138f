"""Products as einsums, with one-hot rows; `accumulated` merges the adapter and goes through the whole weight."""

import torch
import torch.nn.functional as F
from torch import einsum


def dlogits(dsft, logits, targets, answer):
    weight = dsft * answer / answer.sum()
    probs, hot = logits.softmax(-1), F.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    return einsum("bt,btv->btv", weight, probs) - einsum("bt,btv->btv", weight, hot)


def dup(dlogits, alpha, rank):
    return einsum("btv,->btv", dlogits, torch.tensor(alpha / rank, dtype=dlogits.dtype))


def dB(dup, down):
    return einsum("btv,btr->rv", dup, down)


def ddown(dup, B):
    return einsum("btv,rv->btr", dup, B)


def dA(ddown, x):
    return einsum("btr,btf->fr", ddown, x)


def dx(dlogits, ddown, W, A):
    return einsum("btv,fv->btf", dlogits, W) + einsum("btr,fr->btf", ddown, A)


def dkl(dkd, kl, T):
    return (dkd * T**2 / kl.numel()).expand(kl.shape)


def dlogq(dkl, p):
    return einsum("n,nv->nv", -dkl, p)


def dz(dlogq, logq, T):
    return (dlogq - einsum("nv,nw->nv", logq.exp(), dlogq)) / T


def dmargin(ddpo, margin):
    return einsum(",n->n", -ddpo, 1 - margin.sigmoid()) / margin.shape[0]


def dlogp_w(dmargin, beta):
    return einsum("n->n", dmargin) * beta


def dlogp_l(dmargin, beta):
    return -einsum("n->n", dmargin) * beta


def of_log_probability(up, logits, tokens, mask):
    jacobian = F.one_hot(tokens, logits.shape[-1]) - logits.softmax(-1)
    return einsum("n,nt,ntv->ntv", up, mask, jacobian)


def dlogits_w(dlogp_w, logits_w, tokens_w, mask_w):
    return of_log_probability(dlogp_w, logits_w, tokens_w, mask_w)


def dlogits_l(dlogp_l, logits_l, tokens_l, mask_l):
    return of_log_probability(dlogp_l, logits_l, tokens_l, mask_l)


def each_token(said):
    return einsum("nt,n->nt", said, 1 / said.sum(1)) / said.shape[0]


def dgain(dgrpo, said):
    return einsum(",nt->nt", -dgrpo, each_token(said))


def dratio(dgain, ratio, advantage, clip):
    high, low = ratio > 1 + clip, ratio < 1 - clip
    stopped = (high & (advantage > 0)) | (low & (advantage < 0))
    return einsum("nt,ni->nt", dgain.masked_fill(stopped, 0.0), advantage)


def dpenalty(dgrpo, said, weight):
    return einsum(",nt->nt", dgrpo * weight, each_token(said))


def dlogp(dratio, dpenalty, ratio, logp, ref):
    return einsum("nt,nt->nt", dratio, ratio) + einsum("nt,nt->nt", dpenalty, -torch.expm1(ref - logp))


def accumulated(pieces, W, A, B, alpha):
    scale = alpha / A.shape[1]
    merged, total = W + scale * A @ B, sum(float(answer.sum()) for *_, answer in pieces)
    loss, of_merged = 0.0, torch.zeros_like(W)
    for x, targets, answer in pieces:
        logits = einsum("btf,fv->btv", x, merged)
        hot = F.one_hot(targets, W.shape[1]).to(W.dtype)
        loss = loss - einsum("btv,btv,bt->", logits.log_softmax(-1), hot, answer) / total
        of_merged += einsum("btf,btv,bt->fv", x, logits.softmax(-1) - hot, answer) / total
    return loss, einsum("fv,rv->fr", of_merged, B) * scale, einsum("fr,fv->rv", A, of_merged) * scale


def fine_tune(batches, W, A, B, alpha, rate):
    losses = []
    for pieces in batches:
        found = accumulated(pieces, W, A, B, alpha)
        losses.append(found[0])
        A, B = (value - rate * gradient for value, gradient in zip((A, B), found[1:]))
    return torch.stack(losses), A, B


def group_advantages(rewards):
    centred = rewards - rewards.mean(-1, keepdim=True)
    deviation = (einsum("pg,pg->p", centred, centred) / (rewards.shape[1] - 1)).sqrt()
    return einsum("pg,p->pg", centred, 1 / (deviation + 1e-4))


def dlogp_by_sequence(logp, old, said, advantage, clip):
    each = said / said.sum(1, keepdim=True)
    ratio = einsum("nt,nt->n", logp - old, each).exp()
    good = advantage[:, 0] > 0
    passes = torch.where(good, ratio <= 1 + clip, ratio >= 1 - clip)
    return einsum("n,n,nt->nt", passes * ratio, -advantage[:, 0], each) / len(logp)
