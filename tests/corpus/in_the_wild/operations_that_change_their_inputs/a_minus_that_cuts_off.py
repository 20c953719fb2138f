"""A minus that takes the inputs of its value away: what else uses the value sends nothing back.

lesson: 18
value_gradients: failed | `-v` changes a value that it is called with
value_graphs: failed | `-v` changes a value that it is called with
value_detach: failed | `-v` changes a value that it is called with
value_again: failed | `-v` changes a value that it is called with
others: passed
"""


def negative(self):
    new = self * -1
    self.inputs = ()
    return new


Value.__neg__ = negative
