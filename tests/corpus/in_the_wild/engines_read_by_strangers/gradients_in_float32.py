"""An engine that computes in float32 is as right in deep graphs and at ties as it is elsewhere.

lesson: 18
by: grade
"""


def _with_float32(self, data, inputs=()):
    self.data = data.float() if isinstance(data, torch.Tensor) else torch.tensor(float(data))
    self.inputs = inputs
    self.grad = torch.zeros_like(self.data)


Tensor.__init__ = _with_float32
