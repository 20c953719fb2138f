"""Which lessons a file is for: those that the names in its path mention, and those whose functions it defines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from grader.intake.notebook.outline import FileOutline, OutlinedFunction, outline_limited
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

WORDS_BEFORE_A_NUMBER = "lesson|les|exercise|exercises|ex|homework|hw|assignment|assign|task|part|unit"
NUMBER_IN_A_NAME = re.compile(
    rf"(?:^|_)(?:(?:{WORDS_BEFORE_A_NUMBER})_?0*|backward_?0+|0)([1-9]\d?)(?=_|$)|^0*([1-9]\d?)(?=_|$)"
)
NUMBERED = re.compile(r"\d{1,2}(?:[_-]|$)")
OTHER_WORDS = ("backward", "solution", "copy", "final")
TAPED = re.compile(r"\bt\.([A-Za-z_]\w*)")
MIN_SHARE_OF_FUNCTIONS = 0.5
"""A file is for a lesson next to another one only if it defines this share of the lesson's functions."""

# By the names in its path: 03_makemore_steps, "Lesson 03", hw3_final_v2.py -------------------------------------------


def words_of_text(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def naming(name: str, lesson: Lesson) -> int:
    """3 for a file or folder with the lesson's name (03-Makemore-Steps, 03_makemore_steps_backward), 2 for its name
    without the number, 1 for its number, else 0.
    """
    words = words_of_text(name).removesuffix("_backward").removeprefix("backward_")
    number, _, rest = lesson.name.lower().partition("_")
    return {number: 1, rest: 2, lesson.name.lower(): 3}.get(words, 0)


def hinted_by(part: str, lessons: Sequence[Lesson]) -> set[str]:
    """The lessons that a folder's or file's name mentions: by name, else by number ("Lesson 03", "hw3_final_v2")."""
    plain = re.sub(r"(?<=[a-z])(?=\d)", "_", words_of_text(part))
    named = {lesson.name for lesson in lessons if f"_{lesson.name.partition('_')[2].lower()}_" in f"_{plain}_"}
    numbers = {int(one or other) for one, other in NUMBER_IN_A_NAME.findall(plain)}
    numbered = {lesson.name for lesson in lessons if lesson.number.isdigit() and int(lesson.number) in numbers}
    return (named & numbered) or named or numbered


def says_lesson(folder: str, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder's name mentions one of the lessons, or has a number as a lesson of another course has."""
    return NUMBERED.match(folder) is not None or bool(hinted_by(folder, lessons))


def is_only_lesson(name: str, lessons: Sequence[Lesson]) -> bool:
    """Whether a name contains only the name of a lesson: "Lesson 03", "03_makemore_steps-20261120", not "hw3_ann"."""
    words, hinted = set(re.findall("[a-z]+", name.lower())), hinted_by(name, lessons)
    known = {*WORDS_BEFORE_A_NUMBER.split("|"), *OTHER_WORDS}
    return any(words <= known.union(words_of_text(each.name).split("_")) for each in lessons if each.name in hinted)


# By its functions ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """How a file fits a lesson.

    Attributes:
        functions: {(a function of the lesson, which of the file's definitions of that name is the lesson's)}.
        share: of the lesson's functions.
        written: how many of them are not the stub's.
        alike: from 0 to 1, how much their parameters are the stub's.
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


class Fitting(NamedTuple):
    """The lessons that a file is for (of several that the same functions fit, the likeliest), and {lesson: its fit}."""

    lessons: tuple[str, ...]
    fits: Mapping[str, Fit]


@lru_cache(maxsize=256)
def lesson_names_of(lesson: Lesson) -> tuple[Mapping[str, frozenset[str]], frozenset[str]]:
    """({function of the stub: its parameters, of a class its methods}, all names that a function may request)."""
    stub = readable_text(lesson.pristine) or readable_text(lesson.exercise / BACKWARD_FILE)
    values = set(TAPED.findall(readable_text(lesson.exercise / "forward.py").decode("utf-8", "replace")))
    outline = outline_limited(stub, False)
    signatures = {name: each[-1].parameters or frozenset() for name, each in outline.functions.items()}
    requested = [signatures[name] for name, each in outline.functions.items() if not each[-1].is_class]
    return signatures, frozenset().union(values, {f"d{value}" for value in values}, *requested)


def readable_text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def fit_of(outline: FileOutline, lesson: Lesson) -> Fit | None:
    """How the file fits the lesson; None if it defines none of its functions.

    A gradient's function that requests a value by a name that the lesson does not have is another lesson's. So is a
    class that has none of the stub's methods. Of several definitions of one name the lesson's is the one with most of
    the stub's parameters or methods, and of equal ones the last.
    """
    if outline.functions.keys().isdisjoint(lesson.functions):
        return None
    gradients, (signatures, known) = {item.function for item in lesson.gradients}, lesson_names_of(lesson)
    chosen: dict[tuple[str, int], tuple[float, bool]] = {}
    for name in lesson.functions:
        wanted, definitions = signatures.get(name, frozenset()), list[tuple[float, int, bool]]()
        for number, each in enumerate(outline.functions.get(name, ())):
            own = each.parameters or frozenset()
            is_other_class = each.is_class and bool(own and wanted) and own.isdisjoint(wanted)
            if not is_other_class and (name not in gradients or own <= known):
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


def fitting_lessons(
    outline: FileOutline, lessons: Iterable[Lesson], hinted: Collection[str] = (), wanted: Collection[str] = ()
) -> Fitting:
    """The lessons that a file is for.

    `hinted` are those that its path names and `wanted` those of the run; they decide only between equals.
    """
    fits = {lesson.name: fit for lesson in lessons if (fit := fit_of(outline, lesson)) is not None}
    open_ = {name: fit for name, fit in fits.items() if not any(fit.is_explained_by(f) for f in fits.values())}
    most = max((len(fit.functions) for fit in open_.values()), default=0)
    likeliest = sorted(open_, key=lambda name: (name not in hinted, name not in wanted, -open_[name].share, name))
    found: dict[frozenset[tuple[str, int]], str] = {}
    for name, fit in ((name, open_[name]) for name in likeliest):
        is_its = min(fit.share, fit.alike) >= MIN_SHARE_OF_FUNCTIONS
        # a small part without a parameter of the stub's is a name only, such as the lecture's own `cmp`
        is_more_than_a_name = fit.share >= MIN_SHARE_OF_FUNCTIONS or fit.alike or name in hinted
        if is_its or (len(fit.functions) == most and is_more_than_a_name):
            found.setdefault(fit.functions, name)
    return Fitting(tuple(found.values()), fits)
