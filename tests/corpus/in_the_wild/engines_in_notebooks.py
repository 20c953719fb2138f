# === a_neuron_that_is_trained: An engine that trains a small network, whose update sets `p.grad` to zero.
# lesson: 18
# as: notebook
# alone: yes
# counts: 18
# value_forward, value_gradients: passed
# value_subtraction: missing | = `Value` has no `__sub__` yet, which Python calls for `a - b`.
# value_power: missing | = `Value` has no `__pow__` yet, which Python calls for `a ** 2`.
# others: any

import math
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
class Neuron:
    def __init__(self, size):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(size)]
        self.b = Value(0.0)

    def __call__(self, x):
        total = self.b
        for wi, xi in zip(self.w, x):
            total = total + wi * xi
        return total.tanh()

    def parameters(self):
        return self.w + [self.b]

# %%
net = Neuron(3)
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5]]
ys = [1.0, -1.0]
for step in range(20):
    loss = Value(0.0)
    for x, y in zip(xs, ys):
        short = net(x) + -y
        loss = loss + short * short
    for p in net.parameters():
        p.grad = 0.0
    loss.backward()
    for p in net.parameters():
        p.data += -0.1 * p.grad
    net.w[1].grad = 0.25
