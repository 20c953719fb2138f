"""`detach` returns the number itself, and `dojo check` uses it as an end.

lesson: 18
alone: yes
engine: micrograd
by: dojo
value_forward, value_gradients, value_graphs, value_again, value_deep: passed
value_detach: error | = AttributeError: 'float' object has no attribute 'backward'. A plain number (`float`) has no
    `backward`. Which operation gives a plain number, where it should make a new object? Its public example:
    exercises/18_autograd_engine/examples.py:181
others: any
"""


class Value:
    def detach(self):
        return self.data
