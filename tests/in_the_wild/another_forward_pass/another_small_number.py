"""The forward pass adds 1e-6 before the root, and so does the way back: both lines are quoted.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C
dbnvar: failed | = Your forward pass has another line (mine.ipynb, cell 5, line 3): `bnvar_inv = (bnvar + eps) ** -0.5`;
    the lesson has `bnvar_inv = (bnvar + 1e-5) ** -0.5`. The gradient is judged for the lesson's line.
others: missing
"""

eps = 1e-6
bnvar_inv = (bnvar + eps)**-0.5
# %%
dbnvar = (-0.5*(bnvar + eps)**-1.5) * dbnvar_inv
