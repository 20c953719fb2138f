"""A `return` of a function without the rest of its line: the other functions of the file count.

lesson: 05
as: functions
alone: yes
dhprebn: missing | `dhprebn` is in lines that Python cannot read: backward.py, from line 2 on.
dh: any
others: any
"""

def dhprebn(hprebn, bngain, bnvar_inv, bnraw, n, dhpreact):
    total = dhpreact.sum(0)
    return bngain * bnvar_inv / n *


def dh(dout, h):
    return dout
