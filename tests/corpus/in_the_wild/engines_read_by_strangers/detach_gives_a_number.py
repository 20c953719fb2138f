"""`detach` returns the number itself.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: passed
value_graphs: passed
value_detach: failed | = `a.detach()` gives a plain float. Every operation returns a new Value.
value_again: passed
value_deep: passed
others: any
"""


class Value:
    def detach(self):
        return self.data
