"""Lesson 09: the backward pass of a deep network that keeps few activations and computes the others again.

The network: h_0 = x, and h_i = torch.tanh(h_{i-1} @ weights[i - 1]) for i = 1 ... depth; depth = len(weights) >= 1.
`x` and every activation have the shape (batch, width), every matrix in the list `weights` has (width, width).

Leave `x`, `weights` and `dout` as they are. The operating system measures what your functions keep and compute: the
memory and the processor time of the process that runs them.

Check as often as you like:  dojo check 09
"""

import math

import torch


def forward(x, weights):
    """The network's output, the last activation: (batch, width). No other activation is needed afterwards."""
    # TODO: replace the next line by your own
    raise NotImplementedError


def backward_all(x, weights, dout):
    """The ordinary backward pass: runs the network, stores every activation, and goes back through all layers.

    `dout` is the upstream gradient of the output, (batch, width). Returns `(dx, gradients)`: the gradient with respect
    to `x`, (batch, width), and the list of those with respect to `weights`, in the order of `weights`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def best_spacing(depth):
    """The whole number `every` for which a network of `depth` layers keeps the fewest activations at one moment.

    Count depth / every checkpoints (rounded up) and one segment of `every` activations. For many depths several
    spacings are equally good, and one more than the least is accepted.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def checkpoints(x, weights, every):
    """The activations that are kept: the list [h_0, h_every, h_2every, ...], as far as the index is below depth.

    That is one for each segment of `every` layers (the last one may be shorter): the activation that goes into it.
    With 7 layers and every = 3 these are h_0, h_3, h_6; with 6 layers h_0, h_3; with every >= depth only h_0: x itself.
    Next to the result, this function may hold at most depth / every + every + 4 activations. The grader measures it.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def backward_checkpointed(x, weights, dout, every):
    """The same `(dx, gradients)` as `backward_all`, from the activations that `checkpoints` keeps.

    Compute the others again, one segment at a time, when the backward pass reaches them. The grader measures the memory
    of the process, in activations, and its processor time:

        row `memory`          at most depth / every + 2 * every + 5 (depth / every rounded up)
        row `release`         at most depth / every + every + 8
        row `recomputation`   tanh at most 2 * depth times in all, and not much more time than that takes
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
