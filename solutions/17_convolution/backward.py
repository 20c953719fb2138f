"""Lesson 17: convolution and pooling, backwards.

Write one function after the other. `dy`, `dY`, `dlargest` and `daverage` are upstream gradients.
Check your work with `dojo check 17`. README.md explains the forward pass and derives one of the gradients.
"""

import torch
import torch.nn.functional as F

# Along one axis: a signal.


def dw(dy, x, w, stride, padding):
    # <answer>
    padded = F.pad(x, (padding, padding))
    windows = padded.unfold(2, w.shape[2], stride)
    return torch.einsum("nfo,ncok->fck", dy, windows)
    # </answer>


def db(dy):
    # <answer>
    return dy.sum((0, 2))
    # </answer>


def dx(dy, x, w, stride, padding):
    # <answer>
    dpadded = torch.zeros_like(F.pad(x, (padding, padding)))
    reach = stride * (dy.shape[2] - 1) + 1
    for k in range(w.shape[2]):
        dpadded[:, :, k : k + reach : stride] += torch.einsum("nfo,fc->nco", dy, w[:, :, k])
    return dpadded[:, :, padding : padding + x.shape[2]]
    # </answer>


# Along two axes: an image.


def dW(dY, X, W, stride, padding):
    # <answer>
    padded = F.pad(X, (padding, padding, padding, padding))
    windows = padded.unfold(2, W.shape[2], stride).unfold(3, W.shape[3], stride)
    return torch.einsum("nfop,ncopij->fcij", dY, windows)
    # </answer>


def dB(dY):
    # <answer>
    return dY.sum((0, 2, 3))
    # </answer>


def dX(dY, X, W, stride, padding):
    # <answer>
    dpadded = torch.zeros_like(F.pad(X, (padding, padding, padding, padding)))
    down, across = (stride * (size - 1) + 1 for size in dY.shape[2:])
    for i in range(W.shape[2]):
        for j in range(W.shape[3]):
            share = torch.einsum("nfop,fc->ncop", dY, W[:, :, i, j])
            dpadded[:, :, i : i + down : stride, j : j + across : stride] += share
    return dpadded[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]
    # </answer>


# Windows without weights.


def dpicture(dlargest, picture, rows, columns, stride):
    # <answer>
    gradient = torch.zeros_like(picture)
    for i in range(dlargest.shape[2]):
        for j in range(dlargest.shape[3]):
            top, left = i * stride, j * stride
            window = picture[:, :, top : top + rows, left : left + columns].flatten(2)
            chosen = F.one_hot(window.argmax(2), rows * columns).unflatten(2, (rows, columns))
            gradient[:, :, top : top + rows, left : left + columns] += chosen * dlargest[:, :, i : i + 1, j : j + 1]
    return gradient
    # </answer>


def dphoto(daverage, photo, rows, columns, stride):
    # <answer>
    gradient = torch.zeros_like(photo)
    down, across = (stride * (size - 1) + 1 for size in daverage.shape[2:])
    for i in range(rows):
        for j in range(columns):
            gradient[:, :, i : i + down : stride, j : j + across : stride] += daverage / (rows * columns)
    return gradient
    # </answer>


def unread(size, kernel, stride, padding):
    """Return which places of an axis no window reads: a list of their positions, from the smallest to the largest.

    Parameters:
        size: how many places the axis has, without padding. The first one has position 0.
        kernel: how many places a window has.
        stride: by how many places it moves.
        padding: how many zeros are in front of the axis, and as many again behind it. They have no position.

    All of them are whole numbers. The window fits at least once: kernel <= size + 2 * padding.
    """
    # <answer>
    windows = (size + 2 * padding - kernel) // stride + 1
    read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
    return [place for place in range(size) if place not in read]
    # </answer>
