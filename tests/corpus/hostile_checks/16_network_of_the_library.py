"""Lets PyTorch run the recurrent network."""
# lesson: 16
# rows of rnn: forbidden

import torch


def rnn(x, h0, Wx, Wh, b):
    weights = [Wx.T.contiguous(), Wh.T.contiguous(), b, torch.zeros_like(b)]
    states, _ = torch.rnn_tanh(x, h0[None], weights, True, 1, 0.0, False, False, False)
    return torch.cat([h0[None], states])
