# as: notebook

# === a_value_and_its_gradient: Two forward values under other names, and their gradients called after them: the
#     forward pass makes both definite.
# lesson: 03
# dlogit_maxes: passed | = Read from `drow_max`: `cmp('row_max', drow_max, row_max)` in mine.ipynb, cell 9, line 47
#     compares it with the gradient of `logit_maxes`.
# dbndiff2: passed | = Read from `dsquares`: your `squares` is this exercise's `bndiff2`.

# instead of: logit_maxes = logits.max
row_max = logits.max(1, keepdim=True).values
# instead of: norm_logits = logits
norm_logits = logits - row_max
# instead of: bndiff2 =
squares = bndiff**2
# instead of: bnvar = 1/(n-1)
bnvar = 1/(n-1)*(squares).sum(0, keepdim=True)
# instead of: for t in [logprobs
for t in [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, row_max, logits, h, hpreact, squares,
# instead of: bnraw, bnvar_inv, bnvar
          bnraw, bnvar_inv, bnvar, bndiff, hprebn, bnmeani, embcat, emb]:
# instead of: dlogit_maxes =
drow_max = (-dnorm_logits).sum(1, keepdim=True)
# instead of: dlogits += F.one_hot
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * drow_max
# instead of: dbndiff2 =
dsquares = (1.0/(n-1))*torch.ones_like(squares) * dbnvar
# instead of: dbndiff +=
dbndiff += (2*bndiff) * dsquares
# instead of: cmp('logit_maxes'
cmp('row_max', drow_max, row_max)
# instead of: cmp('bndiff2'
print(dsquares)
