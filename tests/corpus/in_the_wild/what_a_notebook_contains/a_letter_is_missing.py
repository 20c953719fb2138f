"""A line reads `dlogit`, which nothing assigns: the row is missing, and the message asks about `dlogits`.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C
dh: missing | = `dh` cannot be taken out of mine.ipynb, cell 5, line 2: it uses `dlogit`, which nothing assigns. Did
    you mean `dlogits`?
dW2, db2: passed
others: missing
"""

dh = dlogit @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0)
