"""The values that the forward pass returns have other names outside than inside, and the call has words.

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
    looked_up = C[x]
    embcat = looked_up.view(looked_up.shape[0], -1)
    lp = torch.log_softmax(torch.tanh(embcat @ W1 + b1) @ W2 + b2, 1)
    loss = -lp[torch.arange(n), y].mean()
    return looked_up, lp, loss


# %%
xs, ys = get_batch()
emb, logprobs, loss = forward(y=ys, x=xs)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[torch.arange(n), ys] = -1 / n
dC = torch.zeros_like(C)
dC.index_put_((xs,), demb, accumulate=True)
