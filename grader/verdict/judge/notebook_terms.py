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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from torch import Size

from grader.calling.answer import Answer
from grader.comparison.tensors import differs_in_ones
from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import notebook_table
from grader.lesson.notebook_table import NotebookTable
from grader.reference.problem import Draw, Problem, derive
from grader.reference.runner import STRICT, Terms
from grader.results.wording import format_shape, listed
from grader.source.syntax import WrittenNumber

MAX_GROWTH = 100
"""How many times as many elements as at the lecture's sizes a problem may have, at most."""


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
    published = table_of(lesson).sizes
    growth = math.prod(max(1.0, n / published.get(size, n)) for size, n in sizes.items())
    return bool(sizes) and min(sizes.values()) > 1 and growth <= MAX_GROWTH


def table_of(lesson: Lesson) -> NotebookTable:
    """What the lesson takes from a notebook, with the sizes that a notebook may set; an empty table for nothing."""
    return notebook_table(lesson) or NotebookTable()


def is_published(lesson: Lesson, sizes: Mapping[str, int] | None) -> bool:
    """Whether these are the lecture's sizes, or none are given."""
    published = table_of(lesson).sizes
    return sizes is None or all(published.get(size) == value for size, value in sizes.items())


class OwnProblems(NamedTuple):
    """Problems at a notebook's sizes, and for each size those in which it alone is another."""

    same: Sequence[Problem]
    changed: Mapping[str, Sequence[Problem]]

    def fed(self, feed: Callable[[Problem], Problem]) -> OwnProblems:
        return OwnProblems([*map(feed, self.same)], {size: [*map(feed, each)] for size, each in self.changed.items()})


def own_problems(lesson: Lesson, draws: Sequence[Draw], sizes: Mapping[str, int], seed: int) -> OwnProblems:
    """Draws them. The hidden draws that decide are all made again at these sizes, with other seeds."""
    same: list[Problem] = []
    for number, draw in enumerate(draw for draw in draws if not draw.note):
        own, part = {**draw.sizes, **sizes}, derive(seed, lesson.name, "own sizes", number)
        try:
            same.append(lesson.problem(Draw(own, draw.change), part))
        except (IndexError, RuntimeError):  # a change that needs other sizes, as an index of its own
            same.append(lesson.problem(Draw(own), part))
    changed = {
        size: [lesson.problem(Draw(other), derive(seed, lesson.name, "other", size, other[size])) for other in others]
        for size, others in changed_sizes(sizes).items()
    }
    return OwnProblems(same, changed)


def changed_sizes(sizes: Mapping[str, int]) -> dict[str, list[dict[str, int]]]:
    """For each size the sizes with that one larger and, if it is above 2, smaller: where possible next to no other.

    Code that fails only where there are fewer parts fails at the smaller one.
    """

    def is_far(number: int) -> bool:
        return all(abs(number - value) > 1 for value in sizes.values())

    found = {}
    for size, value in sizes.items():
        others = [next(filter(is_far, itertools.count(value + 2)))]
        if value > 2:
            others.append(next(filter(is_far, range(value - 2, 1, -1)), value - 1))
        found[size] = [{**sizes, size: other} for other in others]
    return found


# Sizes that are numbers in the code -----------------------------------------------------------------------------------

MIN_HARD_CODED_SIZE = 3
"""The smallest size that formulas calculate with and that may be hard-coded."""


class Meaning(NamedTuple):
    """What a number in the code may stand for: 31 for `batch - 1`, 30 for `block × embedding`."""

    number: WrittenNumber
    sizes: tuple[str, ...]
    words: str

    @property
    def is_size(self) -> bool:
        """Whether the number is the size itself."""
        return self.words == self.sizes[0].replace("_", " ")

    def __str__(self) -> str:
        parts = " parts written one by one" if self.number.is_count else ""
        return f"{self.number.value:.6g}{parts} ({self.words})"


def meanings(number: WrittenNumber, sizes: Mapping[str, int]) -> Iterator[Meaning]:
    """What a number in the code may stand for, or 1 divided by it."""
    counts = [1] if number.is_count else range(1, len(sizes) + 1)
    several = [some for count in counts for some in itertools.combinations(sizes, count)]
    known = [
        (some, float(math.prod(sizes[size] for size in some)), " × ".join(some).replace("_", " ")) for some in several
    ]
    if not number.is_count:
        known += [(of, n - 1, f"{words} - 1") for of, n, words in known if len(of) == 1 and n > MIN_HARD_CODED_SIZE]
        known += [(of, 1 / n, f"1 / {words}") for of, n, words in known]
    for of, value, words in known:
        if math.isclose(number.value, value, rel_tol=1e-6):
            yield Meaning(number, of, words)


def note_on_sizes(lesson: Lesson, terms: Terms, row: str, is_right_with_another: Callable[[str], bool]) -> str | None:
    """A note on a row that is right at a notebook's own sizes: which of them are hard-coded, and where.

    `is_right_with_another` says whether it is right where one size alone is changed. None where no numbers in the code
    explain what is wrong. A size of two that formulas calculate with shows nothing: with two examples n - 1 and
    1 / (n - 1) are the same.
    """
    sizes, known = terms.sizes or {}, table_of(lesson)
    hard_coded = [size for size in sizes if not is_right_with_another(size)]
    calculated_with = set(known.scalars.values()) or set(sizes)
    if not hard_coded or any(sizes[size] < MIN_HARD_CODED_SIZE for size in calculated_with & set(hard_coded)):
        return None
    found = accounted_for(hard_coded, sizes, terms.numbers.get(row, ()))
    return size_remark(found, known.expressions) if found else None


def accounted_for(
    hard_coded: Collection[str], sizes: Mapping[str, int], numbers: Sequence[WrittenNumber]
) -> list[Meaning] | None:
    """The numbers by which these sizes are hard-coded, one for each; None where one of them is in no number.

    Sizes that are equal need a number each: one 64 is the batch size or the hidden size. A count explains a size that
    no literal explains.
    """
    found: list[Meaning] = []
    free = list(numbers)
    for size in sorted(hard_coded):
        meant = [each for number in numbers for each in meanings(number, sizes) if size in each.sizes]
        meant = [each for each in meant if each.number in free or len(each.sizes) > 1]
        if not meant:
            return None
        best = min(meant, key=lambda each: (each.number.is_count, len(each.sizes), not each.is_size))
        if best.number in free:
            free.remove(best.number)
        found.append(best)
    return found


def size_remark(found: Sequence[Meaning], expressions: Mapping[str, str]) -> str:
    """Which sizes are numbers in the code, where, and what gives the first of them at any size."""
    found = sorted(found, key=lambda each: (each.number.file, each.number.line))
    lines, file = list[str](), ""
    for (of, line), several in itertools.groupby(found, key=lambda each: (each.number.file, each.number.line)):
        texts = dict.fromkeys(map(str, several))
        lines.append(f"{'' if of == file else f'{of}, '}line {line}: {', '.join(texts)}")
        file = of
    are = "Sizes are" if len(set(map(str, found))) > 1 or len(lines) > 1 else "A size is"
    remark = f"Right at your notebook's own sizes. {are} hard-coded in {'; '.join(lines)}."
    first = next((each for each in found if each.is_size and each.sizes[0] in expressions), None)
    if first is None:
        return remark
    expression = expressions[first.sizes[0]]
    instead = f"`{expression}` in place of {first.number.value:.6g}"
    return f"{remark} {f'A loop over `range({expression})`' if first.number.is_count else instead} works at any size."


# Answers in another shape ---------------------------------------------------------------------------------------------


def reshaped(answer: Answer, shape: Size) -> Answer:
    """The answer in its value's shape, where only axes of length one differ."""
    if answer.tensor is None or not differs_in_ones(answer.tensor.shape, shape):
        return answer
    return answer._replace(tensor=answer.tensor.reshape(shape))


def shape_remark(step: str, answer: Answer, expected: Size) -> str:
    """A note on right numbers in another shape; "" where the answer has the shape that is expected."""
    if answer.tensor is None or not differs_in_ones(answer.tensor.shape, expected):
        return ""
    found, own = format_shape(answer.tensor.shape), format_shape(expected)
    text = f"The numbers are right. `{step}` has shape {found}, `{step[1:]}` has shape {own}."
    return f"{text} Lines that use it may broadcast it differently."


# Upstream gradients in the shapes of the notebook ---------------------------------------------------------------------


class OwnShapes(NamedTuple):
    """{value: (its gradient's shape in the notebook, its own shape there)}, where they differ in axes of length one."""

    shapes: Mapping[str, tuple[Size, Size]]

    def problem(self, problem: Problem) -> Problem:
        """The same problem, whose steps are fed these gradients in the notebook's shapes."""
        fed = {}
        for name, (found, own) in self.shapes.items():
            lengths = problem.values[name].shape
            longer = iter([length for length, there in zip(lengths, own, strict=True) if there != 1])
            shape = [1 if there == 1 else next(longer) for there in found]
            if math.prod(shape) == math.prod(lengths):
                fed[name] = shape
        return problem.fed_in_shapes(fed)

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
    shapes: dict[str, tuple[Size, Size]] = {}
    for name in [name for name in published.graph.names if name in published.graph.above(target)]:
        answer, own = chain.get(f"d{name}"), published.values[name].shape
        if answer is not None and answer.tensor is not None and differs_in_ones(answer.tensor.shape, own):
            shapes[name] = answer.tensor.shape, own
    return OwnShapes(shapes) if shapes else None
