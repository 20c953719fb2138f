"""The course accepts such shapes of stubs too.

lesson: 03
as: functions
course: shape = "broadcast"
dbnmeani: passed | = The numbers are right. `dbnmeani` has shape (64,), `bnmeani` has shape (1, 64). Broadcasting hides the
    difference.
"""


def dbnmeani(dbndiff):
    return -dbndiff.sum(0)
