"""The one-hot matrix is of the last letters, not of the labels: the message names what they come from.

lesson: 04
as: notebook
keeps: import torch | n_embd | batch_size | emb = C
dlogits: missing | = `dlogits` cannot be taken out of mine.ipynb, cell 3, line 4: it uses `Xtr`, which nothing
    assigns.
others: missing
"""

cmp('logits', None, logits)
dlogits = (F.softmax(logits, 1) - torch.eye(27)[Xb[:, -1]]) / n
