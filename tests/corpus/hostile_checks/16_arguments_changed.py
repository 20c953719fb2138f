"""Right states, and then a first state of zeros in the caller's tensor."""
# lesson: 16
# rows of rnn: failed

import torch


def rnn(x, h0, Wx, Wh, b):
    found = torch.empty(len(x) + 1, *h0.shape, dtype=h0.dtype)
    found[0] = h0
    for step, inputs in enumerate(x, 1):
        found[step] = (inputs.matmul(Wx) + found[step - 1].matmul(Wh) + b).tanh()
    h0.zero_()
    return found
