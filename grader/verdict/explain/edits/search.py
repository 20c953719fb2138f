"""Which small change of a student's own code makes a wrong gradient right: the slip, in words.

Changed functions run in a worker, as the student's own do (`Trials`). A change is reported only if it gives the right
gradient on every deciding problem, so what the message says is true of the code and of the numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Protocol

from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.edits.changed_functions import SPOILT_OUTSIDE, Edit
from grader.verdict.explain.edits.coded_changes import SMALLEST_ORDINARY, Known
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.wrong_answer import Cases
from grader.verdict.judge.line import judge_line

MAX_OPERATORS = 200_000
"""What the changed functions of one search may dispatch, if each does as much as the student's own does. It bounds the
search where a function loops over elements, on every machine after the same number of changed functions."""
OPERATORS_OF_A_CALL = 100
"""Sending a call and comparing its answer takes as long as so many operators."""
BATCH = 12
"""Changed functions that are run in one round trip."""
SECOND_LOOK = 60
"""So many changed functions more are tried for another line that may hold the slip."""


class Trials(Protocol):
    """A student's functions with one change each (grader/gradebook/grading/trials.py)."""

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see contents.contents_of; None where that is not known."""

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        """The changes that can be tried, most likely slips first."""

    def target(self, function: str, number: int) -> Any:
        """A target (grader/calling/protocol.py) with the changed function as `function`; None if nothing is tried."""

    def operators(self, step: str, problem: Problem) -> int:
        """Aten operators that the student's own function dispatches for `step`."""

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        """The answers of the changed functions of these numbers."""


def changes_tried(
    steps: Sequence[str], cases: Cases, trials: Trials, numbers: Sequence[int]
) -> Iterator[tuple[int, bool]]:
    """(number, whether the changed function gives the right gradients of all `steps`), one after the other."""

    def elements(problem: Problem) -> int:
        return sum(value.numel() for value in problem.values.values() if isinstance(value, Tensor))

    smallest_first = sorted((problem for problem, _ in cases), key=elements)  # most run on one only
    for start in range(0, len(numbers), BATCH):
        if start and start * (OPERATORS_OF_A_CALL + trials.operators(steps[0], smallest_first[0])) > MAX_OPERATORS:
            break
        batch, hangs = numbers[start : start + BATCH], False
        left = batch
        for problem, step in product(smallest_first, steps):
            check_interrupt()
            found = trials.answers(step, problem, left) if left else {}
            hangs = hangs or any(answer.outcome == "timeout" for answer in found.values())
            left = [n for n in left if n in found and is_right(step, problem, found[n])]
        yield from ((n, n in left) for n in batch)
        if hangs:  # each of them takes as long as a step may
            break


def slips(tried: Iterable[tuple[int, bool]], edits: Sequence[Edit]) -> list[Edit]:
    """The first change that is right; and the first of another line, among the next ones: either may be the slip."""
    found, left = list[Edit](), SECOND_LOOK
    for number, is_right in tried:
        if is_right and (not found or may_be_either(found[0], edits[number])):
            found.append(edits[number])
        left -= 1 if found else 0
        if len(found) == 2 or not left or (found and found[0].kind == SPOILT_OUTSIDE):
            break
    return found


def is_right(step: str, problem: Problem, answer: Answer) -> bool:
    """Whether a gradient of floating-point numbers would pass. Without them, zeros by mistake equal zeros."""
    is_float = answer.tensor is not None and answer.tensor.is_floating_point()
    return is_float and judge_line(step[1:], [(problem, answer)]).passed


def may_be_either(one: Edit, other: Edit) -> bool:
    """Whether two changes undo the same: a sign, say, that was turned in one line and used in another."""
    are_signs = {one.kind, other.kind} == {"minus_too_many", "wrong_operator"}
    return one.line != other.line and (one.kind == other.kind or are_signs)


def explain_edits(edits: Sequence[Edit], it: str, question: str = "") -> Explanation | None:
    """The slip that a change undoes, in words; `it` is what becomes right. Another change may do the same."""
    if not edits:
        return None
    first, *others = edits
    texts = ["One of two lines is wrong." if others else "", first.message]
    same = "the same in another line."
    texts += [f"Or: {each.message if each.message != first.message else same}" for each in others]
    return Explanation(first.kind, " ".join(filter(None, [*texts, question])).replace("{it}", it), line=first.line)


def explain_contents(contents: Mapping[str, Any] | None) -> Explanation | None:
    """A function that draws random numbers: no change of it is right twice."""
    if contents is not None and (name := contents["random"]):
        text = f"`{name}` draws new numbers in each call. Which of the values that are given belongs there?"
        return Explanation("random_numbers", text)
    return None


def known_on(
    problem: Problem, step: str, constants: Sequence[float], right: Collection[str] = (), wrong: str | None = None
) -> Known:
    """What a step may read on a problem; `right` are the values whose gradients are. For the others see Known."""
    values, graph, is_alone = problem.values, problem.graph, problem.random_upstream
    shapes = {name: list(v.shape) if isinstance(v, Tensor) else [] for name, v in values.items()}
    shapes |= {f"d{name}": list(gradient.shape) for name, gradient in problem.fed.items() if is_alone}
    own = [v for v in values.values() if type(v) is float and 0 < v < SMALLEST_ORDINARY]
    known = Known(
        shapes={name: shape for name, shape in shapes.items() if name.isidentifier()},  # no `mid[0]`, of a list
        sizes=[n for n, v in values.items() if type(v) is int and v > 1],
        constants=tuple(dict.fromkeys((*constants, *own))),
        right=[f"d{name}" for name in right],
        wrong=wrong,
    )
    if is_alone:
        lines = [(f"d{each}", each, *sorted(graph.sources[each])) for each in graph.consumers.get(step[1:], ())]
        return replace(known, related=[*dict.fromkeys(name for line in lines for name in line)])
    return replace(
        known,
        returned=[f"d{name}" for name in graph.names],
        inner=[f"d{name}" for name in reversed(problem.finer.names) if name not in graph.inputs],
        forward=list(problem.finer.places),
    )
