"""The rate is low first and high afterwards.

lesson: 07
by: dojo
learning_rate: failed | = `step > max_steps / 2` is not the comparison that belongs there. With another one,
    `learning_rate` is right. What should hold on each side, and what when both are equal? Its public example:
    exercises/07_training/examples.py:122
trajectory: failed
resumed: failed
no_grad: failed
others: passed
"""


def learning_rate(step, max_steps):
    return 0.1 if step > max_steps / 2 else 0.01
