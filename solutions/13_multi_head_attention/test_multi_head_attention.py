"""The hidden suite of lesson 13. In every draw all sizes differ from each other."""

import itertools

import torch

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)
DRAWS = (
    Draw({"batch": 3, "time": 5, "channels": 9, "heads": 4, "groups": 2, "size": 7}),
    Draw({"batch": 5, "time": 4, "channels": 8, "heads": 6, "groups": 3, "size": 2}),
    Draw({"batch": 4, "time": 6, "channels": 5, "heads": 3, "groups": 1, "size": 2}, FORWARD.one_token_repeated),
    Draw({"batch": 2, "time": 3, "channels": 7, "heads": 8, "groups": 4, "size": 5}),
)
SHAPES = tuple(
    {"batch": batch, "heads": heads, "time": time, "size": size}
    for batch, heads, time, size in ((2, 3, 4, 5), (3, 4, 2, 1), (1, 5, 3, 2), (4, 1, 2, 3))
)


def with_arguments(called):
    return {"the result": called[0], "an argument after the call": called[1]}


def split(on, generator, batch, heads, time, size):
    return with_arguments(on.apply("split_heads", torch.randn(batch, time, heads * size, generator=generator), heads))


def merged(on, generator, batch, heads, time, size):
    return with_arguments(on.apply("merge_heads", torch.randn(batch, heads, time, size, generator=generator)))


def with_every_order_in_memory(on, generator, batch, heads, time, size):
    """The same shapes, with the numbers in memory in every order that a permutation of the axes can give."""
    found = {}
    for function, shape, more in (
        ("merge_heads", (batch, heads, time, size), ()),
        ("split_heads", (batch, time, heads * size), (heads,)),
    ):
        for order in itertools.permutations(range(len(shape))):
            stored = torch.randn([shape[axis] for axis in order], generator=generator)
            given = stored.permute([order.index(axis) for axis in range(len(shape))])
            found[f"{function} of a tensor with the strides {given.stride()}"] = on.call(function, given, *more)
    return found


def test_gradient(gradient):
    gradient.check(DRAWS)


def test_split_heads(check):
    check.agrees(split, draws=SHAPES)


def test_merge_heads(check):
    check.agrees(merged, draws=SHAPES)


def test_any_strides(check):
    check.agrees(with_every_order_in_memory, draws=SHAPES[:1])
