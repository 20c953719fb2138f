"""Cells out of order, a wrong answer that a later cell corrects, and two that nothing corrects.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb] | # utility function
dbndiff2: failed | Your `dbndiff2` is exactly (n−1)/n times the gradient
dC: failed | Your `dC` is right in every row that `Xb` names once, and wrong only in rows that it names more than once.
dbngain: passed | `dbngain` has shape (64,), `bngain` has shape (1, 64)
dbnbias: passed | `dbnbias` has shape (64,), `bnbias` has shape (1, 64)
dbnvar_inv: passed | `dbnvar_inv` has shape (64,), `bnvar_inv` has shape (1, 64)
dbnmeani: passed | `dbnmeani` has shape (64,), `bnmeani` has shape (1, 64)
others: passed
"""

dh = dlogits @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0, keepdim=True).squeeze()
cmp('h', dh, h)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = 1/probs * dlogprobs
dcounts_sum_inv = (counts*dprobs).sum(1, keepdim=True)
dcounts_sum = -1/(counts_sum**2)*dcounts_sum_inv
dcounts = (counts_sum_inv*dprobs) + dcounts_sum
dnorm_logits = dcounts*counts
dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
dlogits = dnorm_logits.clone()
dlogits[range(n), logits.argmax(1)] += dlogit_maxes.squeeze()
cmp('logits', dlogits, logits)
# %%
dhpreact = dh * (1-h)**2
cmp('hpreact', dhpreact, hpreact)  # False ???
# %%
dhpreact = dh * (1-h**2)
cmp('hpreact', dhpreact, hpreact)
# %%
dbngain = (dhpreact*bnraw).sum(0)
dbnbias = dhpreact.sum(0)
dbnraw = dhpreact*bngain
dbnvar_inv = (dbnraw*bndiff).sum(0)
dbnvar = -0.5*((bnvar+1e-5)**-1.5)*dbnvar_inv
dbndiff2 = 1/n * torch.ones_like(bndiff2)*dbnvar
dbndiff = dbnraw*bnvar_inv + 2*bndiff*dbndiff2
dbnmeani = -dbndiff.sum(0)
dhprebn = dbndiff + dbnmeani/n
# %%
dembcat = dhprebn @ W1.T; dW1 = embcat.T @ dhprebn; db1 = dhprebn.sum(0)
demb = dembcat.reshape(n, block_size, n_embd)
dC = torch.zeros_like(C)
dC[Xb] += demb
# %%
dhprebn_fast = bngain*bnvar_inv/n*(n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
dhprebn = dhprebn_fast
print((dhprebn_fast - hprebn.grad).abs().max())
assert 1 == 0
dlogits = F.softmax(logits, 1) - F.one_hot(Yb, vocab_size)
dlogits = dlogits / batch_size
