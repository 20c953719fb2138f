"""Which lessons a file is for, by the functions that it defines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from grader.intake.notebook.outline import FileOutline, OutlinedFunction, outlines_limited
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

TAPED = re.compile(r"\bt\.([A-Za-z_]\w*)")
MIN_SHARE_OF_FUNCTIONS = 0.5
"""A file is for a lesson next to another one only if it defines this share of the lesson's functions."""


@dataclass(frozen=True)
class Fit:
    """How a file fits a lesson: the lesson's functions in it, and their share of all that the lesson has.

    `functions` are {(name, which of the definitions of that name)}; `written` counts those that are not the stub's.
    `alike` is from 0 to 1 how much their parameters are the stub's.
    """

    functions: frozenset[tuple[str, int]]
    share: float
    written: int
    alike: float

    @property
    def complete(self) -> bool:
        return self.share == 1

    def is_explained_by(self, other: Fit) -> bool:
        """Whether the other lesson has all of these functions, and more in common with the file."""
        if self.functions == other.functions:
            return other.complete and not self.complete
        return self.functions < other.functions and (other.share >= MIN_SHARE_OF_FUNCTIONS or not self.complete)


@dataclass(frozen=True)
class Fitting:
    """Attributes:
    lessons: those that the file is for.
    unclear: lessons that the same functions fit equally well, the likeliest first; only that one is in `lessons`.
    fits: all lessons of which it defines any function.
    """

    lessons: tuple[str, ...]
    unclear: tuple[tuple[str, ...], ...]
    fits: Mapping[str, Fit]


class Names(NamedTuple):
    """What a lesson's functions request: {function of the stub: its parameters}, all names that one may request."""

    signatures: Mapping[str, frozenset[str]]
    known: frozenset[str]


@lru_cache(maxsize=256)
def lesson_names_of(lesson: Lesson) -> Names:
    """The lesson's names: those of the stub, forward values, upstream gradients.

    `signatures` has a class's methods in the place of parameters.
    """
    stub = next((text for text in map(readable_text, (lesson.pristine, lesson.exercise / BACKWARD_FILE)) if text), b"")
    values = set(TAPED.findall(readable_text(lesson.exercise / "forward.py").decode("utf-8", "replace")))
    (outline,) = outlines_limited([(stub, False)])
    signatures = {name: each[-1].parameters or frozenset() for name, each in outline.functions.items()}
    requested = [signatures[name] for name, each in outline.functions.items() if not each[-1].is_class]
    return Names(signatures, frozenset().union(values, {f"d{value}" for value in values}, *requested))


def readable_text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def fit_of(outline: FileOutline, lesson: Lesson, any_parameters: bool = False) -> Fit | None:
    """How the file fits the lesson; None if it defines none of its functions.

    A gradient's function that requests a value by a name that the lesson does not have is another lesson's, unless
    `any_parameters` will do. So is a class that has none of the stub's methods. Of several definitions of one name the
    lesson's is the one with most of the stub's parameters or methods, and of equal ones the last.
    """
    if outline.functions.keys().isdisjoint(lesson.functions):
        return None
    gradients, names = {item.function for item in lesson.gradients}, lesson_names_of(lesson)
    fitting: dict[tuple[str, int], tuple[float, bool]] = {}
    for name in lesson.functions:
        wanted = names.signatures.get(name, frozenset())
        definitions = [
            (likeness(each, wanted, name in gradients), number, each.written)
            for number, each in enumerate(outline.functions.get(name, ()))
            if not is_other_class(each, wanted)
            and (any_parameters or name not in gradients or (each.parameters or frozenset()) <= names.known)
        ]
        if definitions:
            alike, number, written = max(definitions)
            fitting[name, number] = alike, written
    if not fitting:
        return None
    alike, written = (sum(each) for each in zip(*fitting.values(), strict=True))
    return Fit(frozenset(fitting), len(fitting) / len(lesson.functions), int(written), alike / len(fitting))


def is_other_class(definition: OutlinedFunction, methods: frozenset[str]) -> bool:
    """Whether it is a class of the stub's name with other methods, such as a course's own `BatchNorm1d`."""
    own = definition.parameters
    return definition.is_class and own is not None and bool(own and methods) and own.isdisjoint(methods)


def likeness(definition: OutlinedFunction, other: frozenset[str], by_name: bool) -> float:
    """How much parameters are alike; those of a function that is not called `by_name` may have other names.

    A gradient without parameters is one of a bare stub, which says nothing about the lesson. Of a class, the share of
    the stub's methods.
    """
    one = definition.parameters
    if one is None:
        return 0.0
    if definition.is_class:
        return len(one & other) / max(1, len(other))
    if by_name and not (one and other):
        return MIN_SHARE_OF_FUNCTIONS
    return 1.0 if not by_name and len(one) == len(other) else len(one & other) / max(1, len(one | other))


def lesson_text(source: bytes, outline: FileOutline, fit: Fit) -> bytes:
    """A file that is for several lessons, for one of them: other definitions of its functions become empty lines."""
    lines = source.splitlines(keepends=True)
    for name, number in fit.functions:
        for each in (d for n, d in enumerate(outline.functions[name]) if n != number):
            lines[each.first - 1 : each.last] = [b"\n"] * (each.last - each.first + 1) if each.first else []
    return b"".join(lines)


def fits_of(outline: FileOutline, lessons: Iterable[Lesson], any_parameters: bool = False) -> dict[str, Fit]:
    """{lesson's name: how the file fits it}, without the lessons of which it defines no function.

    `any_parameters`: functions count whatever their parameters are called.
    """
    found = ((lesson.name, fit_of(outline, lesson, any_parameters)) for lesson in lessons)
    return {name: fit for name, fit in found if fit is not None}


def fitting_lessons(outline: FileOutline, lessons: Iterable[Lesson], hinted: Collection[str] = ()) -> Fitting:
    """The lessons that a file is for. `hinted` are those that its path names; they decide only between equals."""
    lessons = list(lessons)
    fits = fits_of(outline, lessons)
    if not any(fit.alike for fit in fits.values()):  # the parameters say nothing
        fits = fits_of(outline, lessons, any_parameters=True)
    open_ = {name: fit for name, fit in fits.items() if not any(fit.is_explained_by(f) for f in fits.values())}
    most = max((len(fit.functions) for fit in open_.values()), default=0)
    by_functions: dict[frozenset[tuple[str, int]], list[str]] = {}
    for name, fit in open_.items():
        is_named_only = (
            fit.share < MIN_SHARE_OF_FUNCTIONS and not fit.alike and name not in hinted
        )  # such as the lecture's own `cmp`
        if (fit.share >= MIN_SHARE_OF_FUNCTIONS and fit.alike >= MIN_SHARE_OF_FUNCTIONS) or (
            len(fit.functions) == most and not is_named_only
        ):
            by_functions.setdefault(fit.functions, []).append(name)
    chosen, unclear = [], []
    for names in by_functions.values():
        names.sort(key=lambda name: (name not in hinted, -fits[name].share, name))
        chosen.append(names[0])
        named = [name for name in names if name in hinted]
        if len(names) > 1 and len(named) != 1:
            unclear.append(tuple(names))
    return Fitting(tuple(sorted(chosen)), tuple(unclear), fits)
