"""A variable near the name `dhprebn` is autograd's: it is not suggested for `dhprebn`.

lesson: 05
as: notebook
alone: yes
dhprebn: missing | = mine.ipynb assigns no `dhprebn`.
others: any
"""

# %%
import torch
dbnraw = bngain * dhpreact
dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
dbnvar = -0.5 * (bnvar + 1e-5)**-1.5 * dbnvar_inv
# %%
dhprebn_auto = hprebn.grad.clone()
