"""A function that calls one that is not written yet is not written yet, either.

lesson: 16
by: dojo
dbo: todo
dWo: todo
dWh: todo
dWx: todo
db: todo
dh0: todo
dC: todo
loss: todo
rnn_backward: todo
truncated_backward: todo
"""

def rnn_backward(dh, x, h0, Wx, Wh, b):
    raise NotImplementedError


def truncated_backward(dh, x, h0, Wx, Wh, b, k):
    return rnn_backward(dh, x, h0, Wx, Wh, b)
