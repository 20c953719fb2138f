"""The forward pass is a function that makes its variables global.

lesson: 03
as: notebook
keeps: import torch | n_embd
dlogprobs: passed
dC: passed
others: missing
"""

batch_size = 32
n = batch_size


def get_batch():
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    return Xtr[ix], Ytr[ix]


def forward(x, y):
    emb = C[x]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    logits = torch.tanh(hprebn) @ W2 + b2
    logprobs = torch.log_softmax(logits, 1)
    globals().update(locals())
    return -logprobs[range(batch_size), y].mean()


# %%
xb, yb = get_batch()
loss = forward(xb, yb)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(batch_size), yb] = -1 / batch_size
dC = torch.zeros_like(C)
for k in range(batch_size):
    for j in range(xb.shape[1]):
        dC[xb[k, j]] += demb[k, j]
