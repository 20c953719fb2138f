"""The sizes are right, the formulas are not: 32 where the variance is divided by 31, the sum of a mean's copies.

lesson: 03
as: notebook
dbndiff2: failed | Your `dbndiff2` is exactly (n−1)/n times the gradient
dhprebn: failed
"""
# instead of: dbndiff2 =
dbndiff2 = torch.ones(32, 64) * dbnvar / 32
# instead of: dhprebn +=
dhprebn += torch.ones(32, 64) * dbnmeani / 64
