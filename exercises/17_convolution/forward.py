"""Convolution in one and two dimensions, max pooling and average pooling, each as a graph of its own.

`t.name = expression` names a value; your gradients are with respect to these names. As everywhere in deep learning, a
"convolution" does not flip its kernel (mathematicians call this a cross-correlation).
"""

import torch
import torch.nn.functional as F


def inputs(generator, batch=2, channels=3, filters=5, height=9, width=13, rows=3, columns=4, stride=3, padding=1):
    """Four graphs: a signal (batch, channels, width), an image and two pictures (batch, channels, height, width).

    A kernel of the image and a window of the pictures has `rows` x `columns` places, a kernel of the signal `columns`.
    All of them move by `stride`. The convolutions see `padding` zeros around their input; the pictures get none.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    return {
        "x": normal(batch, channels, width),
        "w": normal(filters, channels, columns) * (channels * columns) ** -0.5,
        "b": normal(filters) * 0.1,
        "X": normal(batch, channels, height, width),
        "W": normal(filters, channels, rows, columns) * (channels * rows * columns) ** -0.5,
        "B": normal(filters) * 0.1,
        "picture": normal(batch, channels, height, width),
        "photo": normal(batch, channels, height, width),
        "rows": rows,
        "columns": columns,
        "stride": stride,
        "padding": padding,
    }


def forward(t):
    t.y = F.conv1d(t.x, t.w, t.b, t.stride, t.padding)

    t.Y = F.conv2d(t.X, t.W, t.B, t.stride, t.padding)

    t.largest = F.max_pool2d(t.picture, (t.rows, t.columns), t.stride)

    t.average = F.avg_pool2d(t.photo, (t.rows, t.columns), t.stride)


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def one_channel_repeated(inputs):
    """The first two channels of everything are equal, and so are the first two kernels."""
    for name in ("x", "X", "photo", "w", "W"):
        inputs[name][:, 1] = inputs[name][:, 0]
    for name in ("w", "W"):
        inputs[name][1] = inputs[name][0]


def rounded(inputs):
    """The picture has whole numbers, so the largest number of a window often occurs twice."""
    inputs["picture"] = inputs["picture"].round()
