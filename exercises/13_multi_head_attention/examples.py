"""The public example that `dojo check 13` runs: three positions, and two heads of two features."""

import torch

POSITIONS = [[1.0, 2.0, 10.0, 20.0], [3.0, 4.0, 30.0, 40.0], [5.0, 6.0, 50.0, 60.0]]
HEADS = [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]]
BY_POSITION = torch.tensor([POSITIONS], dtype=torch.float64)
BY_HEAD = torch.tensor([HEADS], dtype=torch.float64)
"""The features of head 0 are below ten, those of head 1 are ten times as large."""


def in_another_order(tensor):
    """The same tensor, with the numbers of its last two axes in another order in memory."""
    return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)


def test_split_heads(check):
    check.gives("split_heads", (BY_POSITION, 2), BY_HEAD)


def test_merge_heads(check):
    check.gives("merge_heads", (BY_HEAD,), BY_POSITION)


def test_any_strides(check):
    check.gives("merge_heads", (in_another_order(BY_HEAD),), BY_POSITION)
    check.gives("split_heads", (in_another_order(BY_POSITION), 2), BY_HEAD)
    two = torch.cat([BY_POSITION, 2 * BY_POSITION]).transpose(0, 1).contiguous().transpose(0, 1)
    check.gives("split_heads", (two, 2), torch.cat([BY_HEAD, 2 * BY_HEAD]))
