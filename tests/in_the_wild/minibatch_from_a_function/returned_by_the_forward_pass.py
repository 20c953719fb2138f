"""A function draws the minibatch, and another one is the forward pass and returns its values.

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
    loss = -logprobs[range(n), y].mean()
    return emb, logits, logprobs, loss


# %%
inputs, targets = get_batch()
emb, logits, logprobs, loss = forward(inputs, targets)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), targets] = -1 / n
dC = torch.zeros_like(C)
dC.index_put_((inputs,), demb, accumulate=True)
