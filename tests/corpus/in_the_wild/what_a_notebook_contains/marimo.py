"""A notebook that marimo saved as a Python file: each cell is a function, which returns what other cells read.

lesson: 03
as: script
alone: yes
dprobs: failed
dlogprobs: passed
dcounts_sum_inv: passed
others: missing
"""

import marimo

app = marimo.App()


@app.cell
def _():
    import torch
    return (torch,)


@app.cell(hide_code=True)
def _(logprobs, n, torch, Yb, probs, counts):
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1 / n
    dprobs = dlogprobs / probs * 2
    dcounts_sum_inv = (dprobs * counts).sum(1, keepdim=True)
    return dlogprobs, dprobs, dcounts_sum_inv
