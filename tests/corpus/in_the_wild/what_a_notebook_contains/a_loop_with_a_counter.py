"""The loop reads a counter of its own, which is not what a step is given.

lesson: 07
as: notebook
alone: yes
base: what_a_notebook_contains/shared/training_loop.py
dW2, db2, dbngain, dbnbias, dW1, db1, dC, loss: missing | = The training loop cannot be taken out of mine.ipynb, cell 1,
    line 18: it uses `i`, which is not a value of the forward pass.
others: missing
"""

# instead of: dlogits /= n
dlogits /= n * (1 + i)
