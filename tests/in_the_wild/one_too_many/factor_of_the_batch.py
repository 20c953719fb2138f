"""The sum over the copies, and the size of the batch as a factor.

lesson: 01
by: both
dtile: failed | = In `dtiled.sum(0) * dtiled.shape[0]`, the factor `dtiled.shape[0]` is one too many. Without it, your
    `dtile` is right. What is the local derivative of the forward line?
"""


def dtile(dtiled):
    return dtiled.sum(0) * dtiled.shape[0]
