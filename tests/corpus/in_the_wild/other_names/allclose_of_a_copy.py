"""No cmp for these two: torch.allclose with the .grad that PyTorch left, and with a copy of it.

lesson: 03
as: notebook
dcounts_sum: passed | = Read from `total_back`: `torch.allclose(total_back, counts_sum.grad, atol=1e-7)` in
    mine.ipynb, cell 9, line 44 compares it with the gradient of `counts_sum`.
dbnraw: passed | = Read from `raw_back`: `raw_back.allclose(kept)` in mine.ipynb, cell 9, line 56 compares it with the
    gradient of `bnraw`.
"""

# instead of: dcounts_sum =
total_back = (-counts_sum**-2) * dcounts_sum_inv
# instead of: dcounts +=
dcounts += torch.ones_like(counts) * total_back
# instead of: dbnraw =
raw_back = bngain * dhpreact
# instead of: dbndiff =
dbndiff = bnvar_inv * raw_back
# instead of: dbnvar_inv =
dbnvar_inv = (bndiff * raw_back).sum(0, keepdim=True)
# instead of: cmp('counts_sum'
assert torch.allclose(total_back, counts_sum.grad, atol=1e-7)
# instead of: cmp('bnraw'
kept = bnraw.grad.clone()
print(raw_back.allclose(kept))
