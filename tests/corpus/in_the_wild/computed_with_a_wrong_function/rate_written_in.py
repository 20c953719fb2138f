"""The update has the rate as a number; `learning_rate` is right, and is lowered.

lesson: 07
update: failed | = The step is 0.1 times the gradient, whatever `learning_rate` is. Take the one that is given.
trajectory: failed | This is computed with your `update`, which is not right yet: start there.
resumed: failed | This is computed with your `update`, which is not right yet: start there.
no_grad: failed | This is computed with your `update`, which is not right yet: start there.
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.data -= 0.1 * g
