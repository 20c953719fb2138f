"""The loop assigns no gradient of the bias of batch norm, and nothing else is wrong.

lesson: 07
as: notebook
alone: yes
base: what_a_notebook_contains/shared/training_loop.py
dW2, db2, dbngain, dW1, db1, dC, loss: passed
dbnbias: missing | = The training loop in mine.ipynb, cell 1 assigns no `dbnbias`.
others: missing
"""

# instead of: dbnbias =
