"""Loops over windows and places of the kernel, with indices, as on paper."""

import torch


def dw(dy, x, w, stride, padding):
    gradient = torch.zeros_like(w)
    for o in range(dy.shape[2]):
        for k in range(w.shape[2]):
            place = o * stride + k - padding
            if 0 <= place < x.shape[2]:
                gradient[:, :, k] += dy[:, :, o].T @ x[:, :, place]
    return gradient


def db(dy):
    gradient = torch.zeros(dy.shape[1], dtype=dy.dtype)
    for n in range(dy.shape[0]):
        for o in range(dy.shape[2]):
            gradient += dy[n, :, o]
    return gradient


def dx(dy, x, w, stride, padding):
    gradient = torch.zeros_like(x)
    for o in range(dy.shape[2]):
        for k in range(w.shape[2]):
            place = o * stride + k - padding
            if 0 <= place < x.shape[2]:
                gradient[:, :, place] += dy[:, :, o] @ w[:, :, k]
    return gradient


def dW(dY, X, W, stride, padding):
    gradient = torch.zeros_like(W)
    for o in range(dY.shape[2]):
        for p in range(dY.shape[3]):
            for i in range(W.shape[2]):
                for j in range(W.shape[3]):
                    row, column = o * stride + i - padding, p * stride + j - padding
                    if 0 <= row < X.shape[2] and 0 <= column < X.shape[3]:
                        gradient[:, :, i, j] += dY[:, :, o, p].T @ X[:, :, row, column]
    return gradient


def dB(dY):
    gradient = torch.zeros(dY.shape[1], dtype=dY.dtype)
    for f in range(dY.shape[1]):
        gradient[f] = dY[:, f].sum()
    return gradient


def dX(dY, X, W, stride, padding):
    gradient = torch.zeros_like(X)
    for o in range(dY.shape[2]):
        for p in range(dY.shape[3]):
            for i in range(W.shape[2]):
                for j in range(W.shape[3]):
                    row, column = o * stride + i - padding, p * stride + j - padding
                    if 0 <= row < X.shape[2] and 0 <= column < X.shape[3]:
                        gradient[:, :, row, column] += dY[:, :, o, p] @ W[:, :, i, j]
    return gradient


def dpicture(dlargest, picture, rows, columns, stride):
    gradient = torch.zeros_like(picture)
    examples, channels, height, width = dlargest.shape
    for n in range(examples):
        for c in range(channels):
            for o in range(height):
                for p in range(width):
                    window = picture[n, c, o * stride : o * stride + rows, p * stride : p * stride + columns]
                    place = int(window.argmax())
                    gradient[n, c, o * stride + place // columns, p * stride + place % columns] += dlargest[n, c, o, p]
    return gradient


def dphoto(daverage, photo, rows, columns, stride):
    gradient = torch.zeros_like(photo)
    for o in range(daverage.shape[2]):
        for p in range(daverage.shape[3]):
            share = daverage[:, :, o, p, None, None] / (rows * columns)
            gradient[:, :, o * stride : o * stride + rows, p * stride : p * stride + columns] += share
    return gradient


def unread(size, kernel, stride, padding):
    is_read = [False] * size
    start = -padding
    while start + kernel <= size + padding:
        for place in range(max(start, 0), min(start + kernel, size)):
            is_read[place] = True
        start += stride
    return [place for place, known in enumerate(is_read) if not known]
