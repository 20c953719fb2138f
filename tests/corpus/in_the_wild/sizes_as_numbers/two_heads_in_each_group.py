"""Two heads in a group, written as the numbers 0 and 1: the sizes of the problem that fails are what the message says.

lesson: 13
dvh: shape | the first wrong one has batch 4, time 6, channels 5, heads 3, groups 1, size 2.
"""


def dvh(dvalues, groups):
    return dvalues[:, 0::2] + dvalues[:, 1::2]
