"""The name of the loop is given a new tensor.

lesson: 07
by: dojo
update: failed | = `param = param - learning_rate * grad` gives the name `param` a new tensor; the tensor that
    it named before stays as it was. If that tensor changes in place, `update` is right. Its public example:
    exercises/07_training/examples.py:112
trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
"""

def update(parameters, gradients, learning_rate):
    for param, grad in zip(parameters, gradients):
        param = param - learning_rate * grad
