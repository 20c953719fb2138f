"""A script with everything in main(), the forward pass too.

lesson: 03
as: script
alone: yes
counts: 03
db2: failed | You take the mean over axis 0 where a sum belongs: `b2` (11,) is broadcast to (6, 11) in `logits`; every
    copy counts in full.
others: passed
"""

import torch
import torch.nn.functional as F

def cmp(s, dt, t):
    print(s, torch.allclose(dt, t.grad))

def main():
    n_embd = 10
    n_hidden = 64
    g = torch.Generator().manual_seed(2147483647)
    C  = torch.randn((vocab_size, n_embd),            generator=g)
    W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5/3)/((n_embd * block_size)**0.5)
    b1 = torch.randn(n_hidden,                        generator=g) * 0.1
    W2 = torch.randn((n_hidden, vocab_size),          generator=g) * 0.1
    b2 = torch.randn(vocab_size,                      generator=g) * 0.1
    bngain = torch.randn((1, n_hidden))*0.1 + 1.0
    bnbias = torch.randn((1, n_hidden))*0.1
    parameters = [C, W1, b1, W2, b2, bngain, bnbias]
    print(sum(p.nelement() for p in parameters))
    for p in parameters:
      p.requires_grad = True
    batch_size = 32
    n = batch_size
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmeani = 1/n*hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bndiff2 = bndiff**2
    bnvar = 1/(n-1)*(bndiff2).sum(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5)**-0.5
    bnraw = bndiff * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes
    counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdims=True)
    counts_sum_inv = counts_sum**-1
    probs = counts * counts_sum_inv
    logprobs = probs.log()
    loss = -logprobs[range(n), Yb].mean()
    for p in parameters:
      p.grad = None
    for t in [logprobs, probs, counts, counts_sum, counts_sum_inv,
              norm_logits, logit_maxes, logits, h, hpreact, bnraw,
             bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani,
             embcat, emb]:
      t.retain_grad()
    loss.backward()
    loss
    dlogprobs = torch.zeros_like(logprobs); dlogprobs[range(n), Yb] = -1.0/n
    dprobs = dlogprobs / probs
    dcounts_sum_inv = (dprobs*counts).sum(1, keepdims=True)
    dcounts_sum = -dcounts_sum_inv*counts_sum**-2
    dcounts = dprobs*counts_sum_inv + dcounts_sum
    dnorm_logits = dcounts*counts
    dlogit_maxes = -dnorm_logits.sum(1, keepdims=True)
    dlogits = dnorm_logits + F.one_hot(logits.argmax(1), vocab_size)*dlogit_maxes
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.mean(0)
    dhpreact = dh * (1 - h*h)
    dbngain = (dhpreact*bnraw).sum(0, keepdims=True)
    dbnbias = dhpreact.sum(0, keepdims=True)
    dbnraw = dhpreact*bngain
    dbnvar_inv = (dbnraw*bndiff).sum(0, keepdims=True)
    dbnvar = dbnvar_inv * -0.5*(bnvar+1e-5)**(-3/2)
    dbndiff2 = 1/(n-1)*torch.ones_like(bndiff2)*dbnvar
    dbndiff = dbnraw*bnvar_inv + 2*bndiff*dbndiff2
    dbnmeani = -dbndiff.sum(0, keepdims=True)
    dhprebn = dbndiff + 1/n*dbnmeani
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
      for j in range(Xb.shape[1]):
        dC[Xb[k,j]] += demb[k,j]
    cmp('b2', db2, b2)
    cmp('C', dC, C)

if __name__ == '__main__':
    main()
