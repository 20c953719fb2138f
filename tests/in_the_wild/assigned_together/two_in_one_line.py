"""A gradient and its upstream gradient are assigned in one line. Each row is judged by its own part of the line.

lesson: 03
as: notebook
"""
# instead of: dlogits = dnorm_logits.clone()
dlogits, dlogit_maxes = dnorm_logits.clone(), (-dnorm_logits).sum(1, keepdim=True)
# instead of: dlogit_maxes =

# instead of: dhprebn = dbndiff.clone()
[dhprebn, dbnmeani] = dbndiff.clone(), (-dbndiff).sum(0, keepdim=True)
# instead of: dbnmeani =

