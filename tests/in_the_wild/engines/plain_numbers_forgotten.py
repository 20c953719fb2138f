"""No plain number on the right: the error says what it is about.

lesson: 18
by: dojo
alone: yes
value_forward: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`.
    May what stands there be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public
    example: exercises/18_autograd_engine/examples.py:87
value_gradients: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`.
    May what stands there be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public
    example: exercises/18_autograd_engine/examples.py:102
value_graphs: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`.
    May what stands there be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public
    example: exercises/18_autograd_engine/examples.py:108
value_detach: passed
value_again: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`. May
    what stands there be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public example:
    exercises/18_autograd_engine/examples.py:118
value_deep: error | = AttributeError: 'float' object has no attribute 'data'. A plain number (`float`) has no `data`.
    May what stands there be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public
    example: exercises/18_autograd_engine/examples.py:215
others: any
"""

import math
import torch


class Value:
    def __init__(self, data, inputs=()):
        self.data = data
        self.grad = 0.0
        self._prev = inputs
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def __pow__(self, exponent):
        out = Value(self.data ** exponent, (self,))
        def _backward():
            self.grad += exponent * self.data ** (exponent - 1) * out.grad
        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))
        def _backward():
            self.grad += (1 - t ** 2) * out.grad
        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))
        def _backward():
            self.grad += out.data * out.grad
        out._backward = _backward
        return out

    def relu(self):
        out = Value(max(0, self.data), (self,))
        def _backward():
            self.grad += (out.data > 0) * out.grad
        out._backward = _backward
        return out

    def detach(self):
        return Value(self.data)

    def zero_grad(self):
        self.grad = 0.0

    def backward(self):
        topo, seen, stack = [], set(), [(self, False)]
        while stack:
            v, done = stack.pop()
            if done:
                topo.append(v)
            elif id(v) not in seen:
                seen.add(id(v))
                stack.append((v, True))
                stack.extend((p, False) for p in v._prev)
        for v in topo:
            if v._prev:
                v.grad = 0.0
        self.grad = self.grad + 1.0 if not self._prev else 1.0
        for v in reversed(topo):
            v._backward()
