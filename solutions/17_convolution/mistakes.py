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


def without_the_last(gradient, sizes, window, stride):
    """The upstream gradient without its last place along each axis on which the last window ends at the edge."""
    for axis, (size, length) in enumerate(zip(sizes, window, strict=True), start=2):
        if (size - length) % stride == 0:
            gradient = gradient.index_fill(axis, torch.tensor(gradient.shape[axis] - 1), 0)
    return gradient


def largest(window):
    return (window == window.amax((2, 3), keepdim=True)).to(window.dtype)


def ones(window):
    return torch.ones_like(window)


def average_of(daverage, photo, rows, columns, stride, number):
    channels = photo.shape[1]
    kernel = torch.ones(channels, 1, rows, columns, dtype=daverage.dtype) / number
    covered = F.conv_transpose2d(daverage, kernel, stride=stride, groups=channels)
    return F.pad(covered, (0, photo.shape[3] - covered.shape[3], 0, photo.shape[2] - covered.shape[2]))


MISTAKES = mistake_list("""
[dw]
no_stride: torch.einsum("nfo,ncok->fck", dy, windows(x, w.shape[2], 1, padding)[:, :, : dy.shape[2]])
    Neighbouring elements of `dy` count as one place apart in the signal here. How far apart are their windows in the
    forward pass?
one_window: torch.einsum("nf,nck->fck", dy[:, :, 0], windows(x, w.shape[2], stride, padding)[:, :, 0])
    This uses the first window only. How many windows share one kernel?
padded_behind: torch.einsum("nfo,ncok->fck", dy, F.pad(x, (0, 2 * padding)).unfold(2, w.shape[2], stride))
    The signal begins at position 0 here. Where does it begin in the padded signal?
padded_in_front: torch.einsum("nfo,ncok->fck", dy, F.pad(x, (2 * padding, 0)).unfold(2, w.shape[2], stride))
    The signal begins at position 2 * padding here. How many zeros are in front of it in the padded signal?

[db]
first_example: dy[0].sum(1)
    This is the part of the first example. To how many examples is `b[f]` added?
first_place: dy[:, :, 0].sum(0)
    This uses the first place only. To how many places is `b[f]` added?

[dx]
flipped: scatter_line(dy, w.flip(2), x, stride, padding)
    The kernel is the wrong way round. If you add to windows, nothing is flipped. A convolution of the upstream gradient
    needs a flip; torch's transposed convolutions do it themselves.
other_padding: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)[:, :, : x.shape[2]]
    The gradient is shifted. At which position of the padded signal does the signal itself begin?
no_stride: scatter_line(dy, w, F.pad(x, (0, dy.shape[2])), 1, padding)[:, :, : x.shape[2]]
    Each window begins one place after the one before it. By how much does the forward pass move from one to the next?
short: F.conv_transpose1d(dy, w, None, stride, padding)
    Behind the last window there can be a rest that belongs to `x`, too. Which columns of `padded` are those of `x`?
not_cut: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)
    This is the gradient of `padded`. Which of its columns belong to `x`?
empty_slice: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)[:, :, padding:-padding]
    Without padding, a slice that ends at `-padding` ends at -0, so it is empty. Count the end from the front.
rest_in_front:
        covered = F.conv_transpose1d(dy, w, None, stride)
        F.pad(covered, (x.shape[2] + 2 * padding - covered.shape[2], 0))[:, :, padding : padding + x.shape[2]]
    The rest that no window reads is in front here. On which side of the signal do the windows leave a rest?
last_window_lost:
        places = without_the_last(dy, [x.shape[2] + 2 * padding], w.shape[2:], stride)
        scatter_line(places, w, x, stride, padding)
    A window that ends at the very end of the padded signal is left out. `range` stops before its end: what is the last
    place at which a window begins?
cut_in_front: scatter_line(dy, w, F.pad(x, (padding, padding)), stride, 0)[:, :, 2 * padding :]
    All of the padding is cut off in front. Where are its zeros?
rest_lost: F.pad(F.conv_transpose1d(dy, w, None, stride, padding), (0, x.shape[2]))[:, :, : x.shape[2]]
    The last columns that a window reads are cut off where a rest is behind it. Are zeros of the padding there?

[dW]
flipped: torch.einsum("nfop,ncopij->fcij", dY, patches(X, W, stride, padding)).flip(2, 3)
    The places of the kernel are in reverse order.
    The forward pass does not flip the kernel: what does W[f, c, 0, 0] multiply?
no_stride:
        seen = patches(X, W, 1, padding)[:, :, : dY.shape[2], : dY.shape[3]]
        torch.einsum("nfop,ncopij->fcij", dY, seen)
    Neighbouring elements of `dY` count as one place apart in the image here. How far apart are their windows in the
    forward pass?
stride_of_the_rows:
        seen = F.pad(X, (padding,) * 4).unfold(2, W.shape[2], stride).unfold(3, W.shape[3], 1)
        torch.einsum("nfop,ncopij->fcij", dY, seen[:, :, :, : dY.shape[3]])
    Along a row, neighbouring elements of `dY` count as one column apart here. How far apart are their windows?
stride_of_the_columns:
        seen = F.pad(X, (padding,) * 4).unfold(2, W.shape[2], 1).unfold(3, W.shape[3], stride)
        torch.einsum("nfop,ncopij->fcij", dY, seen[:, :, : dY.shape[2]])
    Along a column, neighbouring elements of `dY` count as one row apart here. How far apart are their windows?
not_cropped: F.conv2d(X.transpose(0, 1), dY.transpose(0, 1), None, 1, padding, stride).transpose(0, 1)
    Where a rest is behind the last window, this has more rows or columns than a kernel. How large is `W`?
channels_last:
        sums = torch.einsum("nfop,ncopij->fcij", dY, patches(X, W, stride, padding))
        sums.flatten(1).reshape(W.shape[0], W.shape[2], W.shape[3], W.shape[1]).permute(0, 3, 1, 2)
    The numbers are right, their places in a kernel are not: the channels count as the last axis. Which axis of `W` are
    they?

[dB]
first_example: dY[0].sum((1, 2))
    This is the part of the first example. To how many examples is `B[f]` added?
one_axis_left: dY.sum((0, 2))
    One axis of places is left. To how many rows and columns is `B[f]` added?
one_row: dY[:, :, 0].sum((0, 2))
    This uses the first row only. To how many places is `B[f]` added?

[dX]
filters_summed_first: scatter(dY.sum(1, keepdim=True), W.sum(0, keepdim=True), X, stride, padding)
    The upstream gradient of each filter goes back through the kernels of all filters. Which kernel made that filter's
    output?
rest_in_front:
        covered = F.conv_transpose2d(dY, W, None, stride)
        below, right = (X.shape[i] + 2 * padding - covered.shape[i] for i in (2, 3))
        F.pad(covered, (right, 0, below, 0))[:, :, padding : padding + X.shape[2], padding : padding + X.shape[3]]
    The rows and columns of the rest are in front here. On which side of the image do the windows leave a rest?
edge_windows_lost:
        padded = F.pad(X, (padding,) * 4)
        scatter(without_the_last(dY, padded.shape[2:], W.shape[2:], stride), W, X, stride, padding)
    The windows that end at the very edge of the padded image are left out. `range` stops before its end: what is the
    last row, and the last column, at which a window begins?
flipped: scatter(dY, W.flip(2, 3), X, stride, padding)
    The kernel is the wrong way round. If you add to windows, nothing is flipped. A convolution of the upstream gradient
    needs a flip; torch's transposed convolutions do it themselves.
one_axis_flipped: scatter(dY, W.flip(3), X, stride, padding)
    Each row of the kernel is reversed. Is anything flipped when you add to windows?
other_padding: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, : X.shape[2], : X.shape[3]]
    The gradient is shifted. At which row and column of the padded image does the image itself begin?
no_stride: scatter(dY, W, F.pad(X, (0, dY.shape[3], 0, dY.shape[2])), 1, padding)[:, :, : X.shape[2], : X.shape[3]]
    Each window begins one row or column after the one before it. By how much does the forward pass move from one to the
    next?

one_axis_cut: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, padding : padding + X.shape[2], : X.shape[3]]
    The rows are cut off on both sides, the columns only at the end. At which column does the image begin?
columns_cut: scatter(dY, W, F.pad(X, (padding,) * 4), stride, 0)[:, :, : X.shape[2], padding : padding + X.shape[3]]
    The columns are cut off on both sides, the rows only at the end. At which row does the image begin?
short: F.conv_transpose2d(dY, W, None, stride, padding)
    A rest behind the last window belongs to `X`, too. Which rows and columns of the padded image are those of `X`?
rest_of_stride_less_one: F.conv_transpose2d(dY, W, None, stride, padding, stride - 1)
    The rest behind the last window is not always `stride - 1` long. How long is it, for rows and for columns?
last_windows_lost: scatter(dY[:, :, :-1, :-1], W, X, stride, padding)
    The last window of each axis is left out. How many windows does `dY` have along an axis?
last_columns_lost: scatter(dY[:, :, :, :-1], W, X, stride, padding)
    The last window of each row is left out. How many windows does `dY` have in a row?
last_rows_lost: scatter(dY[:, :, :-1], W, X, stride, padding)
    The last row of windows is left out. How many rows of windows does `dY` have?
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
values_for_gradients:
        gradient = torch.zeros_like(picture)
        for i in range(dlargest.shape[2]):
            for j in range(dlargest.shape[3]):
                place = (..., slice(i * stride, i * stride + rows), slice(j * stride, j * stride + columns))
                gradient[place] += picture[place] * largest(picture[place])
        gradient
    The largest numbers themselves go back. What comes back to the place of the largest one?
row_and_column_exchanged:
        gradient = torch.zeros_like(F.pad(picture, (0, rows, 0, columns)))
        for i in range(dlargest.shape[2]):
            for j in range(dlargest.shape[3]):
                top, left = i * stride, j * stride
                best = picture[:, :, top : top + rows, left : left + columns].flatten(2).argmax(2)
                for n, c in torch.cartesian_prod(*map(torch.arange, picture.shape[:2])):
                    gradient[n, c, top + best[n, c] % rows, left + best[n, c] // rows] += dlargest[n, c, i, j]
        gradient[:, :, : picture.shape[2], : picture.shape[3]]
    The place in the window is read as if its numbers were counted down the columns. In which order does a flattened
    window have them?
overwritten:
        gradient = torch.zeros_like(picture)
        for i in range(dlargest.shape[2]):
            for j in range(dlargest.shape[3]):
                place = (..., slice(i * stride, i * stride + rows), slice(j * stride, j * stride + columns))
                mine = largest(picture[place]) * dlargest[:, :, i : i + 1, j : j + 1]
                gradient[place] = torch.where(mine != 0, mine, gradient[place])
        gradient
    A number can be the largest of two windows. Here the later window overwrites the earlier one.

[dphoto]
area_of_the_stride: average_of(daverage, photo, rows, columns, stride, stride**2)
    The upstream gradient is divided by the square of the stride. Over how many numbers is the average?
one_side: average_of(daverage, photo, rows, columns, stride, rows)
    The upstream gradient is divided by the number of rows of a window. Over how many numbers is the average?
other_side: average_of(daverage, photo, rows, columns, stride, columns)
    The upstream gradient is divided by the number of columns of a window. Over how many numbers is the average?

[unread]
no_gaps:
        end = (size + 2 * padding - kernel) // stride * stride + kernel - padding
        list(range(max(end, 0), size))
    These are the places behind the last window. Where windows do not touch each other, what is between two of them?
half_the_padding:
        windows = (size + padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    The windows are too few, as if there were no zeros behind the axis.
one_window_less:
        windows = (size + 2 * padding - kernel) // stride
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    The last window is missing. The quotient says how often the window moves: how many windows is that?
those_read:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place in read]
    These are the places that a window reads. Which ones are left?
in_padded:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k for i in range(windows) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    Your first window begins at position 0, the first place of the axis. Where does it begin if zeros are in front of
    the axis?
beyond_the_end:
        read = {start + k for start in range(-padding, size + padding, stride) for k in range(kernel)}
        [place for place in range(size) if place not in read]
    Your last windows reach beyond the zeros behind the axis. A window counts only if it fits.
how_many:
        windows = (size + 2 * padding - kernel) // stride + 1
        read = {i * stride + k - padding for i in range(windows) for k in range(kernel)}
        sum(place not in read for place in range(size))
    This is how many places are not read. The result is a list of their positions.
""")
