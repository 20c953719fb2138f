"""The root of the head's size as a number, which is the batch size as well.

lesson: 12
dq: failed | = Your `dq` is right at the sizes in README.md and wrong at others (batch 3, time 7, channels 9, head 5).
    Line 132 uses the number 4, which is `q.shape[0]` or the root of `q.shape[2]` there: `dscores @ k / 4`. Take sizes
    from what you are given.
"""

def dq(dscores, k):
    return dscores @ k / 4
