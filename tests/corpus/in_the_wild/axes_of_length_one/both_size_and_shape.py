"""A hard-coded size and a missing axis in one line.

lesson: 03
as: notebook
dbnmeani: passed | = The numbers are right. `dbnmeani` has shape (64,), `bnmeani` has shape (1, 64). Broadcasting hides the
    difference. Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 9, line 29: 32 (batch). `n`
    in place of 32 works at any size.
"""
# instead of: dbnmeani =
dbnmeani = -torch.ones(32) @ dbndiff
