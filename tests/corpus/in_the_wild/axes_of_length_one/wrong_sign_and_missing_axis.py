"""The axis is missing, and the minus sign too: the shape is forgiven, the number is not.

lesson: 03
as: notebook
dbnmeani: failed | = The sign is flipped: your `dbnmeani` is exactly minus the gradient. One minus is missing, or one
    too many: compare with the forward line.
"""
# instead of: dbnmeani =
dbnmeani = dbndiff.sum(0)
