"""In place on tensors of its own: views of a padded gradient that windows are added to."""

import torch
import torch.nn.functional as F


def dw(dy, x, w, stride, padding):
    gradient = torch.zeros_like(w)
    padded = F.pad(x, (padding, padding))
    for o in range(dy.shape[2]):
        window = padded[:, :, o * stride : o * stride + w.shape[2]]
        gradient.add_(torch.einsum("nf,nck->fck", dy[:, :, o], window))
    return gradient


def db(dy):
    gradient = torch.zeros_like(dy[0, :, 0])
    for o in range(dy.shape[2]):
        gradient.add_(dy[:, :, o].sum(0))
    return gradient


def dx(dy, x, w, stride, padding):
    return dX(dy.unsqueeze(2), x.unsqueeze(2), w.unsqueeze(2), stride, padding, down=0).squeeze(2)


def dW(dY, X, W, stride, padding):
    gradient = torch.zeros_like(W)
    padded = F.pad(X, (padding, padding, padding, padding))
    for i in range(W.shape[2]):
        for j in range(W.shape[3]):
            grid = padded[:, :, i::stride, j::stride][:, :, : dY.shape[2], : dY.shape[3]]
            gradient[:, :, i, j].copy_(torch.einsum("nfop,ncop->fc", dY, grid))
    return gradient


def dB(dY):
    gradient = torch.zeros_like(dY[0, :, 0, 0])
    for example in dY:
        gradient.add_(example.flatten(1).sum(1))
    return gradient


def dX(dY, X, W, stride, padding, down=None):
    down = padding if down is None else down
    height, width = X.shape[2:]
    padded = X.new_zeros(*X.shape[:2], height + 2 * down, width + 2 * padding)
    for o in range(dY.shape[2]):
        for p in range(dY.shape[3]):
            window = padded[:, :, o * stride : o * stride + W.shape[2], p * stride : p * stride + W.shape[3]]
            window.add_(torch.tensordot(dY[:, :, o, p], W, 1))
    return padded.narrow(2, down, height).narrow(3, padding, width)


def dpicture(dlargest, picture, rows, columns, stride):
    best = torch.full_like(dlargest, float("-inf"))
    place = torch.zeros(dlargest.shape, dtype=torch.long)
    for i in range(rows):
        for j in range(columns):
            seen = picture[:, :, i::stride, j::stride][:, :, : dlargest.shape[2], : dlargest.shape[3]]
            better = seen > best
            best[better] = seen[better]
            place[better] = i * columns + j
    gradient = torch.zeros_like(picture)
    for i in range(rows):
        for j in range(columns):
            view = gradient[:, :, i::stride, j::stride][:, :, : dlargest.shape[2], : dlargest.shape[3]]
            view += torch.where(place == i * columns + j, dlargest, torch.zeros_like(dlargest))
    return gradient


def dphoto(daverage, photo, rows, columns, stride):
    share = daverage / rows / columns
    gradient = torch.zeros_like(photo)
    for o in range(share.shape[2]):
        for p in range(share.shape[3]):
            gradient[:, :, o * stride :, p * stride :][:, :, :rows, :columns].add_(share[:, :, o, p, None, None])
    return gradient


def unread(size, kernel, stride, padding):
    places = list(range(size))
    for window in range((size + 2 * padding - kernel) // stride + 1):
        for place in range(window * stride - padding, window * stride - padding + kernel):
            if place in places:
                places.remove(place)
    return places
