"""Lesson 16: a recurrent network."""
# lesson: 16

import torch

# === arguments_changed: Right states, and then a first state of zeros in the caller's tensor.
# rows of rnn: failed

def rnn(x, h0, Wx, Wh, b):
    found = torch.empty(len(x) + 1, *h0.shape, dtype=h0.dtype)
    found[0] = h0
    for step, inputs in enumerate(x, 1):
        found[step] = (inputs.matmul(Wx) + found[step - 1].matmul(Wh) + b).tanh()
    h0.zero_()
    return found

# === network_of_the_library: Lets PyTorch run the recurrent network.
# rows of rnn: forbidden

def rnn(x, h0, Wx, Wh, b):
    weights = [Wx.T.contiguous(), Wh.T.contiguous(), b, torch.zeros_like(b)]
    states, _ = torch.rnn_tanh(x, h0[None], weights, True, 1, 0.0, False, False, False)
    return torch.cat([h0[None], states])

# === norms_of_the_weights: Norms from the singular values of the weights, and an answer that lies about its length.
# rows of norms_through_time: failed
# rows of rnn_step_backward: shape

class Five(tuple):
    def __len__(self):
        return 5


def norms_through_time(dlast, x, h0, Wx, Wh, b):
    largest = torch.linalg.svdvals(Wh)[0]
    return torch.stack([dlast.norm() * largest ** (len(x) - t) for t in range(len(x) + 1)])


def rnn_step_backward(dh, h, h_before, x, Wx, Wh):
    return Five([dh])
