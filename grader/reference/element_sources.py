"""What one element of a gradient is computed from: elements of upstream gradients and of forward values.

Both follow from the forward pass by differentiating twice. One vector-Jacobian product gives the element; its
derivatives with respect to the upstream gradient and to the forward values show which elements of these it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from grader.reference.tape import Graph


@dataclass(frozen=True)
class ElementSource:
    """The elements of one tensor that an element of a gradient is computed from.

    Attributes:
        name: the forward value, or the value whose upstream gradient is read.
        is_upstream: whether it is an upstream gradient.
        mask: True at the elements that are read; of the value's shape.
    """

    name: str
    is_upstream: bool
    mask: Tensor


def element_sources(graph: Graph, name: str, index: tuple[int, ...]) -> list[ElementSource]:
    """The upstream gradients, then the forward values, that element `index` of d`name` is computed from.

    A consumer that PyTorch cannot differentiate twice is left out.
    """
    upstream: dict[str, Tensor] = {}
    forward: dict[str, Tensor] = {}
    for consumer in reversed(graph.consumers[name]):
        try:
            above, values = graph.element_derivatives(consumer, name, index)
        except RuntimeError:
            continue
        upstream[consumer] = above != 0
        for value, derivative in values.items():
            read = derivative != 0
            forward[value] = forward[value] | read if value in forward else read
    sources = [ElementSource(each, True, mask) for each, mask in upstream.items()]
    sources += [ElementSource(each, False, mask) for each, mask in forward.items()]
    return [source for source in sources if bool(source.mask.any())]


def subscript(mask: Tensor) -> str:
    """The true elements of a boolean tensor of any shape as Python indexes them: `[3, 5]`, `[:, 3]`.

    "" if a single index cannot name them, and if they are all of its elements.
    """
    chosen = mask.nonzero()
    per_axis = [torch.unique(chosen[:, axis]) for axis in range(mask.ndim)]
    count = 1
    for places in per_axis:
        count *= len(places)
    if not mask.ndim or not len(chosen) or count != len(chosen):
        return ""
    parts = []
    for size, places in zip(mask.shape, per_axis, strict=True):
        first, last = int(places[0]), int(places[-1])
        if len(places) == size and size > 1:
            parts.append(":")
        elif len(places) == 1:
            parts.append(str(first))
        elif last - first + 1 == len(places):
            parts.append(f"{first}:{last + 1}")
        else:
            return ""
    return "" if set(parts) == {":"} else f"[{', '.join(parts)}]"
