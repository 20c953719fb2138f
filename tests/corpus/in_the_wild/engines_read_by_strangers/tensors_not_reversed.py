"""Gradients go through the list from its beginning: what is computed with them points to `Value`.

lesson: 18
tensor_broadcasting: failed | = This is computed with your `Value`, which is not right yet: start there.
tensor_maximum: failed | = This is computed with your `Value`, which is not right yet: start there.
tensor_permute: failed | = This is computed with your `Value`, which is not right yet: start there.
value_forward: passed
unbroadcast: passed
others: any
"""


def _forwards(self, gradient):
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
    for value in order:
        g = gradients.get(id(value), 0.0 * value.data)
        if not value.inputs:
            value.grad = value.grad + g
        for each, pull in value.inputs:
            term = pull(g)
            gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term


Value._backward = _forwards
