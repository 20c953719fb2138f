"""Two gradients under short names, compared in a loop over a list of tuples.

lesson: 03
as: notebook
dbnvar_inv: passed | = Read from `gvi`: `('bnvar_inv', gvi, bnvar_inv)` in mine.ipynb, cell 9, line 56 says that it
    is `dbnvar_inv`.
dbnvar: passed | = Read from `gv`: `('bnvar', gv, bnvar)` in mine.ipynb, cell 9, line 56 says that it is `dbnvar`.
"""

# instead of: dbnvar_inv =
gvi = (bndiff * dbnraw).sum(0, keepdim=True)
# instead of: dbnvar =
gv = (-0.5*(bnvar + 1e-5)**-1.5) * gvi
# instead of: dbndiff2 =
dbndiff2 = (1.0/(n-1))*torch.ones_like(bndiff2) * gv
# instead of: cmp('bnvar_inv'
pairs = [('bnvar_inv', gvi, bnvar_inv), ('bnvar', gv, bnvar)]
for title, gradient, tensor in pairs:
  cmp(title, gradient, tensor)
# instead of: cmp('bnvar',
print('variance done')
