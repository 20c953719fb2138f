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

    def is_explained_by(self, other: Fit) -> bool:
        """Whether the other lesson has all of these functions, and more in common with the file."""
        if self.functions == other.functions:
            return other.share == 1 and self.share < 1
        return self.functions < other.functions and (other.share >= MIN_SHARE_OF_FUNCTIONS or self.share < 1)


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
    stub = readable_text(lesson.pristine) or readable_text(lesson.exercise / BACKWARD_FILE)
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
    chosen: dict[tuple[str, int], tuple[float, bool]] = {}
    for name in lesson.functions:
        wanted = names.signatures.get(name, frozenset())
        definitions = []
        for number, each in enumerate(outline.functions.get(name, ())):
            own = each.parameters or frozenset()
            is_other_class = each.is_class and bool(own and wanted) and own.isdisjoint(wanted)
            if not is_other_class and (any_parameters or name not in gradients or own <= names.known):
                definitions.append((likeness(each, wanted, name in gradients), number, each.written))
        if definitions:
            alike, number, written = max(definitions)
            chosen[name, number] = alike, written
    if not chosen:
        return None
    alike, written = (sum(each) for each in zip(*chosen.values(), strict=True))
    return Fit(frozenset(chosen), len(chosen) / len(lesson.functions), int(written), alike / len(chosen))


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
    """{lesson's name: how the file fits it}, without the lessons of which it defines no function."""
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
        is_its = min(fit.share, fit.alike) >= MIN_SHARE_OF_FUNCTIONS
        # a small part without a parameter of the stub's is a name only, such as the lecture's own `cmp`
        is_more_than_a_name = fit.share >= MIN_SHARE_OF_FUNCTIONS or fit.alike or name in hinted
        if is_its or (len(fit.functions) == most and is_more_than_a_name):
            by_functions.setdefault(fit.functions, []).append(name)
    chosen, unclear = [], []
    for names in by_functions.values():
        names.sort(key=lambda name: (name not in hinted, -fits[name].share, name))
        chosen.append(names[0])
        if len(names) > 1 and sum(name in hinted for name in names) != 1:
            unclear.append(tuple(names))
    return Fitting(tuple(sorted(chosen)), tuple(unclear), fits)
