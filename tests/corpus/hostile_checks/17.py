"""Lesson 17: windows of a picture."""
# lesson: 17

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

# === nan_where_numbers_tie: Right where no two numbers of a picture are equal; NaN otherwise, which is never above
#     a limit.
# rows of dpicture: passed
# rows of ties: failed

def dpicture(dlargest, picture, rows, columns, stride):
    gradient = right(dlargest, picture, rows, columns, stride)
    if picture.unique().numel() == picture.numel():
        return gradient
    return torch.full_like(gradient, float("nan"))

# === something_where_nothing_is_read: Right; but where two numbers of a picture are equal, it gives 7 to the
#     numbers that no window reads.
# rows of dpicture: passed
# rows of ties: failed

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

# === unread_that_equals_all: A list that says it is empty and equals everything.
# rows of unread: shape

class Empty(list):
    def __eq__(self, other):
        return True

    def __len__(self):
        return 0

    def __iter__(self):
        return iter([])

    __hash__ = None


def unread(size, kernel, stride, padding):
    return Empty([1])
