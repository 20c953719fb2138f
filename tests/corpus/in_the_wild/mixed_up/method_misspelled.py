"""A method's name is misspelled.

lesson: 03
db1: error | = AttributeError: 'Tensor' object has no attribute 'sums'. Do you mean `.sum`?
"""

def db1(dhprebn):
    return dhprebn.sums(0)
