"""What a notebook may write differently from a stub: sizes as numbers, and shapes with other axes of length one.

`F.one_hot(Yb, 27)` is correct in a notebook whose vocabulary has 27 characters, and wrong in a function that must work
at any size. So a gradient of a notebook that is wrong on the hidden problems is judged again, on problems of the
notebook's own sizes, which are as secret and as random. It earns its points if

* it is right on all of these,
* and where one size alone is changed and it becomes wrong, the size is a number in its statements, or a count of parts
  that are written one by one (`x[0]`, `x[1]`, `x[2]`). A wrong formula that is right by chance at these sizes (divided
  by the hidden size, which happens to equal the batch size) has none.

Its lines are also judged with upstream gradients in the shapes that these have in the notebook.
`dlogit_maxes = -dnorm_logits.sum(1)` has shape (32,), and `logit_maxes` has shape (32, 1). Where that is accepted, the
line below it may say `dlogit_maxes[:, None]`, which is right in the notebook and wrong for a gradient of shape (32, 1).
The shapes come from the student's own chain. The numbers stay those of the problem.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from torch import Size, Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import differs_in_ones
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import PRIMES, notebook_table, sizes_in_length
from grader.lesson.notebook_table import LessonSizes
from grader.reference.problem import Draw, Problem, derive
from grader.results import NamedMistake
from grader.results.wording import format_shape, listed
from grader.source.syntax import WrittenNumber
from grader.verdict.judge.runner import STRICT, StepRunner, Terms

MAX_PROBLEM_ELEMENTS = 1 << 20
"""Elements of all forward values of one problem, some 45 times as many as at the lecture's sizes."""
MANY_ELEMENTS = 1 << 18
FEW_DRAWS = 3
"""Problems of that many elements that decide. Of smaller ones there are as many as hidden problems."""


def terms_of(
    lesson: Lesson, sizes: Mapping[str, int] | None, numbers: Mapping[str, Sequence[WrittenNumber]] | None = None
) -> Terms:
    """The terms of a submission by the course's settings.

    Without any settings: strict for functions, broadcast for a notebook or script in the lecture's style.

    Args:
        sizes: {size: its value} of a notebook; None for functions.
        numbers: {row: the numbers in its statements} of a notebook.
    """
    broadcast = lesson.settings.shape == "broadcast" or (lesson.settings.shape is None and sizes is not None)
    if sizes is None:
        return Terms(broadcast) if broadcast else STRICT
    return Terms(broadcast, sizes if are_drawable(lesson, sizes) else None, numbers or {}, is_notebook=True)


def are_drawable(lesson: Lesson, sizes: Mapping[str, int]) -> bool:
    """Whether a problem of these sizes is small enough to be drawn for one notebook."""
    if not sizes or min(sizes.values()) < 2:
        return False
    return is_published(lesson, sizes) or count_elements(lesson, sizes) <= MAX_PROBLEM_ELEMENTS


def count_elements(lesson: Lesson, sizes: Mapping[str, int]) -> int:
    """How many elements all forward values of a problem of these sizes have."""
    return sum(math.prod(sizes.get(size, 1) for axis in shape for size in axis) for shape in sizes_of_axes(lesson))


@lru_cache(maxsize=64)
def sizes_of_axes(lesson: Lesson) -> list[list[list[str]]]:
    """For each forward value, for each of its axes: the sizes whose product it is."""
    primes = dict(zip(notebook_sizes(lesson).published, PRIMES, strict=False))
    values = lesson.problem(Draw(primes), 0, random_upstream=False).values
    return [[sizes_in_length(n, primes) for n in value.shape] for value in values.values() if isinstance(value, Tensor)]


def notebook_sizes(lesson: Lesson) -> LessonSizes:
    """The sizes of the lesson that a notebook may set; none where the lesson takes nothing from a notebook."""
    table = notebook_table(lesson)
    return table.sizes if table else LessonSizes()


def is_published(lesson: Lesson, sizes: Mapping[str, int] | None) -> bool:
    """Whether these are the lecture's sizes, or none are given."""
    published = notebook_sizes(lesson).published
    return sizes is None or all(published.get(size) == value for size, value in sizes.items())


class OwnProblems(NamedTuple):
    """Problems at a notebook's sizes, and for each size one in which it alone is larger, and one where it is smaller.

    `lecture` is one at the lecture's sizes, where those are others.
    """

    same: list[Problem]
    larger: dict[str, Problem]
    smaller: dict[str, Problem]
    lecture: Problem | None = None

    @property
    def all(self) -> list[Problem]:
        return [*self.same, *self.larger.values(), *self.smaller.values(), *([self.lecture] if self.lecture else [])]


def own_problems(lesson: Lesson, draws: Sequence[Draw], sizes: Mapping[str, int], seed: int) -> OwnProblems:
    """Draws them. The hidden draws that decide are all made again at these sizes, with other seeds."""
    same: list[Problem] = []
    deciding = [draw for draw in draws if not draw.note]
    for number, draw in enumerate(deciding if count_elements(lesson, sizes) <= MANY_ELEMENTS else deciding[:FEW_DRAWS]):
        own = {**draw.sizes, **sizes}
        part = derive(seed, lesson.name, "own sizes", number)
        try:
            same.append(lesson.problem(Draw(own, draw.change), part))
        except (IndexError, RuntimeError):  # a change that needs other sizes, as an index of its own
            same.append(lesson.problem(Draw(own), part))
    larger, smaller = (
        {size: lesson.problem(Draw(other), derive(seed, lesson.name, label, size)) for size, other in changed.items()}
        for label, changed in (("other", larger_sizes(sizes)), ("smaller", smaller_sizes(sizes)))
    )
    lecture = None
    if not is_published(lesson, sizes):
        lecture = lesson.problem(Draw(), derive(seed, lesson.name, "the lecture's sizes"))
    return OwnProblems(same, larger, smaller, lecture)


def larger_sizes(sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """For each size the sizes with that one larger: a number that is neither of the others nor next to one."""
    return {
        size: {**sizes, size: next(n for n in itertools.count(value + 2) if is_far(n, sizes))}
        for size, value in sizes.items()
    }


def smaller_sizes(sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """For each size above 2 the sizes with that one smaller. Only code that fails at fewer parts fails there alone."""
    return {
        size: {**sizes, size: next((n for n in range(value - 2, 1, -1) if is_far(n, sizes)), value - 1)}
        for size, value in sizes.items()
        if value > 2
    }


def is_far(number: int, sizes: Mapping[str, int]) -> bool:
    """Whether it is none of the sizes and not next to one."""
    return all(abs(number - value) > 1 for value in sizes.values())


# Sizes that are numbers in the code -----------------------------------------------------------------------------------

MIN_HARD_CODED_SIZE = 3
"""The smallest size that formulas calculate with and that may be hard-coded."""


@dataclass(frozen=True)
class Meaning:
    """What a number in the code may stand for: 31 for `batch - 1`, 30 for `block × embedding`."""

    number: WrittenNumber
    sizes: tuple[str, ...]
    words: str

    @property
    def is_size(self) -> bool:
        """Whether the number is the size itself."""
        return self.words == size_words(self.sizes[0])

    @property
    def place(self) -> tuple[str, int]:
        return self.number.file, self.number.line

    def __str__(self) -> str:
        parts = " parts written one by one" if self.number.is_count else ""
        return f"{self.number.value:.6g}{parts} ({self.words})"


def meanings(number: WrittenNumber, sizes: Mapping[str, int]) -> list[Meaning]:
    """What a number in the code may stand for, or 1 divided by it."""
    if number.is_count:
        return [Meaning(number, (size,), size_words(size)) for size, n in sizes.items() if n == number.value]
    value = number.value if number.value >= 1 else 1 / number.value
    whole = round(value)
    if abs(value - whole) > 1e-6 * value:
        return []
    prefix = "" if number.value >= 1 else "1 / "
    found = [Meaning(number, (size,), prefix + size_words(size)) for size, n in sizes.items() if n == whole]
    found += [
        Meaning(number, (size,), f"{prefix}{size_words(size)} - 1")
        for size, n in sizes.items()
        if n - 1 == whole and n > MIN_HARD_CODED_SIZE
    ]
    for count in range(2, len(sizes) + 1):
        for some in itertools.combinations(sizes, count):
            if math.prod(sizes[size] for size in some) == whole:
                found.append(Meaning(number, some, prefix + " × ".join(map(size_words, some))))
    return found


def size_words(size: str) -> str:
    return size.replace("_", " ")


def hard_coded_numbers(lesson: Lesson, terms: Terms, row: str, hard_coded: Collection[str]) -> list[Meaning] | None:
    """The numbers in the row's statements by which these sizes are hard-coded; None where that explains nothing.

    A size of two that formulas calculate with shows nothing: with two examples n - 1 and 1 / (n - 1) are the same.
    """
    sizes = terms.sizes or {}
    calculated_with = set(notebook_sizes(lesson).scalars.values())
    if not hard_coded or any(
        sizes[size] < MIN_HARD_CODED_SIZE and size in (calculated_with or sizes) for size in hard_coded
    ):
        return None
    return accounted_for(hard_coded, sizes, terms.numbers.get(row, ()))


def accounted_for(
    hard_coded: Collection[str], sizes: Mapping[str, int], numbers: Sequence[WrittenNumber]
) -> list[Meaning] | None:
    """The numbers by which these sizes are hard-coded, one for each; None where one of them is in no number.

    Sizes that are equal need a number each: one 64 is the batch size or the hidden size. A count explains a size that
    no literal explains.
    """
    found: list[Meaning] = []
    used: set[int] = set()
    for size in sorted(hard_coded):
        candidates = [
            (place, meaning)
            for place, number in enumerate(numbers)
            for meaning in meanings(number, sizes)
            if size in meaning.sizes
        ]
        free = [(place, meaning) for place, meaning in candidates if place not in used or len(meaning.sizes) > 1]
        if not free:
            return None
        place, meaning = min(free, key=lambda each: (each[1].number.is_count, len(each[1].sizes), not each[1].is_size))
        used.add(place)
        found.append(meaning)
    return found


def right_at_the_lecture_sizes(step: str, sizes: Mapping[str, int], published: Mapping[str, int]) -> NamedMistake:
    """What is wrong with a gradient that is right at the lecture's sizes and not at those that the notebook sets."""
    other = ", ".join(f"{size_words(size)} {n}" for size, n in sizes.items() if published.get(size) != n)
    return NamedMistake(
        "sizes_of_the_lecture",
        f"Your `{step}` is right at the lecture's sizes. Your notebook sets others ({other}), and there it is wrong: "
        "is a number left over from the lecture?",
    )


def size_remark(found: Sequence[Meaning], expressions: Mapping[str, str]) -> str:
    """A note on sizes that are numbers in the code: which, where, and what gives the first of them at any size."""
    places: dict[tuple[str, int], list[str]] = {}
    found = sorted(found, key=lambda each: each.place)
    for meaning in found:
        shown = places.setdefault(meaning.place, [])
        if str(meaning) not in shown:
            shown.append(str(meaning))
    where, latest = "", ""
    for (file, line), shown in places.items():
        where += ("; " if where else "") + (f"line {line}" if file == latest else f"{file}, line {line}")
        where += ": " + ", ".join(shown)
        latest = file
    what = "Sizes are" if sum(map(len, places.values())) > 1 else "A size is"
    remark = f"Right at your notebook's own sizes. {what} hard-coded in {where}."
    for meaning in found:
        if meaning.is_size and meaning.sizes[0] in expressions:
            expression, number = expressions[meaning.sizes[0]], f"{meaning.number.value:.6g}"
            if meaning.number.is_count:
                return f"{remark} A loop over `range({expression})` works at any size."
            return f"{remark} `{expression}` in place of {number} works at any size."
    return remark


# Answers in another shape ---------------------------------------------------------------------------------------------


def in_other_shape(student: StepRunner, step: str, problem: Problem) -> Sequence[int] | None:
    """The shape of the student's answer, where it differs from the value's in axes of length one only."""
    answer = student.answers(problem)[step].tensor
    differs = answer is not None and differs_in_ones(answer.shape, problem.values[step[1:]].shape)
    return answer.shape if differs and answer is not None else None


def reshape_answer(answer: Answer, problem: Problem, step: str) -> Answer:
    """The answer in its value's shape, where it differs in axes of length one only."""
    if answer.tensor is None or not differs_in_ones(answer.tensor.shape, problem.values[step[1:]].shape):
        return answer
    return answer._replace(tensor=answer.tensor.reshape(problem.values[step[1:]].shape))


class ReshapedRunner:
    """A student whose answers to `step` have their value's shape, where only axes of length one are missing."""

    def __init__(self, student: StepRunner, step: str) -> None:
        self.student, self._step = student, step
        self.trials = getattr(student, "trials", None)

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        return {self._step: reshape_answer(self.student.answers(problem)[self._step], problem, self._step)}

    def prefetch(self, problems: Sequence[Problem]) -> None:
        self.student.prefetch(problems)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return reshape_answer(self.student.run_traced(problem, step), problem, step)


def shape_remark(step: str, shape: Sequence[int], expected: Sequence[int]) -> str:
    """A note on right numbers in another shape."""
    effect = (
        "Broadcasting hides the difference."
        if list(expected) == [1] * (len(expected) - len(shape)) + list(shape)
        else "Lines that use it may broadcast it differently."
    )
    return (
        f"The numbers are right. `{step}` has shape {format_shape(tuple(shape))}, `{step[1:]}` has shape "
        f"{format_shape(tuple(expected))}. {effect}"
    )


# Upstream gradients in the shapes of the notebook ---------------------------------------------------------------------


@dataclass(frozen=True)
class OwnShapes:
    """Upstream gradients whose shapes in a notebook differ from their values' in axes of length one.

    Attributes:
        axes: {value: for each axis of its gradient, which axis of the value it is; None for one of length one}.
        shapes: {value: (its gradient's shape in the notebook, its own shape there)}.
    """

    axes: Mapping[str, Sequence[int | None]]
    shapes: Mapping[str, tuple[Size, Size]]

    def problem(self, problem: Problem) -> Problem:
        """The same problem, whose steps are fed these gradients in the notebook's shapes."""
        shapes = {}
        for name, axes in self.axes.items():
            own = problem.values[name].shape
            shape = [1 if axis is None else own[axis] for axis in axes]
            if math.prod(shape) == math.prod(own):
                shapes[name] = shape
        return problem.fed_in_shapes(shapes)

    def problems(self, found: OwnProblems) -> OwnProblems:
        """The same for problems at a notebook's sizes."""
        larger, smaller = ({s: self.problem(p) for s, p in each.items()} for each in (found.larger, found.smaller))
        lecture = None if found.lecture is None else self.problem(found.lecture)
        return OwnProblems([self.problem(each) for each in found.same], larger, smaller, lecture)

    def remark(self, uses: Collection[str]) -> str:
        """A note on a line that is right with these gradients only; `uses` are the names that it reads."""
        used = [name for name in self.shapes if f"d{name}" in uses] or list(self.shapes)
        gradients = listed([f"`d{name}` of shape {format_shape(self.shapes[name][0])}" for name in used])
        own = f"the shape of `{used[0]}`, {format_shape(self.shapes[used[0]][1])}," if len(used) == 1 else ""
        return (
            f"Right with {gradients}, as in your notebook. With {own or 'the shapes of their values'} this line fails."
        )


def own_shapes(chain: Mapping[str, Answer], published: Problem, target: str) -> OwnShapes | None:
    """The shapes above d`target` that are a notebook's own; None where all are their values'.

    Args:
        chain: {step: its answer} in the student's own chain.
        published: a problem of the chain's sizes.
    """
    axes: dict[str, list[int | None]] = {}
    shapes: dict[str, tuple[Size, Size]] = {}
    for name in published.graph.names:
        answer = chain.get(f"d{name}")
        if name not in published.graph.above(target) or answer is None or answer.tensor is None:
            continue
        found, own = answer.tensor.shape, published.values[name].shape
        if differs_in_ones(found, own):
            longer = iter([axis for axis, length in enumerate(own) if length != 1])
            axes[name] = [None if length == 1 else next(longer) for length in found]
            shapes[name] = found, own
    return OwnShapes(axes, shapes) if axes else None
