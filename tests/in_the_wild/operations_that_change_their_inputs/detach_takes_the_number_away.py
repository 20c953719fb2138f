"""`detach` moves the number to the new leaf: the value has lost it, and `dojo check` sees that, too.

lesson: 18
by: both
value_detach: failed |
others: passed
"""


def detach(self):
    new = Value(self.data)
    self.data = 0.0
    return new


Value.detach = detach
