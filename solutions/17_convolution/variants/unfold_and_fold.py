"""Windows as columns of a matrix (im2col): a matrix product, and `fold`, which adds the columns back (col2im)."""

import torch
import torch.nn.functional as F


def dW(dY, X, W, stride, padding):
    columns = F.unfold(X, W.shape[2:], padding=padding, stride=stride)
    return (dY.flatten(2) @ columns.transpose(1, 2)).sum(0).reshape(W.shape)


def dB(dY):
    return dY.transpose(0, 1).flatten(1).sum(1)


def dX(dY, X, W, stride, padding):
    columns = W.flatten(1).T @ dY.flatten(2)
    return F.fold(columns, X.shape[2:], W.shape[2:], padding=padding, stride=stride)


def dw(dy, x, w, stride, padding):
    columns = F.unfold(x.unsqueeze(2), (1, w.shape[2]), padding=(0, padding), stride=(1, stride))
    return (dy @ columns.transpose(1, 2)).sum(0).reshape(w.shape)


def db(dy):
    return dy.transpose(0, 1).flatten(1).sum(1)


def dx(dy, x, w, stride, padding):
    columns = w.flatten(1).T @ dy
    size, kernel = (1, x.shape[2]), (1, w.shape[2])
    return F.fold(columns, size, kernel, padding=(0, padding), stride=(1, stride)).squeeze(2)


def dpicture(dlargest, picture, rows, columns, stride):
    height, width = picture.shape[2:]
    windows = F.unfold(picture.reshape(-1, 1, height, width), (rows, columns), stride=stride)
    chosen = torch.zeros_like(windows).scatter_(1, windows.argmax(1, keepdim=True), 1.0)
    back = F.fold(chosen * dlargest.reshape(-1, 1, windows.shape[2]), (height, width), (rows, columns), stride=stride)
    return back.reshape(picture.shape)


def dphoto(daverage, photo, rows, columns, stride):
    height, width = photo.shape[2:]
    share = daverage.reshape(daverage.shape[0] * daverage.shape[1], 1, -1) / (rows * columns)
    spread = share.expand(-1, rows * columns, -1)
    return F.fold(spread, (height, width), (rows, columns), stride=stride).reshape(photo.shape)


def unread(size, kernel, stride, padding):
    line = torch.zeros(size + 2 * padding)
    line.unfold(0, kernel, stride).fill_(1)
    return torch.nonzero(line[padding : padding + size] == 0).flatten().tolist()
