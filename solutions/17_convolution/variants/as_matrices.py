"""A convolution is a linear map: here its matrix is built, from 0/1 tables that say which place meets which window."""

import torch
import torch.nn.functional as F


def table(size, kernel, stride, padding, like):
    """meets[o, k, i] is 1 where place k of the kernel lies on place i of the axis in window o."""
    windows = (size + 2 * padding - kernel) // stride + 1
    o, k, i = torch.meshgrid(torch.arange(windows), torch.arange(kernel), torch.arange(size), indexing="ij")
    return (o * stride + k - padding == i).to(like.dtype)


def dw(dy, x, w, stride, padding):
    meets = table(x.shape[2], w.shape[2], stride, padding, x)
    return torch.einsum("nfo,oki,nci->fck", dy, meets, x)


def db(dy):
    return dy.sum(dim=[0, 2])


def dx(dy, x, w, stride, padding):
    meets = table(x.shape[2], w.shape[2], stride, padding, x)
    matrix = torch.einsum("fck,oki->foci", w, meets)
    return torch.tensordot(dy, matrix, dims=2)


def dW(dY, X, W, stride, padding):
    down = table(X.shape[2], W.shape[2], stride, padding, X)
    across = table(X.shape[3], W.shape[3], stride, padding, X)
    lines = torch.einsum("nchw,pjw->nchpj", X, across)
    return torch.einsum("nfop,oih,nchpj->fcij", dY, down, lines)


def dB(dY):
    return dY.sum(dim=[0, 2, 3])


def dX(dY, X, W, stride, padding):
    down = table(X.shape[2], W.shape[2], stride, padding, X)
    across = table(X.shape[3], W.shape[3], stride, padding, X)
    lines = torch.einsum("nfop,fcij,pjw->nciow", dY, W, across)
    return torch.einsum("nciow,oih->nchw", lines, down)


def dpicture(dlargest, picture, rows, columns, stride):
    windows = picture.unfold(2, rows, stride).unfold(3, columns, stride)
    flat = windows.flatten(4)
    chosen = F.one_hot(flat.max(4).indices, rows * columns).to(picture.dtype).reshape(windows.shape)
    down = table(picture.shape[2], rows, stride, 0, picture)
    across = table(picture.shape[3], columns, stride, 0, picture)
    return torch.einsum("ncop,ncopij,oih,pjw->nchw", dlargest, chosen, down, across)


def dphoto(daverage, photo, rows, columns, stride):
    down = table(photo.shape[2], rows, stride, 0, photo).mean(1)
    across = table(photo.shape[3], columns, stride, 0, photo).mean(1)
    return down.T @ daverage @ across


def unread(size, kernel, stride, padding):
    windows = (size + 2 * padding - kernel) // stride + 1
    starts = [window * stride - padding for window in range(windows)]
    return sorted(place for place in range(size) if all(not 0 <= place - start < kernel for start in starts))
