"""A comma for the full stop makes a call of Python's own `sum`, and a method without its tensor.

lesson: 03
dbnbias: error | Is a comma written for the full stop in `x.sum(...)`?
db2: error | Is a comma written for the full stop in `x.sum(0)`?
dbnmeani: error | `mean` is a method of tensors, `x.mean(...)`. Is a comma written for the full stop?
"""


def dbnbias(dhpreact):
    return (dhpreact),sum(0, keepdim=True)


def db2(dlogits):
    return dlogits,sum(0)


def dbnmeani(dbndiff):
    return -dbndiff,mean(0)
