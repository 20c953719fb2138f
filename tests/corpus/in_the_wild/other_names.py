# as: notebook

# === a_value_and_its_gradient: Two forward values under other names, and their gradients called after them: the
#     forward pass makes both definite.
# lesson: 03
# dlogit_maxes: passed | = Read from `drow_max`: `cmp('row_max', drow_max, row_max)` in mine.ipynb, cell 9, line 47
#     compares it with the gradient of `logit_maxes`.
# dbndiff2: passed | = Read from `dsquares`: your `squares` is this exercise's `bndiff2`.

# instead of: logit_maxes = logits.max
row_max = logits.max(1, keepdim=True).values
# instead of: norm_logits = logits
norm_logits = logits - row_max
# instead of: bndiff2 =
squares = bndiff**2
# instead of: bnvar = 1/(n-1)
bnvar = 1/(n-1)*(squares).sum(0, keepdim=True)
# instead of: for t in [logprobs
for t in [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, row_max, logits, h, hpreact, squares,
# instead of: bnraw, bnvar_inv, bnvar
          bnraw, bnvar_inv, bnvar, bndiff, hprebn, bnmeani, embcat, emb]:
# instead of: dlogit_maxes =
drow_max = (-dnorm_logits).sum(1, keepdim=True)
# instead of: dlogits += F.one_hot
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * drow_max
# instead of: dbndiff2 =
dsquares = (1.0/(n-1))*torch.ones_like(squares) * dbnvar
# instead of: dbndiff +=
dbndiff += (2*bndiff) * dsquares
# instead of: cmp('logit_maxes'
cmp('row_max', drow_max, row_max)
# instead of: cmp('bndiff2'
print(dsquares)

# === updates_with_two_of_their_own: Each parameter's update reads two variables of its own, the mean and the square
#     of gradients: none is taken.
# lesson: 07
# keeps: import torch | n_embd
# others: missing
# dC: missing | mine.ipynb has no training loop that assigns dC, dW1

max_steps = 1000
# %%
dC = torch.zeros_like(C)
# %%
for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    n = Xb.shape[0]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5)**-0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    glogits = F.softmax(logits, 1)
    glogits[range(n), Yb] -= 1
    glogits /= n
    gW2 = h.T @ glogits
    gb2 = glogits.sum(0)
    ghpreact = (1.0 - h**2) * (glogits @ W2.T)
    ggain = (bnraw * ghpreact).sum(0, keepdim=True)
    gshift = ghpreact.mean(0, keepdim=True)
    ghprebn = bngain*bnvar_inv/n * (n*ghpreact - ghpreact.sum(0) - n/(n-1)*bnraw*(ghpreact*bnraw).sum(0))
    gW1 = embcat.T @ ghprebn
    gb1 = ghprebn.sum(0)
    gC = torch.zeros_like(C)
    gC.index_add_(0, Xb.view(-1), (ghprebn @ W1.T).view(-1, C.shape[1]))
    lr = 0.1 if i < 100000 else 0.01
    mC, vC = 0.9*mC + 0.1*gC, 0.99*vC + 0.01*gC**2
    m1, v1 = 0.9*m1 + 0.1*gW1, 0.99*v1 + 0.01*gW1**2
    m2, v2 = 0.9*m2 + 0.1*gW2, 0.99*v2 + 0.01*gW2**2
    C -= lr * mC / (vC.sqrt() + 1e-8)
    W1 -= lr * m1 / (v1.sqrt() + 1e-8)
    W2 -= lr * m2 / (v2.sqrt() + 1e-8)
