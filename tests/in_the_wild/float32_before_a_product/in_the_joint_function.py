"""One function for all gradients makes its one-hot tensors float32, and so every product is mixed.

lesson: 06
dW2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
db2: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dgamma: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dbeta: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dW: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
db: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
demb: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
dC: passed | = Right, judged in float32: in float64 it does not run, because something in it is always float32
    (`.float()`, `dtype=torch.float32`). `.to(x.dtype)` and `zeros_like(x)` follow the values that you are given.
"""

import torch
import torch.nn.functional as F


def backward(Xb, Yb, C, W, b, gamma, beta, W2, b2, n, eps, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    dlogits = (probs - F.one_hot(Yb, W2.shape[1])) / n
    dh = dlogits @ W2.T
    dout = dh * (1 - h**2)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / torch.sqrt(var + eps)
    demb = (dx @ W.T).view(emb.shape)
    onehot = F.one_hot(Xb.view(-1), C.shape[0]).float()
    dC = onehot.T @ demb.view(-1, C.shape[1])
    return h.T @ dlogits, dlogits.sum(0), (dout * xhat).sum(0), dout.sum(0), embcat.T @ dx, dx.sum(0), demb, dC
