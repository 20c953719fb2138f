"""A class of the learner's own is called Tensor, as torch's, and lacks a method.

lesson: 18
alone: yes
tensor_sum: missing | = `Tensor` has no `sum` yet.
others: any
"""


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = data
