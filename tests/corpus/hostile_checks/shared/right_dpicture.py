import torch
import torch.nn.functional as F


def right(dlargest, picture, rows, columns, stride):
    gradient = torch.zeros_like(picture)
    for i in range(dlargest.shape[2]):
        for j in range(dlargest.shape[3]):
            top, left = i * stride, j * stride
            window = picture[:, :, top : top + rows, left : left + columns].flatten(2)
            chosen = F.one_hot(window.argmax(2), rows * columns).unflatten(2, (rows, columns))
            gradient[:, :, top : top + rows, left : left + columns] += chosen * dlargest[:, :, i : i + 1, j : j + 1]
    return gradient
