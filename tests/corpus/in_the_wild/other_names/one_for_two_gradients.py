"""One variable is compared with two gradients, by a slip of copy and paste: it is taken for neither.

lesson: 03
as: notebook
dbnvar_inv: missing | = mine.ipynb assigns no `dbnvar_inv`. `gvi` is compared with the gradients of `bnvar_inv` and
    `bnvar` (mine.ipynb, cell 9, line 56), so it is taken for neither. Give each gradient a variable of its own.
dbnvar: missing | = mine.ipynb assigns no `dbnvar`. `gvi` is compared with the gradients of `bnvar_inv` and `bnvar`
    (mine.ipynb, cell 9, line 57), so it is taken for neither. Give each gradient a variable of its own.
dbndiff2: any
"""

# instead of: dbnvar_inv =
gvi = (bndiff * dbnraw).sum(0, keepdim=True)
# instead of: dbnvar =
gv = (-0.5*(bnvar + 1e-5)**-1.5) * gvi
# instead of: dbndiff2 =
dbndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * gv
# instead of: cmp('bnvar_inv'
cmp('bnvar_inv', gvi, bnvar_inv)
# instead of: cmp('bnvar',
cmp('bnvar', gvi, bnvar)
