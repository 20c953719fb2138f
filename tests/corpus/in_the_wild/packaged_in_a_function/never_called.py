"""Functions that nothing calls: the message says so, instead of that no gradient is assigned.

lesson: 03
as: script
alone: yes
dh: missing | = `dh` in `h_bp` (mine.py, line 3) is not read: assign it to a variable `dh` outside of functions and
    classes.
dW2: missing | `dW2` in `W2_bp` (mine.py, line 6) is not read
db2: missing | = `db2` in `b2_bp` (mine.py, line 9) is not read: assign it to a variable `db2` outside of functions and
    classes.
others: missing | assigns no
"""
import torch
def h_bp(dlogits, W2):
    dh = dlogits @ W2.T
    return dh
def W2_bp(h, dlogits):
    dW2 = h.T @ dlogits
    return dW2
def b2_bp(dlogits):
    db2 = dlogits.sum(0); return db2
b2_bp(dlogits)
