"""One loop fills two gradients, and reads the first before all is added to it.

lesson: 03
as: notebook
dbndiff: failed
"""
# instead of: dbndiff2 =
dbndiff2 = torch.zeros_like(bndiff2)
dbndiff = torch.zeros_like(bndiff)
for k in range(n):
    dbndiff2[k] += dbnvar[0] / n
    dbndiff[k] = bnvar_inv[0] * dbnraw[k] + 2 * bndiff[k] * dbndiff2[k]
    dbndiff2[k] += dbnvar[0] * (1 / (n - 1) - 1 / n)
# instead of: dbndiff = bnvar_inv

# instead of: dbndiff +=

