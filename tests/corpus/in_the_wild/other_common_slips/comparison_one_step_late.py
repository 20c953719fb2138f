"""The learning rate falls one step late.

lesson: 07
by: dojo
learning_rate: failed | = `step <= max_steps / 2` is not the comparison that belongs there. With another one,
    `learning_rate` is right. Its public example: exercises/07_training/examples.py:122
trajectory: failed | = This is computed with your `learning_rate`, which is not right yet: start there.
    `losses[6]` is 1.56500865; expected 1.60390664. Its public example:
    exercises/07_training/examples.py:127
resumed: failed | = This is computed with your `learning_rate`, which is not right yet: start there.
    `losses[6]` is 1.5314059; expected 1.52901971. Its public example:
    exercises/07_training/examples.py:131
no_grad: failed | = This is computed with your `learning_rate`, which is not right yet: start there.
    `losses[4]` is 1.62461119; expected 1.6318506. Its public example:
    exercises/07_training/examples.py:135
"""

def learning_rate(step, max_steps):
    if step <= max_steps / 2:
        return 0.1
    return 0.01
