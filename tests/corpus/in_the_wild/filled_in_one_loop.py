# === both_right: Loops fill two gradients each, element by element, and one of them adds to what it has.
# lesson: 03
# as: notebook
# dlogits, dbndiff: passed | Right, but it skips a step

# instead of: dlogit_maxes =

# instead of: dlogits = dnorm_logits.clone()
dlogit_maxes = torch.zeros_like(logit_maxes)
dlogits = torch.zeros_like(logits)
for i, row in enumerate(dnorm_logits):
    dlogit_maxes[i] -= row.sum()
    dlogits[i] = row
    dlogits[i, logits[i].argmax()] += dlogit_maxes[i, 0]
# instead of: dlogits += F.one_hot

# instead of: dbndiff2 =
dbndiff2 = torch.zeros_like(bndiff2)
dbndiff = torch.zeros_like(bndiff)
for k in range(n):
    for j in range(bndiff.shape[1]):
        dbndiff2[k, j] = dbnvar[0, j] / (n - 1)
        dbndiff[k, j] = bnvar_inv[0, j] * dbnraw[k, j] + 2 * bndiff[k, j] * dbndiff2[k, j]
# instead of: dbndiff = bnvar_inv

# instead of: dbndiff +=
