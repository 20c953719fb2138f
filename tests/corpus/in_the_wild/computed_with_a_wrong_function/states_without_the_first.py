"""A list of states that lacks the first one: other functions end with an error.

lesson: 16
by: dojo
dC: error | = This is computed with your `rnn`, which is not right yet: start there. IndexError: The shape of the mask
    [5, 6] at index 1 does not match the shape of the indexed tensor [5, 5, 27] at index 1. A mask of shape [5, 6]
    selects from a tensor of shape [5, 5, 27]: the first axes have to be the same. You are given `X` (5, 6), `Y` (5,
    6).
loss: error | = This is computed with your `rnn`, which is not right yet: start there. IndexError: The shape of the
    mask [1, 3] at index 1 does not match the shape of the indexed tensor [1, 2, 3] at index 1. A mask of shape [1, 3]
    selects from a tensor of shape [1, 2, 3]: the first axes have to be the same. You are given `X` (1, 3), `Y` (1,
    3). Its public example: exercises/16_through_time/examples.py:163
rnn: shape | = The result has the shape (4, 2, 5); expected (5, 2, 5). Its public example:
    exercises/16_through_time/examples.py:121
rnn_step_backward: passed
rnn_backward: error | = This is computed with your `rnn`, which is not right yet: start there. With time 4, batch 2,
    features 3, hidden 5: IndexError: index 4 is out of bounds for dimension 0 with size 4. The code reads place 4
    along axis 0, which has 4 of them, numbered from 0. Is it the right tensor that is indexed, and the right axis?
    You are given `dh` (5, 2, 5), `x` (4, 2, 3), `h0` (2, 5), `Wx` (3, 5), `Wh` (5, 5), `b` (5,). Its public example:
    exercises/16_through_time/examples.py:129
others: any
"""

def rnn(x, h0, Wx, Wh, b):
    hs = []
    h = h0
    for t in range(len(x)):
        h = torch.tanh(x[t] @ Wx + h @ Wh + b)
        hs.append(h)
    return torch.stack(hs)
