"""All is in one block, with a line that is not finished and one that is half typed.

lesson: 03
as: script
alone: yes
dh: todo
dW2: missing | `dW2` is in lines that Python cannot read: mine.py, from line 5 on.
db2: passed
dhpreact: passed
others: missing
"""
import torch

with torch.no_grad():
    dh =
    dW2 = h.T @ dlogits.
    db2 = dlogits.sum(0)
    dhpreact = (1 - h**2) * dh
