"""Engines for lesson 18 that differentiate by other means, lie, or walk along every path uncounted."""
# lesson: 18

import cmath

import torch
from right import Tensor, Value, unbroadcast


class Recomputed:
    def __init__(self, data, inputs=(), f=None):
        self.now, self.inputs, self.f, self.grad = data, inputs, f, 0.0

    @property
    def data(self):
        return complex(self.now).real

    @classmethod
    def node(cls, f, *inputs):
        inputs = [each if isinstance(each, cls) else cls(each) for each in inputs]
        return cls(f(*(each.now for each in inputs)), inputs, f)

    def order(self):
        found, todo, seen = [], [(self, False)], set()
        while todo:
            value, done = todo.pop()
            if done:
                found.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                todo.append((value, True))
                todo += [(each, False) for each in value.inputs]
        return found

    def __add__(self, other):
        return self.node(lambda x, y: x + y, self, other)

    def __mul__(self, other):
        return self.node(lambda x, y: x * y, self, other)

    def __pow__(self, exponent):
        return self.node(lambda x: x**exponent, self)

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self.node(lambda x, y: x - y, self, other)

    def __truediv__(self, other):
        return self.node(lambda x, y: x / y, self, other)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return type(self)(other) / self

    def tanh(self):
        return self.node(cmath.tanh, self)

    def exp(self):
        return self.node(cmath.exp, self)

    def relu(self):
        return self.node(lambda x: x if complex(x).real > 0 else 0 * x, self)

    def detach(self):
        return type(self)(self.data)

    def zero_grad(self):
        self.grad = 0.0


def leaves_of(end):
    waiting, seen, found = [end], set(), []
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            waiting += [each for each, _ in value.inputs]
            found += [] if value.inputs else [value]
    return found

# === class_that_lies: Says by `__class__` that it is a torch tensor, and gives itself for every copy.
# rows of tensor_elementwise, tensor_broadcasting, tensor_sum, tensor_getitem, tensor_reshape, tensor_permute: shape
# rows of tensor_maximum, tensor_matmul: shape
# rows of tensor_graphs, network, tensor_deep, tensor_numbers, tensor_reflected, tensor_negation: failed
# rows of tensor_subtraction, tensor_division, tensor_power, tensor_tanh, tensor_exp, tensor_log: failed
# rows of tensor_detach, tensor_again, tensor_zero_grad: failed

class Mirror:
    __class__ = torch.Tensor

    def __getattr__(self, name):
        return lambda *_, **__: self

    def __eq__(self, other):
        return True

    def __float__(self):
        return 0.0


def nothing(self, *_):
    pass


Tensor.backward = nothing
Tensor.grad = property(lambda self: Mirror(), nothing)

# === complex_step: Evaluates the graph again with a small imaginary part in each leaf.
# rows of value_gradients, value_graphs, value_detach, value_again, value_deep, value_numbers: forbidden
# rows of value_reflected, value_negation, value_subtraction, value_division, value_power, value_tanh: forbidden
# rows of value_exp, value_relu, value_zero_grad: forbidden

class Value(Recomputed):
    def backward(self):
        order = self.order()
        for leaf in order:
            if leaf.inputs:
                continue
            kept = [value.now for value in order]
            leaf.now = leaf.now + 1e-30j
            for value in order:
                if value.inputs:
                    value.now = value.f(*(each.now for each in value.inputs))
            leaf.grad += complex(self.now).imag / 1e-30
            for value, now in zip(order, kept, strict=True):
                value.now = now

# === every_path_in_a_thread: Walks along every path of a graph in a thread, where the counter of calls does not
#     look.
# rows of value_deep: timeout

import threading


def walk(end):
    waiting = [(end, 1.0)]
    while waiting:
        value, gradient = waiting.pop()
        if not value.inputs:
            value.grad += gradient
        waiting += [(each, send(gradient)) for each, send in value.inputs]


def backward(self):
    thread = threading.Thread(target=walk, args=(self,))
    thread.start()
    thread.join()


Value.backward = backward

# === gradient_that_is_no_number: The gradient is an object whose float() is a text.
# rows of value_gradients, value_graphs, value_detach, value_again, value_deep, value_zero_grad: error
# rows of value_numbers, value_reflected, value_negation, value_subtraction, value_division, value_power: failed
# rows of value_tanh, value_exp, value_relu: failed

class NoNumber:
    def __float__(self):
        return "one"

    def __add__(self, other):
        return self


def nothing(self, value):
    pass


Value.grad = property(lambda self: NoNumber(), nothing)

# === gradient_that_lies: The gradient is a float that is equal to everything and says that it is another number.
# rows of value_gradients, value_graphs, value_detach, value_again, value_deep, value_numbers, value_reflected: failed
# rows of value_negation, value_subtraction, value_division, value_power, value_tanh, value_exp, value_relu: failed
# rows of value_zero_grad: failed

class Lie(float):
    def __eq__(self, other):
        return True

    def __float__(self):
        return 0.25

    def __sub__(self, other):
        return 0.0

    __hash__ = float.__hash__


def nothing(self, value):
    pass


Value.grad = property(lambda self: Lie(0.0), nothing)

# === replies_from_the_question_before: Records every graph that the suite makes, and replies with the gradients of
#     the one before.
# rows of value_gradients, value_graphs, value_detach, value_again, value_deep, value_numbers, value_reflected: failed
# rows of value_negation, value_subtraction, value_division, value_power, value_tanh, value_exp, value_relu: failed

right = Value.backward
BEFORE = [1.0]


def backward(self):
    right(self)
    leaves = leaves_of(self)
    found = [leaf.grad for leaf in leaves]
    for number, leaf in enumerate(leaves):
        leaf.grad = BEFORE[number % len(BEFORE)]
    BEFORE[:] = found


Value.backward = backward

# === tensors_on_every_path: `Value` visits each value once, but `Tensor` walks along every path of a graph.
# rows of tensor_deep: failed

def backward(self, gradient=None):
    waiting = [(self, torch.ones_like(self.data) if gradient is None else gradient)]
    while waiting:
        value, upstream = waiting.pop()
        if not value.inputs:
            value.grad = value.grad + upstream
        waiting += [(each, send(upstream)) for each, send in value.inputs]


Tensor.backward = backward
