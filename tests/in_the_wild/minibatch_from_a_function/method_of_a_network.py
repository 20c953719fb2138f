"""The forward pass is hidden in a class, so only the names say that it is the batch.

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


from model import Network

net = Network()
xb, yb = get_batch()
loss, logprobs, emb = net(xb, yb)
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), yb] = -1 / n
dC = torch.zeros_like(C)
dC.index_put_((xb,), demb, accumulate=True)
