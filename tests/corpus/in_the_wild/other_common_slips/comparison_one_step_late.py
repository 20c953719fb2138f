"""The learning rate falls one step late.

lesson: 07
by: dojo
learning_rate: failed | = `step <= max_steps / 2` is not the comparison that belongs there. With another one,
    `learning_rate` is right. Its public example: exercises/07_training/examples.py:122
trajectory, resumed, no_grad: failed | = This is computed with your `learning_rate`, which is not right yet: start there.
"""

def learning_rate(step, max_steps):
    if step <= max_steps / 2:
        return 0.1
    return 0.01
