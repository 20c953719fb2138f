"""A learning rate that is computed in a loop; the runs of `train` must not be blamed on the names in its loop.

lesson: 07
learning_rate: failed | The answer is always 0.01
trajectory: failed | This is computed with your `learning_rate`, which is not right yet: start there.
resumed: failed | This is computed with your `learning_rate`, which is not right yet: start there.
no_grad: failed | = This is computed with your `learning_rate`, which is not right yet: start there.
"""

def learning_rate(step, max_steps):
    for i in range(max_steps):
        rate = 0.1 if i < max_steps / 2 else 0.01
    return rate
