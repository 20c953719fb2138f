"""Functions that nothing calls: the message says so, instead of that no gradient is assigned.

lesson: 03
as: script
alone: yes
dh: missing | = `dh` is assigned inside of `h_bp` only (mine.py, line 3), which nothing calls. Write `dh = h_bp(...)`
    outside of functions.
dW2: missing | inside of `W2_bp` only (mine.py, line 6), which nothing calls.
db2: missing | = `db2` is assigned inside of `b2_bp` only (mine.py, line 9), whose result is not assigned to `db2`. Write
    `db2 = b2_bp(...)` outside of functions.
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
