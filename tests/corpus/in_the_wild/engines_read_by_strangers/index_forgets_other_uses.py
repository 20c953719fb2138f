"""The gradient of an index replaces what other uses have sent: no row speaks of counted uses.

lesson: 18
tensor_getitem: passed
network: failed | `losses` is wrong by
others: any
"""


_right = Tensor.__getitem__


def _first_of_all(self, index):
    out = _right(self, index)
    ((_, pull),) = out.inputs
    out.inputs, out.indexed = [(self, pull)], True
    return out


def _backward(self, gradient):
    order, seen, waiting = [], set(), [(self, False)]
    while waiting:
        value, is_complete = waiting.pop()
        if is_complete:
            order.append(value)
        elif id(value) not in seen:
            seen.add(id(value))
            waiting.append((value, True))
            waiting += [(each, False) for each, _ in value.inputs]
    gradients = {id(self): gradient}
    for value in reversed(order):
        g = gradients[id(value)]
        if not value.inputs:
            value.grad = value.grad + g
        for each, pull in value.inputs:
            term = pull(g)
            is_first = id(each) not in gradients or hasattr(value, "indexed")
            gradients[id(each)] = term if is_first else gradients[id(each)] + term


Tensor.__getitem__ = _first_of_all
Value._backward = _backward
