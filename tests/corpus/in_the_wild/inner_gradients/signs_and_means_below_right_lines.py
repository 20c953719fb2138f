"""Another line could undo each slip, and would make right gradients wrong: it is not blamed.

lesson: 06
by: both
db2: failed | In `dlogits.mean(0)`, a mean and a sum are confused
dW: failed | `dvar` is wrong, and `dW` is computed from it. The sign is flipped: your `dvar` is exactly minus the gradient.
db, demb, dC: failed
others: passed
"""

# instead of: db2 =
db2 = dlogits.mean(0)
# instead of: from_mean =
dvar = (dxhat * (x - mean) * 0.5 * (var + eps) ** -1.5).sum(0)
# instead of: from_variance =
dmean = (-dxhat / torch.sqrt(var + eps)).sum(0)
# instead of: dx =
dx = dxhat / torch.sqrt(var + eps) + dvar * 2 * (x - mean) / n + dmean / n
