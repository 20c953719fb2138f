"""Each leaf adds the sum of its gradient: no leaf holds a tensor of somebody else.

lesson: 18
value_forward: any
tensor_sum: failed | `a.sum() of shape (2, 3, 4): the gradient of a` is exactly 24 times what it should be.
tensor_elementwise: failed | `a + b of shape (3, 4): the gradient of a` is wrong by
tensor_graphs: failed | A small expression is wrong, too, so get its row right first: `a + b of shape (3, 4): the gradient of a`
others: any
"""


def _summed(self, gradient):
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
            value.grad = value.grad + (g if isinstance(g, float) else g.sum())
        for each, pull in value.inputs:
            term = pull(g)
            gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term


Value._backward = _summed
