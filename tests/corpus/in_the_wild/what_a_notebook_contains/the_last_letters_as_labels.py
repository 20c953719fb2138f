"""The one-hot matrix is of the last letters, not of the labels: the message points at the line that reads them.

lesson: 04
as: notebook
keeps: import torch | n_embd | batch_size | emb = C
dlogits: missing | = `dlogits` cannot be taken out of mine.ipynb, cell 5, line 3: it uses `Xb`, which is not recognised
    as a value of this exercise: it is computed from `Xtr` (mine.ipynb, cell 3, line 4).
others: missing
"""

cmp('logits', None, logits)
dlogits = (F.softmax(logits, 1) - torch.eye(27)[Xb[:, -1]]) / n
