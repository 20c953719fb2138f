"""The training loop calls batch, labels, gain and shift in its own way; the update still has autograd's line in it.

lesson: 07
as: notebook
keeps: import torch | n_embd | # utility function
counts: 04 05 07
dW2: failed
update: missing
learning_rate: missing
trajectory: missing
resumed: missing
no_grad: missing
calibrate: missing
split_loss: missing
sample: missing
dbngain: passed | Read from `dgamma`
dbnbias: passed | Read from `dbeta`
others: passed
"""

gamma = torch.ones((1, n_hidden))
beta = torch.zeros((1, n_hidden))
parameters = [C, W1, b1, W2, b2, gamma, beta]
# %%
for i in range(200000):
    ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)
    xs = Xtr[ix]
    ys = Ytr[ix]
    n = xs.shape[0]
    emb = C[xs]
    x = emb.view(emb.shape[0], -1)
    z = x @ W1 + b1
    mu = z.mean(0, keepdim=True)
    var = z.var(0, keepdim=True, unbiased=True)
    inv = (var + 1e-5)**-0.5
    zhat = (z - mu) * inv
    a = gamma * zhat + beta
    h = torch.tanh(a)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, ys)
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), ys] -= 1
    dlogits /= n
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits * 2
    db2 = dlogits.sum(0)
    da = (1 - h**2) * dh
    dgamma = (zhat * da).sum(0, keepdim=True)
    dbeta = da.sum(0, keepdim=True)
    dz = gamma*inv/n * (n*da - da.sum(0) - n/(n-1)*zhat*(da*zhat).sum(0))
    dx = dz @ W1.T
    dW1 = x.T @ dz
    db1 = dz.sum(0)
    demb = dx.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(xs.shape[0]):
        for j in range(xs.shape[1]):
            dC[xs[k, j]] += demb[k, j]
    grads = [dC, dW1, db1, dW2, db2, dgamma, dbeta]
    for p, grad in zip(parameters, grads):
        p.data += -0.1 * p.grad
        p.data += -0.1 * grad
