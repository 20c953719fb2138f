"""Sorts the graph by recursion, so a deep graph exceeds Python's limit."""
# lesson: 18
# fails: value_deep, tensor_deep


def _backward(self, gradient):
    order, seen = [], set()

    def visit(value):
        if id(value) not in seen:
            seen.add(id(value))
            for before, _ in value.inputs:
                visit(before)
            order.append(value)

    visit(self)
    gradients = {id(self): gradient}
    for value in reversed(order):
        g = gradients[id(value)]
        if not value.inputs:
            value.grad = value.grad + g
        for before, back in value.inputs:
            gradients[id(before)] = gradients.get(id(before), 0) + back(g)


Value._backward = _backward
