"""One gradient of a check as the live page draws it: the student's values next to autograd's, and where one is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from grader.comparison.tensors import index_at
from grader.dojo.desk import Checked
from grader.dojo.public_suite import StepAnswers
from grader.lesson.lesson import Item
from grader.publish.pictures import MatrixPicture, value_map
from grader.reference.element_sources import element_sources, subscript
from grader.results.wording import format_shape

MAX_ROWS_DRAWN = 128
"""Rows and columns that are drawn of a larger matrix: those around the element that is shown."""
SHOWN_AS_EQUAL = 1e-5
"""Relative to the largest element, in float32."""
MAX_VALUES = 6
"""Elements of a source that are written as numbers."""
OUTCOMES = {
    "todo": "It is not written yet.",
    "missing": "There is no such function.",
    "raised": "It raised an exception.",
    "timeout": "It did not return in time.",
    "crashed": "Its process ended.",
    "forbidden": "It used what is not allowed.",
    "skipped": "It was not run: a gradient that it needs is missing.",
}


class Rectangle(NamedTuple):
    """Cells of a matrix, in cells."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class TensorMap:
    """A tensor as a heat map; `marked` are cells of it. Leading dimensions are laid out as rows.

    `first` is the row and the column of the tensor's matrix with which the drawing starts; `whole` is that matrix's
    size where only a part of it is drawn.
    """

    name: str
    shape: str
    map: MatrixPicture
    marked: Sequence[Rectangle] = ()
    first: tuple[int, int] = (0, 0)
    whole: tuple[int, int] | None = None


@dataclass(frozen=True)
class SourceMap:
    """What an element is computed from: `title` is `dlogits[:, 5]`, `values` are some of its numbers."""

    title: str
    is_upstream: bool
    drawn: TensorMap
    count: int
    values: Sequence[float]


@dataclass(frozen=True)
class ElementView:
    """The element that is shown; `row` and `column` are its place in the drawing's matrix."""

    index: tuple[int, ...]
    row: int
    column: int
    expected: float
    found: float | None
    is_wrong: bool
    why: str
    """Which one it is: `the first wrong element`, ..."""


@dataclass(frozen=True)
class GradientView:
    """`trouble` says why there are no values of the student's own; `wrong` counts elements that are."""

    item: Item
    true: TensorMap
    own: TensorMap | None
    trouble: str
    size: tuple[int, int]
    element: ElementView | None
    wrong: int
    sources: Sequence[SourceMap] = field(default_factory=list)


def gradient_view(checked: Checked, item: Item, place: tuple[int, int] | None, in_chain: bool) -> GradientView | None:
    """The gradient of one row, with the element at `place` (row, column), by default the first wrong one.

    With `in_chain`, every function was called with what the student's own functions returned. None for a row that is
    not a gradient, and where the file does not run.
    """
    if checked.own is None or item.target is None:
        return None
    run = checked.own.chain if in_chain else checked.own.line
    true = run.problem.reference(item.target)
    answer = run.answers.get(item.name)
    own = answer.tensor if answer is not None else None
    trouble = ""
    if answer is None or own is None:
        outcome = answer.outcome if answer is not None else "missing"
        trouble = OUTCOMES.get(outcome, f"It returned {answer.kind or 'no tensor'}." if answer is not None else "")
    elif own.shape != true.shape:
        trouble = f"Its shape is {format_shape(own.shape)}; expected {format_shape(true.shape)}."
    own = own.float() if own is not None and not own.is_complex() and own.numel() else None
    comparable = own is not None and own.shape == true.shape
    wrong = (
        differing_elements(own, true) if own is not None and comparable else torch.zeros_like(true, dtype=torch.bool)
    )
    element = element_of(true, own if comparable else None, wrong, place)
    scale = float(true.abs().max()) if true.numel() else 1.0
    sources = drawn_sources(run, item.target, element.index) if element is not None else []
    marked = one_element(true, element)
    own_map = None
    if own is not None:
        own_map = tensor_map(item.name, own, scale, marked if comparable else torch.zeros_like(own, dtype=torch.bool))
    return GradientView(
        item,
        tensor_map(item.name, true, scale, marked),
        own_map,
        trouble,
        (as_matrix(true).shape[0], as_matrix(true).shape[1]),
        element,
        int(wrong.sum()),
        sources,
    )


def differing_elements(found: Tensor, expected: Tensor) -> Tensor:
    """A mask of the elements that differ by more than rounding."""
    limit = SHOWN_AS_EQUAL * float(expected.abs().max())
    return ~((found.double() - expected.double()).abs() <= limit)  # not finite: wrong


def as_matrix(tensor: Tensor) -> Tensor:
    if tensor.ndim == 0:
        return tensor.reshape(1, 1)
    return tensor.reshape(-1, tensor.shape[-1]) if tensor.ndim > 1 else tensor.reshape(1, -1)


def element_of(true: Tensor, own: Tensor | None, wrong: Tensor, place: tuple[int, int] | None) -> ElementView | None:
    if not true.numel():
        return None
    columns = as_matrix(true).shape[1]
    if place is not None:
        flat = min(max(place[0], 0) * columns + min(max(place[1], 0), columns - 1), true.numel() - 1)
        why = "the element that you chose"
    elif bool(wrong.any()):
        flat, why = int(wrong.flatten().nonzero()[0]), "the first wrong element"
    else:
        flat, why = int(true.abs().argmax()), "its largest element"
    index = index_at(flat, true.shape)
    found = None if own is None else float(own[index])
    return ElementView(index, flat // columns, flat % columns, float(true[index]), found, bool(wrong[index]), why)


def one_element(tensor: Tensor, element: ElementView | None) -> Tensor:
    mask = torch.zeros_like(tensor, dtype=torch.bool)
    if element is not None:
        mask[element.index] = True
    return mask


def tensor_map(name: str, tensor: Tensor, scale: float, mask: Tensor) -> TensorMap:
    matrix, marked = as_matrix(tensor), as_matrix(mask)
    at = marked.nonzero()[0].tolist() if bool(marked.any()) else [0, 0]
    rows, columns = (span(place, size) for place, size in zip(at, matrix.shape, strict=True))
    part, chosen = matrix[rows, columns], marked[rows, columns]
    return TensorMap(
        name,
        format_shape(tensor.shape),
        value_map(part.tolist(), scale),
        rectangles(chosen.tolist()),
        (rows.start, columns.start),
        None if part.shape == matrix.shape else (matrix.shape[0], matrix.shape[1]),
    )


def span(place: int, size: int) -> slice:
    """At most MAX_ROWS_DRAWN places of `size`, with `place` among them."""
    start = max(0, min(place - MAX_ROWS_DRAWN // 2, size - MAX_ROWS_DRAWN))
    return slice(start, min(size, start + MAX_ROWS_DRAWN))


def drawn_sources(run: StepAnswers, target: str, index: tuple[int, ...]) -> list[SourceMap]:
    found = []
    for source in element_sources(run.problem.graph, target, index):
        tensor, name = run.problem.values[source.name], source.name
        if source.is_upstream:
            name = f"d{source.name}"
            tensor = upstream_of(run, source.name)
        scale = float(tensor.abs().max()) if tensor.numel() else 1.0
        values = tensor[source.mask].flatten().tolist()
        where = subscript(source.mask)
        drawn = tensor_map(name, tensor, scale, source.mask)
        found.append(SourceMap(name + where, source.is_upstream, drawn, len(values), values[:MAX_VALUES]))
    return found


def upstream_of(run: StepAnswers, name: str) -> Tensor:
    """The upstream gradient that the student's function was called with: in their chain, their own."""
    upstream = run.problem.upstream[name]
    answer = run.answers.get(f"d{name}")
    in_chain = run.problem.dtype == torch.float64
    if in_chain and answer is not None and answer.tensor is not None and answer.tensor.shape == upstream.shape:
        return answer.tensor
    return upstream


def rectangles(mask: Sequence[Sequence[bool]]) -> list[Rectangle]:
    """The chosen cells as rectangles: runs within a row, equal runs of neighbouring rows joined."""
    found: list[Rectangle] = []
    for y, row in enumerate(mask):
        for x, width in runs(row):
            above = next((n for n, r in enumerate(found) if (r.x, r.width, r.y + r.height) == (x, width, y)), None)
            if above is None:
                found.append(Rectangle(x, y, width, 1))
            else:
                found[above] = found[above]._replace(height=found[above].height + 1)
    return found


def runs(row: Sequence[bool]) -> list[tuple[int, int]]:
    """(start, length) of each run of True."""
    edges = [x for x in range(len(row) + 1) if (x > 0 and row[x - 1]) != (x < len(row) and row[x])]
    return [(start, end - start) for start, end in zip(edges[::2], edges[1::2], strict=True)]
