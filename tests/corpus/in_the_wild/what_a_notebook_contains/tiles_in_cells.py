"""Lesson 19 in cells: two attempts at a function, of which the last one counts, and magics between.

lesson: 19
alone: yes
as: notebook
counts: 19
add_tile: missing | = There is no function `add_tile` in the file.
correction: passed
others: any
"""

%matplotlib inline
!pip install torch
import torch
# %%
def correction(dO, O):
    raise NotImplementedError
# %%
# first try
def correction(dO, O):
    return (dO * O).sum(0)
# %%
%timeit torch.ones(3)
Q = torch.randn(4, 2)
Q
# %%
def correction(dO, O):
    return (dO * O).sum(1)
