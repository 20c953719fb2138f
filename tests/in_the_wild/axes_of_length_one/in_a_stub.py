"""In a stub's function the shape is part of the answer.

lesson: 03
as: functions
dbnmeani: shape
"""


def dbnmeani(dbndiff):
    return -dbndiff.sum(0)
