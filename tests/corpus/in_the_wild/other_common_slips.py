# === half_a_size: `n` where `n - 1` divides, on the inner path.
# lesson: 03
# by: dojo
# dbndiff2: failed | In `dbnvar.expand_as(bndiff2) / n`, `n` is not quite what the forward pass divides by: look at
#     Bessel's correction

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n

# === rows_without_columns: An index that picks rows only.
# lesson: 04
# by: both
# dlogits: error | `p[Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows and columns
#     together, so that each row is paired with its own entry, your `dlogits` is right.
# in_one_go: error

def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[Yb] -= 1
    return p / n
