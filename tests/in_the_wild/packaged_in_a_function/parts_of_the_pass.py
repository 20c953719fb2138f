"""The pass in parts: functions that return several gradients, and one that serves both linear layers.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
counts: 03
dbnmeani: failed | The sign is flipped
dhprebn: passed | Right, but it skips a step
others: passed
"""

@torch.no_grad()
def backward_loss(logprobs, probs, counts, counts_sum, counts_sum_inv, logits):
  dlogprobs = torch.zeros_like(logprobs)
  dlogprobs[range(n), Yb] = -1.0/n
  dprobs = dlogprobs / probs
  dcounts_sum_inv = (dprobs*counts).sum(1, keepdims=True)
  dcounts_sum = -dcounts_sum_inv*counts_sum**-2
  dcounts = dprobs*counts_sum_inv + dcounts_sum
  dnorm_logits = dcounts*counts
  dlogit_maxes = -dnorm_logits.sum(1, keepdims=True)
  dlogits = dnorm_logits + F.one_hot(logits.argmax(1), vocab_size)*dlogit_maxes
  return dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum, dcounts, dnorm_logits, dlogit_maxes, dlogits

(dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum, dcounts, dnorm_logits, dlogit_maxes,
  dlogits) = backward_loss(logprobs, probs, counts, counts_sum, counts_sum_inv, logits)
# %%
def backward_linear(dout, x, W):
  dx = dout @ W.T
  dW = x.T @ dout
  db = dout.sum(0)
  return dx, dW, db

dh, dW2, db2 = backward_linear(dlogits, h, W2)
dhpreact = dh * (1 - h**2)
# %%
def backward_bn(dout):
  dbngain = (dout*bnraw).sum(0, keepdims=True)
  dbnbias = dout.sum(0, keepdims=True)
  dbnraw = dout*bngain
  dbnvar_inv = (dbnraw*bndiff).sum(0, keepdims=True)
  dbnvar = dbnvar_inv * -0.5*(bnvar+1e-5)**(-3/2)
  dbndiff2 = 1/(n-1)*torch.ones_like(bndiff2)*dbnvar
  dbndiff = dbnraw*bnvar_inv + 2*bndiff*dbndiff2
  dbnmeani = dbndiff.sum(0, keepdims=True)
  dhprebn = dbndiff + 1/n*-dbndiff.sum(0, keepdims=True)
  return dbngain, dbnbias, dbnraw, dbnvar_inv, dbnvar, dbndiff2, dbndiff, dbnmeani, dhprebn
dbngain, dbnbias, dbnraw, dbnvar_inv, dbnvar, dbndiff2, dbndiff, dbnmeani, dhprebn = backward_bn(dhpreact)
# %%
dembcat, dW1, db1 = backward_linear(dhprebn, embcat, W1)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
dC.index_add_(0, Xb.view(-1), demb.view(-1, demb.shape[-1]))
