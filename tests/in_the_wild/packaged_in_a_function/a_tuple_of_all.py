"""All gradients come from one function that is called once, under another name of a forward value.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
others: passed
"""

def backward_all(logprobs, p):
  dlogprobs = torch.zeros_like(logprobs)
  dlogprobs[range(n), Yb] = -1.0/n
  dprobs = (1.0 / p) * dlogprobs
  dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
  dcounts = counts_sum_inv * dprobs
  dcounts_sum = (-counts_sum**-2) * dcounts_sum_inv
  dcounts += torch.ones_like(counts) * dcounts_sum
  dnorm_logits = counts * dcounts
  dlogits = dnorm_logits.clone()
  dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
  dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
  dh = dlogits @ W2.T
  dW2 = h.T @ dlogits
  db2 = dlogits.sum(0)
  dhpreact = (1.0 - h**2) * dh
  dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
  dbnraw = bngain * dhpreact
  dbnbias = dhpreact.sum(0, keepdim=True)
  dbndiff = bnvar_inv * dbnraw
  dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
  dbnvar = (-0.5*(bnvar + 1e-5)**-1.5) * dbnvar_inv
  dbndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * dbnvar
  dbndiff += (2*bndiff) * dbndiff2
  dhprebn = dbndiff.clone()
  dbnmeani = (-dbndiff).sum(0, keepdim=True)
  dhprebn += 1.0/n * (torch.ones_like(hprebn) * dbnmeani)
  dembcat = dhprebn @ W1.T
  dW1 = embcat.T @ dhprebn
  db1 = dhprebn.sum(0)
  demb = dembcat.view(emb.shape)
  dC = torch.zeros_like(C)
  for k in range(Xb.shape[0]):
    for j in range(Xb.shape[1]):
      ix = Xb[k,j]
      dC[ix] += demb[k,j]
  return (dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum, dcounts, dnorm_logits, dlogit_maxes,
    dlogits, dh, dW2, db2, dhpreact, dbngain, dbnbias, dbnraw, dbnvar_inv, dbnvar, dbndiff2, dbndiff,
    dbnmeani, dhprebn, dembcat, dW1, db1, demb, dC)
(dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum, dcounts, dnorm_logits, dlogit_maxes, dlogits, dh, dW2,
    db2, dhpreact, dbngain, dbnbias, dbnraw, dbnvar_inv, dbnvar, dbndiff2, dbndiff, dbnmeani, dhprebn,
    dembcat, dW1, db1, demb, dC) = backward_all(logprobs, probs)
cmp('W1', dW1, W1)
