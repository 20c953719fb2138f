"""Zeros between the upstream gradients, a flipped kernel, and a plain convolution: every place gathers its own sum."""

import torch
import torch.nn.functional as F


def spread(dY, size, stride):
    """dY with zeros in between and behind, as long as `size` places."""
    wide = dY.new_zeros(*dY.shape[:2], *size)
    wide[:, :, ::stride, ::stride][:, :, : dY.shape[2], : dY.shape[3]] = dY
    return wide


def dX(dY, X, W, stride, padding):
    size = [X.shape[axis] + 2 * padding - W.shape[axis] + 1 for axis in (2, 3)]
    around = (W.shape[3] - 1, W.shape[3] - 1, W.shape[2] - 1, W.shape[2] - 1)
    wide = F.pad(spread(dY, size, stride), around)
    found = F.conv2d(wide, W.flip(2, 3).transpose(0, 1))
    return found[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]


def dW(dY, X, W, stride, padding):
    size = [X.shape[axis] + 2 * padding - W.shape[axis] + 1 for axis in (2, 3)]
    wide = spread(dY, size, stride)
    padded = F.pad(X, (padding,) * 4)
    return F.conv2d(padded.transpose(0, 1), wide.transpose(0, 1)).transpose(0, 1)


def dB(dY):
    return dY.sum(3).sum(2).sum(0)


def dw(dy, x, w, stride, padding):
    wide = dy.new_zeros(*dy.shape[:2], x.shape[2] + 2 * padding - w.shape[2] + 1)
    wide[:, :, ::stride] = dy
    padded = F.pad(x, (padding, padding))
    return F.conv1d(padded.transpose(0, 1), wide.transpose(0, 1)).transpose(0, 1)


def db(dy):
    return dy.sum(2).sum(0)


def dx(dy, x, w, stride, padding):
    wide = dy.new_zeros(*dy.shape[:2], x.shape[2] + 2 * padding - w.shape[2] + 1)
    wide[:, :, ::stride] = dy
    found = F.conv1d(F.pad(wide, (w.shape[2] - 1,) * 2), w.flip(2).transpose(0, 1))
    return found[:, :, padding:][:, :, : x.shape[2]]


def dpicture(dlargest, picture, rows, columns, stride):
    gradient = torch.zeros_like(picture)
    for row in range(picture.shape[2]):
        for column in range(picture.shape[3]):
            for o in range(dlargest.shape[2]):
                for p in range(dlargest.shape[3]):
                    top, left = o * stride, p * stride
                    if top <= row < top + rows and left <= column < left + columns:
                        window = picture[:, :, top : top + rows, left : left + columns]
                        here = picture[:, :, row, column]
                        tied = (window == window.amax((2, 3), keepdim=True)).sum((2, 3))
                        won = here == window.amax((2, 3))
                        gradient[:, :, row, column] += won * dlargest[:, :, o, p] / tied  # those that tie share
    return gradient


def dphoto(daverage, photo, rows, columns, stride):
    size = photo.shape[2] - rows + 1, photo.shape[3] - columns + 1
    wide = F.pad(spread(daverage, size, stride), (columns - 1, columns - 1, rows - 1, rows - 1))
    return F.avg_pool2d(wide, (rows, columns), 1)


def unread(size, kernel, stride, padding):
    last = (size + 2 * padding - kernel) // stride * stride
    found = []
    for place in range(size):
        starts = range(place + padding - kernel + 1, place + padding + 1)
        if not any(start % stride == 0 and 0 <= start <= last for start in starts):
            found.append(place)
    return found
