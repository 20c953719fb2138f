"""Operations that set gradients to zero, "so that the next pass starts fresh".

lesson: 18
value_again: failed | `a * b` changes a value that it is called with
tensor_graphs: failed | `a.log()` changes a value that it is called with
others: passed
"""


def product(self, other):
    other = other if isinstance(other, Value) else Value(other)
    self.grad = other.grad = 0.0
    return Value(self.data * other.data, [(self, lambda g: g * other.data), (other, lambda g: g * self.data)])


Value.__mul__ = product


def log(self):
    self.grad = torch.zeros_like(self.data)
    return Tensor(self.data.log(), [(self, lambda g: g / self.data)])


Tensor.log = log
