"""A class of the learner's own is called Tensor, as torch's, and lacks a method.

lesson: 18
alone: yes
tensor_sum: error | Your class `Tensor` has no `sum`: is it written?
others: any
"""


class Tensor:
    def __init__(self, data, requires_grad=False):
        self.data = data
