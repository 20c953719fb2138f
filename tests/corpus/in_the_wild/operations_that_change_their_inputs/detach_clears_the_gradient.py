"""`detach` sets the gradient of the value to zero, so what a pass has sent is lost.

lesson: 18
value_detach: failed | = `a.detach()` changes a value that it is called with: its `data`, its `grad`, or how a gradient
    gets back from it. An operation only makes a new Value.
others: passed
"""


def detach(self):
    self.grad = 0.0
    return Value(self.data)


Value.detach = detach
