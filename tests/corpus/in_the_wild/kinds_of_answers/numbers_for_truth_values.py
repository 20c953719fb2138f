"""Ones and zeros where the docstring asks for True and False.

lesson: 01
by: both
nonzero_places: shape | The result holds numbers (int64); expected True and False (bool).
"""

def nonzero_places(labels, classes):
    return F.one_hot(labels, classes)
