"""Two variables spell the batch, so neither is taken for it.

lesson: 03
as: notebook
keeps: import torch | n_embd
dlogprobs: missing | = `dlogprobs` cannot be taken out of mine.ipynb, cell 4, line 2: it uses `yb`, which is not
    recognised as a value of this exercise: it is computed from `Xtr` (mine.ipynb, cell 3, line 6).
others: missing
"""

batch_size = 32
n = batch_size


def get_batch():
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    return Xtr[ix], Ytr[ix]


xb, yb = get_batch()
XB, YB = get_batch()
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), yb] = -1 / n
