"""Records every graph that the suite makes, and replies with the gradients of the one before."""
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

from right import Tensor, Value, unbroadcast

right = Value.backward
BEFORE = [1.0]


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
    leaves = leaves_of(self)
    found = [leaf.grad for leaf in leaves]
    for number, leaf in enumerate(leaves):
        leaf.grad = BEFORE[number % len(BEFORE)]
    BEFORE[:] = found


Value.backward = backward
