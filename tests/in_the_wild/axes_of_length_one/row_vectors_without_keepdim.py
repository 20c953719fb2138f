"""Gradients of (1, 64) without their first axis: the mean's as in the published solution, the gain's and the bias's.

lesson: 03
as: notebook
dbnvar_inv: passed | = The numbers are right. `dbnvar_inv` has shape (64,), `bnvar_inv` has shape (1, 64).
    Broadcasting hides the difference.
dbngain: passed | has shape (64,)
"""
# instead of: dbnvar_inv =
dbnvar_inv = torch.einsum("ij,ij->j", bndiff, dbnraw)
# instead of: cmp('bngain',
dbngain = (bnraw * dhpreact).sum(dim=0)
