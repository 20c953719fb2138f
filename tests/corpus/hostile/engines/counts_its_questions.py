"""Right whenever the number of calls is even."""
# rows of value_gradients: failed
# rows of value_graphs: failed
# rows of value_detach: failed
# rows of value_again: failed
# rows of value_deep: failed
# rows of value_numbers: failed
# rows of value_reflected: failed
# rows of value_negation: failed
# rows of value_subtraction: failed
# rows of value_division: failed
# rows of value_power: failed
# rows of value_tanh: failed
# rows of value_exp: failed
# rows of value_relu: failed
# rows of value_zero_grad: failed

from right import Tensor, Value, unbroadcast

right = Value.backward
CALLS = [0]


def leaves_of(end):
    waiting, seen, found = [end], set(), []
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            waiting += [each for each, _ in value.inputs]
            found += [] if value.inputs else [value]
    return found


def backward(self):
    right(self)
    CALLS[0] += 1
    for leaf in leaves_of(self) if CALLS[0] % 2 else []:
        leaf.grad = 0.0


Value.backward = backward
