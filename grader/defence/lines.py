"""A right line of a student's, with the sizes of what it reads, and values drawn for it."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy import ndarray
from torch import Tensor

from grader.defence.changed_lines import Variant, versions_of
from grader.defence.file_lines import FileFunction, FileLine
from grader.defence.small_problems import graph_of, small_problems
from grader.lesson.lesson import Lesson
from grader.source.reader import source_reader

Symbol = tuple[int, ...]
"""A size by what it is on each of the small problems; equal symbols are the same size."""
CodeNames = dict[tuple[str, tuple[str, ...]], str]
"""{(code, what it reads): its name in the worker}"""
Versions = Mapping[str, Sequence[Mapping[str, Any]]]
"""{kind: other lines}, as `versions_of` gives them in another process."""


@dataclass(frozen=True)
class Line:
    """A right line of the student's.

    Attributes:
        row: the row that it belongs to.
        target: the forward value whose gradient it is, or "".
        shapes: {name that it reads: its sizes}; () for a plain number other than a size.
        sizes: {name of a plain number: the size that it is}.
        positive: names whose values are positive.
        numbers, arrays: names of plain numbers with a point, and of numpy arrays.
        is_recorded: it belongs to a function that is checked as a whole.
        others: names that are neither a tensor of real numbers nor a size.
        equal, wrong, disguised: other lines, see versions_of.
    """

    row: str
    target: str
    at: FileLine
    values: tuple[Mapping[str, Any], ...]
    shapes: Mapping[str, tuple[Symbol, ...]]
    sizes: Mapping[str, Symbol]
    positive: frozenset[str]
    others: frozenset[str]
    equal: tuple[Variant, ...]
    wrong: tuple[Variant, ...]
    disguised: tuple[Variant, ...]
    numbers: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    is_recorded: bool = False

    @property
    def name(self) -> str:
        return self.row if self.at.is_returned and not self.is_recorded else self.at.name

    @property
    def shown(self) -> str:
        """How a question names what it computes, between two backticks."""
        if self.is_recorded:
            inside = self.at.is_returned or self.at.name.startswith(self.at.function)
            return self.at.name if inside else f"{self.at.name}` in `{self.at.function}"
        return self.row if self.at.is_returned else self.name

    @property
    def symbols(self) -> list[Symbol]:
        """Its sizes, each once; without those that are always 1."""
        found = [symbol for shape in self.shapes.values() for symbol in shape] + list(self.sizes.values())
        return [each for each in dict.fromkeys(found) if set(each) != {1}]

    def draw(self, sizes: Mapping[Symbol, int], chance: random.Random) -> dict[str, Any]:
        """Values of these sizes, normally distributed, for everything that the line reads."""
        generator = torch.Generator().manual_seed(chance.randrange(2**40))
        found: dict[str, Any] = {}
        for name in self.at.names:
            if name in self.sizes:
                found[name] = sizes.get(self.sizes[name], 1)
            elif name in self.shapes:
                shape = [sizes.get(symbol, 1) for symbol in self.shapes[name]]
                value = torch.randn(shape, generator=generator, dtype=torch.float64)
                found[name] = self.as_recorded(name, value.abs() + 0.5 if name in self.positive else value)
            else:
                found[name] = self.values[0][name]
        return found

    def as_recorded(self, name: str, value: Tensor) -> Any:
        """A drawn value as what the line reads under this name: a number, an array or a tensor."""
        return value.item() if name in self.numbers else value.numpy() if name in self.arrays else value


def line_from(
    row: str,
    target: str,
    line: FileLine,
    values: Sequence[Mapping[str, Any]],
    versions: Mapping[str, Any],
    is_recorded: bool = False,
) -> Line:
    shapes, sizes, positive, others = {}, {}, set(), set()
    of = {name: [each[name] for each in values] for name in line.names}
    numbers = frozenset(name for name, own in of.items() if all(type(each) is float for each in own))
    arrays = frozenset(name for name, own in of.items() if all(isinstance(each, ndarray) for each in own))
    tensors = {name: [tensor_of_number(each) for each in own] for name, own in of.items()}
    dimensions = {symbol for own in tensors.values() for symbol in symbols_of(own)}
    for name, own in tensors.items():
        is_floating = all(isinstance(each, Tensor) and each.is_floating_point() for each in own)
        if is_floating and len({each.ndim for each in own}) == 1:
            shapes[name] = symbols_of(own)
            if all(bool((each > 0).all()) for each in own):
                positive.add(name)
        elif all(type(each) is int for each in own) and tuple(own) in dimensions:
            sizes[name] = tuple(own)
        else:
            others.add(name)
    flat = [name for name in line.names if len(shapes.get(name, ())) < 2]
    other = {
        kind: tuple(Variant(**each) for each in found if not any(f"{name}.shape[0]" in each["code"] for name in flat))
        for kind, found in versions.items()
    }
    return Line(
        *(row, target, line, tuple(values), shapes, sizes, frozenset(positive), frozenset(others)),
        *(other["equal"], other["wrong"], other["disguised"], numbers, arrays, is_recorded),
    )


def tensor_of_number(value: Any) -> Any:
    """A number with a point or an array as a tensor; anything else as it is."""
    return torch.as_tensor(value) if type(value) is float or isinstance(value, ndarray) else value


def symbols_of(values: Sequence[Any]) -> tuple[Symbol, ...]:
    """The sizes of a tensor, each by what it is on every problem."""
    if not all(isinstance(each, Tensor) for each in values) or len({each.ndim for each in values}) > 1:
        return ()
    return tuple(zip(*(each.shape for each in values), strict=True))


def versions_and_names(lines: Sequence[FileLine]) -> tuple[dict[int, Versions], CodeNames]:
    """({number of a line: its versions}, the names of lines and versions in the worker).

    Raises ReadingStopped, ReadingFailed.
    """
    found = source_reader().call(versions_of, [(line.code, list(line.names)) for line in lines])
    names: CodeNames = {}
    for line, versions in zip(lines, found, strict=True):
        for code in [line.code, *(each["code"] for alike in versions.values() for each in alike)]:
            names.setdefault((code, line.names), f"_defence_{len(names)}")
    return {line.number: versions for line, versions in zip(lines, found, strict=True)}, names


def lines_of_rows(
    lesson: Lesson, functions: Sequence[FileFunction], right: Collection[str]
) -> list[tuple[str, str, FileLine]]:
    """(row, forward value, line) of the lines that belong to right rows, or to a value between them."""
    rows = {item.name for item in lesson.gradients}
    problems = small_problems(lesson)
    values = set(graph_of(lesson, problems[0]).consumers) if problems else set()
    found = []
    for function in functions:
        is_joint = lesson.joint is not None and function.name == lesson.joint.name
        for line in function.lines:
            name = function.name if line.is_returned else line.name
            if is_joint:
                is_known = name in right or (name not in rows and name[:1] == "d" and name[1:] in values)
                if is_known and right and name[1:] in values and line.name not in function.repeated:
                    found.append((name, name[1:], line))
            elif function.name in right and function.name in rows and line.name not in function.repeated:
                found.append((function.name, function.name[1:] if name == function.name else "", line))
    return found


def chosen_lines(
    lines: Sequence[tuple[str, str, FileLine]], chance: random.Random, most: int
) -> list[tuple[str, str, FileLine]]:
    """Up to `most` of (row, forward value, line), gradients first."""
    found = chance.sample(lines, len(lines))
    found.sort(key=lambda each: not each[1])
    return found[:most]
