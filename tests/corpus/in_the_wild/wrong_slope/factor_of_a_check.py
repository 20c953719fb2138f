"""What a check returns is the right value times a number: the change of the code that undoes it says more.

lesson: 14
by: both
dropout_backward: failed | In `dout * keep * (1 - p)`, the `*` in front of `1 - p` is the wrong operation.
others: any
"""


def dropout_backward(dout, keep, p):
    return dout * keep * (1 - p)
