"""`sub` for `sub_`.

lesson: 07
by: dojo
update: failed | = `p.sub(learning_rate * g)` computes a value that nothing uses: `p` stays as it was. If it
    changes in place, `update` is right. Its public example: exercises/07_training/examples.py:112
trajectory, resumed, no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
"""

def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.sub(learning_rate * g)
