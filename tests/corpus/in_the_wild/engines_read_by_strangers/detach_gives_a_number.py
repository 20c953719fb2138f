"""`detach` returns the number itself.

lesson: 18
alone: yes
engine: micrograd
value_forward, value_gradients, value_graphs, value_again, value_deep: passed
value_detach: failed | = `a.detach()` gives a plain float. Every operation returns a new Value.
others: any
"""


class Value:
    def detach(self):
        return self.data
