# === line_that_runs_twice: A line that adds, copied below itself.
# lesson: 03
# by: both
# dbndiff: failed | = One of two lines is wrong. The line `total += 2 * bndiff * dbndiff2` is one too many. Without
#     it, your `dbndiff` is right. Or: the same in another line.

def dbndiff(dbnraw, bnvar_inv, bndiff, dbndiff2):
    total = bnvar_inv * dbnraw
    total += 2 * bndiff * dbndiff2
    total += 2 * bndiff * dbndiff2
    return total
