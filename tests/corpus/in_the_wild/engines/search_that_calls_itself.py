"""micrograd's search, in a deep graph.

lesson: 18
by: dojo
alone: yes
engine: micrograd
value_forward, value_gradients, value_graphs, value_detach, value_again: passed
value_deep: error | = RecursionError: maximum recursion depth exceeded while calling a Python object. Python allows
    about 1,000 calls within each other. Does a function call itself without an end, or once for each step of
    something long? A loop, with a list of what still waits, needs no calls. Its public example:
    exercises/18_autograd_engine/examples.py:370
others: any
"""


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
