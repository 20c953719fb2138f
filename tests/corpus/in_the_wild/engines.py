# lesson: 18
# alone: yes
# by: dojo
# engine: micrograd

# === plain_numbers_forgotten: No plain number on the right: the error says what it is about.
# value_forward, value_gradients, value_graphs, value_detach, value_again, value_deep: passed
# value_numbers: error | = AttributeError: 'int' object has no attribute 'data'. A plain number (`int`) has no `data`.
#     May that operand be a plain number, as in `a + 3`? Then an object has to be made of it first. Its public
#     example: exercises/18_autograd_engine/examples.py:130
# others: any

class Value:
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

# === search_that_calls_itself: micrograd's search, in a deep graph.
# value_forward, value_gradients, value_graphs, value_detach, value_again: passed
# value_deep: error | = RecursionError: maximum recursion depth exceeded while calling a Python object. Python allows
#     about 1,000 calls within each other. Does a function call itself without an end, or once for each step of
#     something long? A loop, with a list of what still waits, needs no calls. Its public example:
#     exercises/18_autograd_engine/examples.py:370
# others: any

class Value:
    def backward(self):
        topo, seen = [], set()
        def build(v):
            if v not in seen:
                seen.add(v)
                for p in v._prev:
                    build(p)
                topo.append(v)
        build(self)
        for v in topo:
            if v._prev:
                v.grad = 0.0
        self.grad = self.grad + 1.0 if not self._prev else 1.0
        for v in reversed(topo):
            v._backward()
