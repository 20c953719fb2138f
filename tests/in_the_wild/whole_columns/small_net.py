"""Minus one in whole columns, in the small network.

lesson: 02
by: dojo
dlogits: failed | = `grad[:, Y]` picks whole columns: for each entry of `Y`, that column in every row. Index rows
    and columns together, so that each row is paired with its own entry; then your `dlogits` is right.
others: passed
"""

def dlogits(logits, Y, N):
    grad = torch.softmax(logits, -1)
    grad[:, Y] -= 1.0
    return grad / N
