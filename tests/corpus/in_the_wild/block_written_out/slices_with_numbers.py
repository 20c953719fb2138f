"""Slices with the size of the embedding as numbers, in a list.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 5, line 2: 3 parts
    written one by one (block), 10 (embedding). A loop over `range(Xb.shape[1])` works at any size.
others: missing
"""

demb = torch.stack([dembcat[:, :10], dembcat[:, 10:20], dembcat[:, 20:]], 1)
