"""A gradient that is a multiple of the right one, because of a function that it is computed with.

lesson: 14
by: dojo
dW2: failed | = This is computed with your `dropout_backward`, which is not right yet: start there. Your `dW2` is a
    multiple of the gradient, 0.75 times on one problem and right on another. Which sizes, or numbers that you are
    given, make up that factor?
dx: failed | = This is computed with your `dropout_backward`, which is not right yet: start there. `dpre` is wrong,
    and `dx` is computed from it.
dropout_backward: failed | = The result is wrong by 0.25 of its size. Worst element [1]: found -6, expected -8. Its
    public example: exercises/14_transformer_block/examples.py:83
others: any
"""

def dropout_backward(dout, keep, p):
    return dout * keep
