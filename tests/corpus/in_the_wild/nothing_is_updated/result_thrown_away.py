"""`sub` for `sub_`.

lesson: 07
by: dojo
update: failed | = `p.sub(learning_rate * g)` computes a value that nothing uses: `p` stays as it was. If it
    changes in place, `update` is right. Its public example: exercises/07_training/examples.py:112
trajectory: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` just as it was given: nothing has been done to it. Its public example:
    exercises/07_training/examples.py:127
resumed: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` of call 1 of `train` just as it was given: nothing has been done to it.
    Its public example: exercises/07_training/examples.py:131
no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
    `C` is `parameters[0]` just as it was given: nothing has been done to it. Its public example:
    exercises/07_training/examples.py:135
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.sub(learning_rate * g)
