"""The forward pass flattens at once: its `emb` is the lesson's `embcat`, and its gradients are right for that.

lesson: 03
as: notebook
alone: yes
demb: missing | Your `demb` is read as `dembcat`, because your `emb` is this exercise's `embcat`.
dembcat: passed | = Read from `demb`: your `emb` is this exercise's `embcat`.
dhprebn: passed
dW1: passed
db1: passed
dC: passed | it skips a step
others: missing
"""
emb = C[Xb].flatten(1)
hprebn = emb @ W1 + b1
bnmeani = hprebn.sum(0, keepdim=True) / n
# %%
dhprebn = dbndiff + dbnmeani / n
demb = dhprebn @ W1.T
dW1 = emb.T @ dhprebn
db1 = dhprebn.sum(0)
dC = torch.zeros_like(C)
dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
# %%
cmp('emb', demb, emb)
