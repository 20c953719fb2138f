"""Derivatives of a function of three numbers, then the engine: `dc` is no gradient of an embedding `C`.

lesson: 18
as: notebook
alone: yes
counts: 18
value_forward: error | = TypeError: unsupported operand type(s) for -: 'Value' and 'int'. For `-` Python calls a method
    of `Value`, as `__add__` for `+`, `__sub__` for `-`, `__truediv__` for `/` and `__pow__` for `**`. Has the class
    the one for `-`?
value_gradients: error | = In `a ** 3`: TypeError: unsupported operand type(s) for ** or pow(): 'Value' and 'int'. For
    `**` Python calls a method of `Value`, as `__add__` for `+`, `__sub__` for `-`, `__truediv__` for `/` and `__pow__`
    for `**`. Has the class the one for `**`?
others: any
"""

import math

# %%
def f(a, b, c):
    return a**2 + b * math.sin(c)

# %%
h = 1e-6
a, b, c = 2, 3, 4
dc = (f(a, b, c + h) - f(a, b, c - h)) / (2 * h)
print(dc)

# %%
class Value:
    def __init__(self, data, parents=(), sign=""):
        self.data, self.grad, self.sign = data, 0.0, sign
        self.parents = set(parents)
        self.push = lambda: None

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        total = Value(self.data + other.data, (self, other), "+")

        def push():
            self.grad += total.grad
            other.grad += total.grad

        total.push = push
        return total

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        product = Value(self.data * other.data, (self, other), "*")

        def push():
            self.grad += other.data * product.grad
            other.grad += self.data * product.grad

        product.push = push
        return product

    def tanh(self):
        squashed = Value(math.tanh(self.data), (self,), "tanh")

        def push():
            self.grad += (1 - squashed.data**2) * squashed.grad

        squashed.push = push
        return squashed

    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for parent in value.parents:
                    visit(parent)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):
            value.push()

# %%
def softmax(logits):
    counts = [logit.tanh() for logit in logits]
    return counts

logits = [Value(0.0), Value(3.0)]
probs = softmax(logits)
loss = probs[0] + probs[1]
loss.backward()
