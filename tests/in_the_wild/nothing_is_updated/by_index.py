"""The same with an index.

lesson: 07
by: dojo
update: failed | = `p = p - gradients[i] * learning_rate` gives the name `p` a new tensor; the tensor that it named
    before stays as it was. Change that tensor in place; then `update` is right. Its public example:
    exercises/07_training/examples.py:112
trajectory: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` just as it was given: nothing has been done to it. Its public example:
    exercises/07_training/examples.py:127
resumed: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` of call 1 of `train` just as it was given: nothing has been done to it.
    Its public example: exercises/07_training/examples.py:131
no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` just as it was given: nothing has been done to it. Its public example:
    exercises/07_training/examples.py:135
others: passed
"""

def update(parameters, gradients, learning_rate):
    for i in range(len(parameters)):
        p = parameters[i]
        p = p - gradients[i] * learning_rate
