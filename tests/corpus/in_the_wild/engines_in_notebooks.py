# === a_neuron_that_is_trained: An engine that trains a small network, whose update sets `p.grad` to zero.
# lesson: 18
# as: notebook
# alone: yes
# counts: 18
# value_forward, value_gradients: passed
# value_subtraction: missing | = `Value` has no `__sub__` yet, which Python calls for `a - b`.
# value_power: missing | = `Value` has no `__pow__` yet, which Python calls for `a ** 2`.
# others: any

import random

# %%
class Value:
    def __init__(self, data, parents=(), sign=""):
        self.data, self.grad, self.sign = data, 0.0, sign
        self.parents = set(parents)
        self.push = lambda: None

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
w = [Value(random.uniform(-1, 1)) for _ in range(3)]
xs, ys = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5]], [1.0, -1.0]
for step in range(20):
    loss = Value(0.0)
    for x, y in zip(xs, ys):
        short = w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + -y
        loss = loss + short * short
    for p in w:
        p.grad = 0.0
    loss.backward()
    for p in w:
        p.data += -0.1 * p.grad
    w[1].grad = 0.25
