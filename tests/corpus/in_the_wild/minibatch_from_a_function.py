# === a_number_from_elsewhere: A number from a file is not the number of examples, whatever it is called.
# lesson: 04
# as: notebook
# keeps: import torch | n_embd
# dlogits: missing | = `dlogits` cannot be taken out of mine.ipynb, cell 5, line 3: it uses `N`, which is not a value
#     of the forward pass.
# others: missing

batch_size = 32
n = batch_size


def get_batch():
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    return Xtr[ix], Ytr[ix]


N = len(open("names.txt").read())
xb, yb = get_batch()
# %%
dlogprobs = torch.zeros_like(logprobs)
# %%
dlogits = F.softmax(logits, 1)
dlogits[range(n), yb] -= 1
dlogits /= N
