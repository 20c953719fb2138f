"""The line reads the name that it sets; in the notebook an earlier run had left a value there.

lesson: 03
as: script
alone: yes
dbndiff2: error | The line that sets `dbndiff2` also reads it, and nothing has set it before.
others: any
"""


dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
dbndiff2 = torch.ones_like(dbndiff2) / (n - 1) * dbnvar
cmp('bndiff2', dbndiff2, bndiff2)
