"""Lines of a Python file that are not finished, each in its own way: only their own rows are lost.

lesson: 03
as: script
dprobs: todo
dcounts_sum_inv: missing | `dcounts_sum_inv` is in lines that Python cannot read: mine.py, from line
dbndiff2: missing | `dbndiff2` is in lines that Python cannot read: mine.py, from line
dbnmeani: missing | `dbnmeani` is in lines that Python cannot read: mine.py, from line
"""

# instead of: dprobs =
dprobs =
# instead of: dcounts_sum_inv =
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True
# instead of: dbndiff2 =
dbndiff2 = torch.ones_like(bndiff2) / (n - 1) *
# instead of: dbnmeani =
  dbnmeani = (-dbndiff).sum(0)
