"""A dataclass of gradients for the head and a SimpleNamespace for the batch norm, both filled inside functions.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dcounts_sum_inv: failed | In `probs * head.probs`, `probs` is not the value that belongs there
dbnmeani: passed | The numbers are right. `dbnmeani` has shape (64,), `bnmeani` has shape (1, 64).
others: passed | Read from
"""

from dataclasses import dataclass
from types import SimpleNamespace

@dataclass
class HeadGrads:
    logprobs: torch.Tensor = None
    probs: torch.Tensor = None
    counts: torch.Tensor = None
    counts_sum: torch.Tensor = None
    counts_sum_inv: torch.Tensor = None
    norm_logits: torch.Tensor = None
    logit_maxes: torch.Tensor = None
    logits: torch.Tensor = None

def head_backward():
    g = HeadGrads()
    g.logprobs = torch.zeros_like(logprobs)
    g.logprobs[range(n), Yb] = -1.0 / n
    g.probs = g.logprobs / probs
    g.counts_sum_inv = (probs * g.probs).sum(1, keepdim=True)
    g.counts = counts_sum_inv * g.probs
    g.counts_sum = -counts_sum**-2 * g.counts_sum_inv
    g.counts += g.counts_sum
    g.norm_logits = counts * g.counts
    g.logit_maxes = -g.norm_logits.sum(1, keepdim=True)
    g.logits = g.norm_logits.clone()
    g.logits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * g.logit_maxes
    return g

def rest(g):
    b = SimpleNamespace(h=g.logits @ W2.T, W2=h.T @ g.logits, b2=g.logits.sum(0))
    b.hpreact = (1.0 - h**2) * b.h
    b.bngain = (bnraw * b.hpreact).sum(0, keepdim=True)
    b.bnbias = b.hpreact.sum(0, keepdim=True)
    b.bnraw = bngain * b.hpreact
    b.bnvar_inv = (bndiff * b.bnraw).sum(0, keepdim=True)
    b.bnvar = -0.5*(bnvar + 1e-5)**-1.5 * b.bnvar_inv
    b.bndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * b.bnvar
    b.bndiff = bnvar_inv * b.bnraw + 2*bndiff * b.bndiff2
    b.bnmeani = -b.bndiff.sum(0)
    b.hprebn = b.bndiff + 1.0/n * torch.ones_like(hprebn) * b.bnmeani
    b.embcat = b.hprebn @ W1.T
    b.W1 = embcat.T @ b.hprebn
    b.b1 = b.hprebn.sum(0)
    b.emb = b.embcat.view(emb.shape)
    b.C = torch.zeros_like(C)
    b.C.index_add_(0, Xb.view(-1), b.emb.view(-1, C.shape[1]))
    return b

head = head_backward()
grads = rest(head)
# %%
for name in ["logprobs", "probs", "counts", "counts_sum", "logits"]:
    cmp(name, getattr(head, name), eval(name))
for name, value in vars(grads).items():
    cmp(name, value, eval(name))
