"""Lesson 17: convolution and pooling, backwards.

Write one function after the other. `dy`, `dY`, `dlargest` and `daverage` are upstream gradients.
Check your work with `dojo check 17`. README.md explains the forward pass and derives one of the gradients.
"""

import torch
import torch.nn.functional as F

# Along one axis: a signal.


def dw(dy, x, w, stride, padding):
    """The gradient with respect to `w`, of shape (5, 3, 4).

    Where the forward pass reads it:

        y = F.conv1d(x, w, b, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db(dy):
    """The gradient with respect to `b`, of shape (5,).

    Where the forward pass reads it:

        y = F.conv1d(x, w, b, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dy, x, w, stride, padding):
    """The gradient with respect to `x`, of shape (2, 3, 13).

    Where the forward pass reads it:

        y = F.conv1d(x, w, b, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# Along two axes: an image.


def dW(dY, X, W, stride, padding):
    """The gradient with respect to `W`, of shape (5, 3, 3, 4).

    Where the forward pass reads it:

        Y = F.conv2d(X, W, B, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dB(dY):
    """The gradient with respect to `B`, of shape (5,).

    Where the forward pass reads it:

        Y = F.conv2d(X, W, B, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dX(dY, X, W, stride, padding):
    """The gradient with respect to `X`, of shape (2, 3, 9, 13).

    Where the forward pass reads it:

        Y = F.conv2d(X, W, B, stride, padding)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# Windows without weights.


def dpicture(dlargest, picture, rows, columns, stride):
    """The gradient with respect to `picture`, of shape (2, 3, 9, 13).

    Where the forward pass reads it:

        largest = F.max_pool2d(picture, (rows, columns), stride)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dphoto(daverage, photo, rows, columns, stride):
    """The gradient with respect to `photo`, of shape (2, 3, 9, 13).

    Where the forward pass reads it:

        average = F.avg_pool2d(photo, (rows, columns), stride)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def unread(size, kernel, stride, padding):
    """Return which places of an axis no window reads: a list of their positions, from the smallest to the largest.

    Parameters:
        size: how many places the axis has, without padding. The first one has position 0.
        kernel: how many places a window has.
        stride: by how many places it moves.
        padding: how many zeros are in front of the axis, and as many again behind it. They have no position.

    All of them are whole numbers. The window fits at least once: kernel <= size + 2 * padding.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
