"""The rate is low first and high afterwards.

lesson: 07
by: dojo
learning_rate: failed | = `step > max_steps / 2` compares. With the comparison the other way round, `learning_rate` is
    right. Its public example: exercises/07_training/examples.py:122
trajectory: failed
resumed: failed
no_grad: failed
others: passed
"""


def learning_rate(step, max_steps):
    return 0.1 if step > max_steps / 2 else 0.01
