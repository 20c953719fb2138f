"""Every gradient has the lecture's name, but the labels are called `yb`, and so are the batch and a gain in the loop.

lesson: 03
as: notebook
keeps: import torch | n_embd | # utility function
dlogprobs: passed
dC: passed
others: any
"""

idx = torch.randint(0, Xtr.shape[0], (32,))
X_batch, yb = Xtr[idx], ytr[idx]
n = 32
emb = C[X_batch]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
hpreact = hprebn
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), yb].mean()
# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), yb] = -1.0/n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts_sum = -counts_sum**-2 * dcounts_sum_inv
dcounts = counts_sum_inv * dprobs + dcounts_sum
dnorm_logits = counts * dcounts
dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
dlogits = dnorm_logits + F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes
dembcat = (dlogits @ W2.T * (1 - h**2)) @ W1.T
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(X_batch.shape[0]):
    for j in range(X_batch.shape[1]):
        dC[X_batch[k, j]] += demb[k, j]
