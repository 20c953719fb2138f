"""A unit counts as dead if it is zero for nine of ten examples.

lesson: 10
dead_units: failed | = A unit is called dead if it is zero for most examples. A single example above zero is enough:
    through it a gradient comes back.
others: any
"""


def dead_units(h):
    return (h == 0).float().mean(0) > 0.9
