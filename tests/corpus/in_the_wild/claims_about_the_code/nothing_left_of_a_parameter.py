"""Every step leaves the step instead of the parameter: what remains, about 1e-170, is no factor of what was expected.

lesson: 07
by: dojo
update: failed | = `p.data =- learning_rate * g` assigns: `=-` is `=` and a sign. With `-=`, `update` is right. Its public
    example: exercises/07_training/examples.py:112
no_grad: failed | = This is computed with your `update`, which is not right yet: start there.
others: any
"""


def update(parameters, gradients, learning_rate):
    for p, g in zip(parameters, gradients):
        p.data =- learning_rate * g
