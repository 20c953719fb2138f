"""The first step of the lecture fills whole columns.

lesson: 03
by: dojo
dlogprobs: failed | = `out[:, Yb]` picks whole columns: for each entry of `Yb`, that column in every row. Index rows
    and columns together, so that each row is paired with its own entry; then your `dlogprobs` is right.
others: passed
"""

def dlogprobs(logprobs, Yb, n):
    out = torch.zeros(logprobs.shape)
    out[:, Yb] = -1.0 / n
    return out
