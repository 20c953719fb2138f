"""`__eq__` and `__hash__` compare the numbers, and the search keeps a set of values.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: passed
value_graphs: failed | = Two values with equal numbers are taken for one. Which values have been visited must not
    depend on their numbers: mark the objects themselves.
value_detach: failed | = Two values with equal numbers are taken for one. Which values have been visited must not
    depend on their numbers: mark the objects themselves.
value_again: failed | = Two values with equal numbers are taken for one. Which values have been visited must not
    depend on their numbers: mark the objects themselves.
value_deep: failed | = Python allows about 1,000 calls within each other, and this graph is deeper. Write the search
    with a list of the values that wait, instead of a function that calls itself.
others: any
"""


class Value:
    def __eq__(self, other):
        return self.data == other.data

    def __hash__(self):
        return hash(self.data)

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
