"""The root of the head's size, calculated once and for all.

lesson: 13
dkeys: failed | = Your `dkeys` is right at the sizes in README.md and wrong at others (batch 3, time 5, channels 9,
    heads 4, groups 2, size 7). Line 138 uses the number 2.44949, which is the root of `keys.shape[3]` there:
    `dscores.mT @ qh / 2.449489742783178`. Take sizes from what you are given.
"""

def dkeys(dscores, qh):
    return dscores.mT @ qh / 2.449489742783178
