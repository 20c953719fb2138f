"""The first lecture: gradients of one neuron by hand, as attributes called `w1.grad`. They are no network's `dW1`.

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
def draw_dot(root):
    return [root]

# %%
x1, x2 = Value(2.0), Value(0.0)
w1, w2 = Value(-3.0), Value(1.0)
b = Value(6.88)
x1w1, x2w2 = x1 * w1, x2 * w2
both = x1w1 + x2w2
n = both + b
o = n.tanh()

# %%
o.grad = 1.0
n.grad = 1 - o.data**2
both.grad = n.grad
b.grad = n.grad
x1w1.grad, x2w2.grad = both.grad, both.grad
w1.grad = x1.data * x1w1.grad
w2.grad = x2.data * x2w2.grad
x1.grad = w1.data * x1w1.grad
draw_dot(o)
