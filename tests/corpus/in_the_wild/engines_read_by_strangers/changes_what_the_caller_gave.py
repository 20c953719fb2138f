"""A pass multiplies the upstream gradient in place.

lesson: 18
tensor_elementwise: failed | = In `c.tanh()`, `backward` changes the upstream gradient that the caller gave. Make a new
    tensor instead of changing that one in place.
others: any
"""


def _tanh(self):
    t = self.data.tanh()
    return Tensor(t, [(self, lambda g: g.mul_(1 - t**2))])


Tensor.tanh = _tanh
