# lesson: 03
# as: notebook

# === slices_with_numbers: Slices with the size of the embedding as numbers, in a list.
# keeps: import torch | n_embd | batch_size | emb = C[Xb]
# demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 5, line 2: 3 parts
#     written one by one (block), 10 (embedding). A loop over `range(Xb.shape[1])` works at any size.
# others: missing

demb = torch.stack([dembcat[:, :10], dembcat[:, 10:20], dembcat[:, 20:]], 1)

# === three_lookups: The forward pass concatenates three lookups, and so does the way back.
# keeps: import torch | n_embd | batch_size | emb = C[Xb]
# demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 5, line 3: 10
#     (embedding); line 5: 30 (block × embedding). `C.shape[1]` in place of 10 works at any size.
# dC: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 5, line 3: 10
#     (embedding); line 5: 30 (block × embedding). `C.shape[1]` in place of 10 works at any size. Right, but it skips
#     a step: it is computed from gradients further up than the next one.
# others: missing

embcat = torch.cat((C[Xb[:, 0]], C[Xb[:, 1]], C[Xb[:, 2]]), 1)
demb0 = dembcat[:, :10]
demb1 = dembcat[:, 10:20]
demb2 = dembcat[:, 20:30]
demb = torch.stack([demb0, demb1, demb2], dim=1)
dC = torch.zeros_like(C)
for i in range(n):
    dC[Xb[i][0]] += demb0[i]
    dC[Xb[i][1]] += demb1[i]
    dC[Xb[i][2]] += demb2[i]
