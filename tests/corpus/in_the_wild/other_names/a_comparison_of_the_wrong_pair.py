"""A cmp call that lies: it compares dcounts, which is there, with the gradient of probs, for which there is nothing.

lesson: 03
as: notebook
dprobs: missing | = mine.ipynb assigns no `dprobs`. `cmp('probs', dcounts, probs)` (mine.ipynb, cell 9, line 42)
    compares `dcounts` with the gradient of `probs`, but `dcounts` is the name of the gradient of `counts`.
"""

# instead of: dprobs =
pass
# instead of: cmp('probs'
cmp('probs', dcounts, probs)
