"""Sizes as numbers where the lecture has `ones_like`, and 1/31 and 1/32 worked out.

lesson: 03
as: notebook
dbndiff2: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 9, line 26: 32
    (batch), 64 (hidden). `n` in place of 32 works at any size.
dhprebn: passed | line 30: 0.03125 (1 / batch)
"""
# instead of: dbndiff2 =
dbndiff2 = dbnvar.expand(32, 64) * (1.0/31)
# instead of: dhprebn +=
dhprebn += 0.03125 * dbnmeani
