"""The gradients of a training step use a float32 one-hot tensor; the rows that train call them, too.

lesson: 07
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dW1: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
db1: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dW2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
db2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dbngain: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dbnbias: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch
import torch.nn.functional as F


def gradients(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n, tokens = Xb.shape[0], Xb.reshape(-1)
    # Forward. A method that ends in _ writes into a tensor of our own that is not needed as it was: no new memory.
    embcat = C.index_select(0, tokens).view(n, -1)
    hprebn = torch.addmm(b1, embcat, W1)
    bndiff = hprebn.sub_(hprebn.mean(0, keepdim=True))
    bnvar = (bndiff * bndiff).sum(0, keepdim=True) / (n - 1)  # many times faster than .var(0)
    bnvar_inv = (bnvar + 1e-5).rsqrt()
    bnraw = bndiff.mul_(bnvar_inv)
    h = torch.addcmul(bnbias, bngain, bnraw).tanh_()
    logits = torch.addmm(b2, h, W2)
    logprobs = F.log_softmax(logits, 1)
    loss = F.nll_loss(logprobs, Yb)
    # Cross-entropy: (probabilities - one-hot) / n. The probabilities are a by-product of the loss.
    dlogits = logprobs.exp_().div_(n)
    dlogits.scatter_add_(1, Yb.unsqueeze(1), dlogits.new_full((n, 1), -1 / n))
    # Linear layer 2
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    # tanh: (1 - h * h) * dh
    dhpreact = dh.addcmul_(dh * h, h, value=-1)
    # Batch norm. The two sums over the batch that its inner gradient needs are those of bias and gain.
    dbnbias = dhpreact.sum(0, keepdim=True)
    dbngain = (dhpreact * bnraw).sum(0, keepdim=True)
    through_mean, through_variance = dbnbias / n, dbngain / (n - 1)
    dhprebn = dhpreact.sub_(through_mean).addcmul_(bnraw, through_variance, value=-1).mul_(bngain * bnvar_inv)
    # Linear layer 1
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    dembcat = dhprebn @ W1.T
    # Embedding: each row of the table collects from every place where it was copied to
    onehot = F.one_hot(tokens, C.shape[0]).float()
    dC = onehot.T @ dembcat.view(-1, C.shape[1])
    return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
