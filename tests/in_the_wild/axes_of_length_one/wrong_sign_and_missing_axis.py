"""The axis is missing, and the minus sign too: the shape is forgiven, the number is not.

lesson: 03
as: notebook
dbnmeani: failed | = The sign is flipped: the mean is subtracted. What happens to every `bndiff` when the mean grows?
"""
# instead of: dbnmeani =
dbnmeani = dbndiff.sum(0)
