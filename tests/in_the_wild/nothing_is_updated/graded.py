"""The same, graded.

lesson: 07
update: failed | = `C` is `parameters[0]` just as it was given: nothing has been done to it.
trajectory: failed | = `C` is `parameters[0]` just as it was given: nothing has been done to it.
resumed: failed | = `C` is `parameters[0]` of call 1 of `train` just as it was given: nothing has been done to it.
no_grad: failed | = `C` is `parameters[0]` just as it was given: nothing has been done to it.
others: passed
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        new = p - learning_rate * g
        p = new
