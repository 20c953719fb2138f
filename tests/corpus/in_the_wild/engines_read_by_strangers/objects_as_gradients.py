"""The `grad` of a leaf is kept as an object of the class.

lesson: 18
network: failed | = After `backward`, the `grad` of a leaf is an object of your class `Tensor`. It should be a torch
    tensor.
others: any
"""


def _wrapped(self, gradient=None):
    leaves, seen, waiting = [], set(), [self]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            waiting += [each for each, _ in value.inputs]
            leaves += [value] * (not value.inputs)
    for leaf in leaves:
        leaf.grad = leaf.grad.data if isinstance(leaf.grad, Tensor) else leaf.grad
    Value._backward(self, torch.ones_like(self.data) if gradient is None else gradient)
    for leaf in leaves:
        leaf.grad = Tensor(leaf.grad)


Tensor.backward = _wrapped
