"""Known wrong formulas of lesson 17, each with the message that its author gets."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list


def windows(x, size, stride, padding):
    return F.pad(x, (padding, padding)).unfold(2, size, stride)


def patches(X, W, stride, padding):
    return F.pad(X, (padding,) * 4).unfold(2, W.shape[2], stride).unfold(3, W.shape[3], stride)


def scatter(dY, W, X, stride, padding):
    """The gradient of an image, as the answer key computes it."""
    height, width = X.shape[2] + 2 * padding, X.shape[3] + 2 * padding
    gradient = dY.new_zeros(X.shape[0], X.shape[1], height, width)
    for i in range(dY.shape[2]):
        for j in range(dY.shape[3]):
            top, left = i * stride, j * stride
            share = torch.einsum("nf,fcij->ncij", dY[:, :, i, j], W)
            gradient[:, :, top : top + W.shape[2], left : left + W.shape[3]] += share
    return gradient[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]


def scatter_line(dy, w, x, stride, padding):
    image = scatter(dy[:, :, None], w[:, :, None], F.pad(x, (padding, padding))[:, :, None], stride, 0)
    return image[:, :, 0, padding : padding + x.shape[2]]


def pooled_back(kept, upstream, rows, columns, stride):
    """Add upstream * kept(window) to the places of each window."""
    gradient = torch.zeros_like(kept.picture)
    for i in range(upstream.shape[2]):
        for j in range(upstream.shape[3]):
            place = (..., slice(i * stride, i * stride + rows), slice(j * stride, j * stride + columns))
            gradient[place] += kept(kept.picture[place]) * upstream[:, :, i : i + 1, j : j + 1]
    return gradient


def largest(window):
    return (window == window.amax((2, 3), keepdim=True)).to(window.dtype)


class Kept:
    """What of a window gets its gradient."""

    def __init__(self, picture, rule):
        self.picture, self.rule = picture, rule

    def __call__(self, window):
        return self.rule(window)


def ones(window):
    return torch.ones_like(window)


MISTAKES = mistake_list("""
[dw]
no_stride: torch.einsum("nfo,ncok->fck", dy, windows(x, w.shape[2], 1, padding)[:, :, : dy.shape[2]])
    This moves the window by one place at a time. By how much does the forward pass move it?
per_batch: torch.einsum("nfo,ncok->fck", dy, windows(x, w.shape[2], stride, padding)) / dy.shape[0]
    This is divided by the number of examples. Nothing in the line of `y` divides.
mean: torch.einsum("nfo,ncok->fck", dy, windows(x, w.shape[2], stride, padding)) / dy.shape[2]
    This is divided by the number of windows. Nothing in the line of `y` divides.
flipped: torch.einsum("nfo,ncok->fck", dy, windows(x, w.shape[2], stride, padding)).flip(2)
    The places of the kernel are in reverse order.
    The forward pass does not flip the kernel: what does w[f, c, 0] multiply?
one_window: torch.einsum("nf,nck->fck", dy[:, :, 0], windows(x, w.shape[2], stride, padding)[:, :, 0])
    This uses the first window only. How many windows share one kernel?

[db]
mean: dy.mean((0, 2))
    This is a mean. `b` is added to every place: a copy forward is a sum backward.
first_place: dy[:, :, 0].sum(0)
    This uses the first place only. To how many places is `b[f]` added?
mean_of_places: dy.sum(0).mean(1)
    You add over the examples and average over the places. Does anything in the line of `y` divide?

[dx]
flipped: scatter_line(dy, w.flip(2), x, stride, padding)
    The kernel is the wrong way round. If you scatter, nothing is flipped.
    A flip belongs to the form in which you *gather*.
other_padding: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)[:, :, : x.shape[2]]
    The padding is cut off at the wrong end, or at one end only. At which position does the signal begin?
overwritten:
        gradient = torch.zeros_like(F.pad(x, (padding, padding)))
        for o in range(dy.shape[2]):
            gradient[:, :, o * stride : o * stride + w.shape[2]] = torch.einsum("nf,fck->nck", dy[:, :, o], w)
        gradient[:, :, padding : padding + x.shape[2]]
    Where two windows overlap, the later one overwrites the earlier one. What happens to several gradients of one place?
no_stride: scatter_line(dy, w, F.pad(x, (0, dy.shape[2])), 1, padding)[:, :, : x.shape[2]]
    Your windows are next to each other. By how much does the forward pass move from one to the next?
short: F.conv_transpose1d(dy, w, None, stride, padding)
    This has the shape of what the windows cover. Behind the last window there can be a rest that belongs to `x`, too.
not_cut: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)
    This is the gradient of `padded`. Which of its columns belong to `x`?
empty_slice: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)[:, :, padding:-padding]
    Without padding, a slice that ends at `-padding` ends at -0, so it is empty. Count the end from the front.
divided:
        here = scatter_line(dy, w, x, stride, padding)
        count = scatter_line(torch.ones_like(dy[:, :1]), torch.ones_like(w[:1]), x, stride, padding)
        here / count.clamp(min=1)
    This averages over the windows of a place. Each window's share counts in full.

[dW]
no_stride:
        seen = patches(X, W, 1, padding)[:, :, : dY.shape[2], : dY.shape[3]]
        torch.einsum("nfop,ncopij->fcij", dY, seen)
    This moves the window by one place at a time. By how much does the forward pass move it?
flipped: torch.einsum("nfop,ncopij->fcij", dY, patches(X, W, stride, padding)).flip(2, 3)
    The places of the kernel are in reverse order.
    The forward pass does not flip the kernel: what does W[f, c, 0, 0] multiply?
mean: torch.einsum("nfop,ncopij->fcij", dY, patches(X, W, stride, padding)) / (dY.shape[2] * dY.shape[3])
    This is divided by the number of windows. Nothing in the line of `Y` divides.
per_batch: torch.einsum("nfop,ncopij->fcij", dY, patches(X, W, stride, padding)) / dY.shape[0]
    This is divided by the number of examples. Nothing in the line of `Y` divides.

[dB]
mean: dY.mean((0, 2, 3))
    This is a mean. `B` is added to every place: a copy forward is a sum backward.
mean_of_places: dY.sum(0).mean((1, 2))
    You add over the examples and average over the places. Does anything in the line of `Y` divide?
one_axis_left: dY.sum((0, 2))
    One axis of places is left. To how many rows and columns is `B[f]` added?
one_row: dY[:, :, 0].sum((0, 2))
    This uses the first row only. To how many places is `B[f]` added?

[dX]
flipped: scatter(dY, W.flip(2, 3), X, stride, padding)
    The kernel is the wrong way round. If you scatter, nothing is flipped.
    A flip belongs to the form in which you *gather*.
one_axis_flipped: scatter(dY, W.flip(3), X, stride, padding)
    Each row of the kernel is reversed. Is anything flipped when you scatter?
other_padding: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, : X.shape[2], : X.shape[3]]
    The padding is cut off at the wrong end, or at one end only. At which row and column does the image begin?
no_stride: scatter(dY, W, F.pad(X, (0, dY.shape[3], 0, dY.shape[2])), 1, padding)[:, :, : X.shape[2], : X.shape[3]]
    Your windows are next to each other. By how much does the forward pass move from one to the next?
overwritten:
        gradient = torch.zeros_like(F.pad(X, (padding,) * 4))
        for i in range(dY.shape[2]):
            for j in range(dY.shape[3]):
                rows, columns = slice(i * stride, i * stride + W.shape[2]), slice(j * stride, j * stride + W.shape[3])
                gradient[:, :, rows, columns] = torch.einsum("nf,fcij->ncij", dY[:, :, i, j], W)
        gradient[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]
    Where two windows overlap, the later one overwrites the earlier one. What happens to several gradients of one place?

one_axis_cut: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, padding : padding + X.shape[2], : X.shape[3]]
    The rows are cut off on both sides, the columns only at the end. At which column does the image begin?
columns_cut: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, : X.shape[2], padding : padding + X.shape[3]]
    The columns are cut off on both sides, the rows only at the end. At which row does the image begin?
short: F.conv_transpose2d(dY, W, None, stride, padding)
    This has the shape of what the windows cover. A rest behind the last window belongs to `X`, too.
not_cut: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)
    This is the gradient of the image with its padding. Which of its rows and columns belong to `X`?
empty_slice: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, padding:-padding, padding:-padding]
    Without padding, a slice that ends at `-padding` ends at -0, so it is empty. Count the end from the front.
one_stride:
        gradient = torch.zeros_like(F.pad(X, (padding, padding + dY.shape[3] * W.shape[3], padding, padding)))
        for i in range(dY.shape[2]):
            for j in range(dY.shape[3]):
                share = torch.einsum("nf,fcij->ncij", dY[:, :, i, j], W)
                gradient[:, :, i * stride : i * stride + W.shape[2], j : j + W.shape[3]] += share
        gradient[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]
    Your windows move by the stride along one axis only.

[dpicture]
everywhere: pooled_back(Kept(picture, ones), dlargest, rows, columns, stride)
    Every place of a window gets its gradient here. Which number of the window decides the output?
average: pooled_back(Kept(picture, ones), dlargest, rows, columns, stride) / (rows * columns)
    This is the gradient of an average. Which number of the window decides the output?
no_upstream: pooled_back(Kept(picture, largest), torch.ones_like(dlargest), rows, columns, stride)
    This is the local derivative, ones and zeros. The upstream gradient is missing.
times_value: pooled_back(Kept(picture, largest), dlargest, rows, columns, stride) * picture
    A factor `picture` is too much. The output equals the largest number: what is its derivative?
overwritten:
        gradient = torch.zeros_like(picture)
        for i in range(dlargest.shape[2]):
            for j in range(dlargest.shape[3]):
                place = (..., slice(i * stride, i * stride + rows), slice(j * stride, j * stride + columns))
                mine = largest(picture[place]) * dlargest[:, :, i : i + 1, j : j + 1]
                gradient[place] = torch.where(mine != 0, mine, gradient[place])
        gradient
    A number can be the largest of two windows. Here the later window overwrites the earlier one.
smallest: -pooled_back(Kept(-picture, largest), -dlargest, rows, columns, stride)
    This gives the gradient to the smallest number of each window.
copied: pooled_back(Kept(picture, largest), dlargest, rows, columns, stride)
    Two equal largest numbers of a window both get its whole upstream gradient. Together they should get it once.

[dphoto]
not_divided: pooled_back(Kept(photo, ones), daverage, rows, columns, stride)
    This is the gradient of a sum. By what does an average divide?
one_side: pooled_back(Kept(photo, ones), daverage, rows, columns, stride) / rows
    This divides by the rows of the window only. How many places does a window have?
by_stride: pooled_back(Kept(photo, ones), daverage, rows, columns, stride) / stride**2
    This divides by the stride. An average divides by the number of its terms.
overlap_averaged:
        here = pooled_back(Kept(photo, ones), daverage, rows, columns, stride) / (rows * columns)
        here / pooled_back(Kept(photo, ones), torch.ones_like(daverage), rows, columns, stride).clamp(min=1)
    Where windows overlap, you average their gradients. Each window's share counts in full.

[unread]
no_gaps:
        windows = (size + 2 * padding - kernel) // stride + 1
        list(range(max(0, (windows - 1) * stride + kernel - padding), size))
    These are the places behind the last window. There can also be places between two windows: when?
no_padding:
        windows = (size - kernel) // stride + 1
        read = {i * stride + k for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    This ignores the padding. With it there are more windows, and the first one begins before position 0.
half_the_padding:
        windows = (size + padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    The windows are too few: you count the zeros in front of the axis, and not those behind it.
one_window_less:
        windows = (size + 2 * padding - kernel) // stride
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    The last window is missing. The quotient says how often the window moves: how many windows are that?
those_read:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place in read]
    These are the places that a window reads. Which ones are left?
padded_positions:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    Your positions count from the first zero of the padding. Position 0 is the first place of the axis itself.
rounded_up:
        windows = -(-(size + 2 * padding - kernel) // stride) + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    You round the number of windows up. The last window must fit completely.
how_many:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        sum(place not in read for place in range(size))
    This is how many places are not read. The result is a list of their positions.
""")
