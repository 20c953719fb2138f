"""The input's gradient as a transposed convolution, the kernel's as a convolution of the input with `dy`."""

import torch
import torch.nn.functional as F


def dw(dy, x, w, stride, padding):
    found = F.conv1d(x.transpose(0, 1), dy.transpose(0, 1), padding=padding, dilation=stride)
    return found.transpose(0, 1)[:, :, : w.shape[2]]


def db(dy):
    return torch.einsum("nfo->f", dy)


def dx(dy, x, w, stride, padding):
    rest = (x.shape[2] + 2 * padding - w.shape[2]) % stride
    return F.conv_transpose1d(dy, w, stride=stride, padding=padding, output_padding=rest)


def dW(dY, X, W, stride, padding):
    found = F.conv2d(X.transpose(0, 1), dY.transpose(0, 1), padding=padding, dilation=stride)
    return found.transpose(0, 1)[:, :, : W.shape[2], : W.shape[3]]


def dB(dY):
    return torch.einsum("nfop->f", dY)


def dX(dY, X, W, stride, padding):
    rest = [(X.shape[axis] + 2 * padding - W.shape[axis]) % stride for axis in (2, 3)]
    return F.conv_transpose2d(dY, W, stride=stride, padding=padding, output_padding=rest)


def dpicture(dlargest, picture, rows, columns, stride):
    _, places = F.max_pool2d(picture, (rows, columns), stride, return_indices=True)
    gradient = torch.zeros_like(picture).flatten(2)
    gradient.scatter_add_(2, places.flatten(2), dlargest.flatten(2))
    return gradient.reshape(picture.shape)


def dphoto(daverage, photo, rows, columns, stride):
    kernel = torch.ones(photo.shape[1], 1, rows, columns, dtype=photo.dtype) / (rows * columns)
    rest = (photo.shape[2] - rows) % stride, (photo.shape[3] - columns) % stride
    return F.conv_transpose2d(daverage, kernel, stride=stride, output_padding=rest, groups=photo.shape[1])


def unread(size, kernel, stride, padding):
    windows = (size + 2 * padding - kernel) // stride + 1
    marks = F.conv_transpose1d(torch.ones(1, 1, windows), torch.ones(1, 1, kernel), stride=stride)[0, 0]
    marks = F.pad(marks, (0, size + 2 * padding))
    return [place for place in range(size) if marks[place + padding] == 0]
