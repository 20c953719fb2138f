"""A size as a number in a function of the stub, which must work at any size.

lesson: 03
as: functions
dbndiff2: error
"""


def dbndiff2(dbnvar, bndiff2):
    return dbnvar.expand(32, 64) * (1 / 31)
