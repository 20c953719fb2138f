"""The update has the rate as a number; `learning_rate` is right, and is lowered.

lesson: 07
update: failed | = The step is 0.1 times the gradient, whatever `learning_rate` is. Take the one that is given.
trajectory: failed | The step is 0.1 times the gradient
resumed: failed | The step is 0.1 times the gradient
no_grad: failed | The step is 0.1 times the gradient
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.data -= 0.1 * g
