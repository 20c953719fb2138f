"""One loop fills two gradients. The line of the second raises an error, which the first has nothing to do with.

lesson: 03
as: notebook
dbndiff: error
"""
# instead of: dbndiff2 =
dbndiff2 = torch.zeros_like(bndiff2)
dbndiff = torch.zeros_like(bndiff)
for k in range(n):
    dbndiff2[k] = dbnvar[0] / (n - 1)
    dbndiff[k] = bnvar_inv[0] @ dbnraw + 2 * bndiff[k] * dbndiff2[k]
# instead of: dbndiff = bnvar_inv

# instead of: dbndiff +=

