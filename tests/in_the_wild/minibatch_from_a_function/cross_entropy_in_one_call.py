"""The loss is one call, which is the only line that says what the targets are.

lesson: 04
as: notebook
keeps: import torch | n_embd
others: passed
"""

batch_size = 32
n = batch_size


def get_batch():
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    return Xtr[ix], Ytr[ix]


def forward(x):
    emb = C[x]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    return torch.tanh(hprebn) @ W2 + b2


# %%
first, second = get_batch()
logits = forward(first)
loss = F.cross_entropy(logits, second)
# %%
dlogprobs = torch.zeros_like(logprobs)
# %%
dlogits = F.softmax(logits, 1)
dlogits[range(n), second] -= 1
dlogits /= n
