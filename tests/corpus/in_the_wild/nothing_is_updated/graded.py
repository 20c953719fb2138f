"""The same, graded.

lesson: 07
update: failed | = The parameters are as they were. An operation such as `p - ...` makes a new tensor: giving it the
    name `p`, or returning it, does not change the list's tensors. Change those in place, as `p -= ...` does.
trajectory: failed | = This is computed with your `update`, which is not right yet: start there.
resumed: failed | = This is computed with your `update`, which is not right yet: start there.
no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
others: passed
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        new = p - learning_rate * g
        p = new
