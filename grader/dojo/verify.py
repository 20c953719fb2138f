"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import torch
from rich.console import RenderableType
from rich.text import Text
from torch import Tensor

from grader.calling.protocol import CallFailed, Function
from grader.comparison.tensors import compare
from grader.dojo.desk import Checked, Desk
from grader.dojo.file import Outline, is_untouched, own_file, read_own
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.errors import UserError
from grader.lesson.lesson import Item, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert
from grader.reference.problem import Problem
from grader.results import UNWRITTEN
from grader.results.wording import first_names
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student, StudentFile

RIGHT, WRONG, UNSURE, NO_ANSWER = "right", "wrong", "cannot tell", "error"
"""What a checker says of a claim; the last where it gave no answer."""
MEANING_OF_ANSWER = {True: RIGHT, False: WRONG, None: UNSURE}
VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""
NAME, SAID = 18, 14
"""Columns of the table."""


@dataclass(frozen=True)
class VerifiedRow:
    """What the checker says about one gradient.

    Attributes:
        judged: the row's status in `dojo check`, over all public problems.
        said: what the checker says of the student's gradient; None where there is none to check.
        is_right_here: whether that gradient is right on the one problem that the checker sees.
        accepted, copies: the broken copies that the checker accepts, and the number of all that it was given.
        reason: why the checker gave no answer.
    """

    lesson: Lesson
    row: str
    judged: str
    said: str | None
    is_right_here: bool
    accepted: Sequence[str]
    unanswered: int
    copies: int
    reason: str

    @property
    def name(self) -> str:
        return f"{self.lesson.number}.{self.row}"

    @property
    def is_missed(self) -> bool:
        """Whether the gradient is wrong and the checker accepts it."""
        return self.said == RIGHT and self.judged != "passed"

    @property
    def is_rejected_wrongly(self) -> bool:
        return self.said in (WRONG, UNSURE) and self.judged == "passed"

    @property
    def rejected(self) -> int:
        return self.copies - len(self.accepted) - self.unanswered


def loss_at(x, *, text, name, inputs, ends, memory):  # type: ignore[no-untyped-def]
    """The loss as a function of one value `x` of a forward pass; it runs in the worker, made from its source.

    `text` is forward.py. What comes after the value is computed again. `ends` are {last value: its upstream gradient}.
    """
    import contextlib

    if not memory:
        exec(text, memory)
    x = torch.from_numpy(np.array(x, dtype=np.float64))  # type: ignore[name-defined]  # noqa: F821

    class Values:
        def __setattr__(self, key, value):  # type: ignore[no-untyped-def]
            self.__dict__[key] = x if key == name else value

        def fused(self):  # type: ignore[no-untyped-def]
            return contextlib.nullcontext()

    values = Values()
    for key, value in inputs.items():
        setattr(values, key, value)
    memory["forward"](values)
    return float(sum((getattr(values, key) * upstream).sum() for key, upstream in ends.items()))


class Checker:
    """The student's gradient checker: the function `name` of a file in a worker."""

    def __init__(self, lesson: Lesson, student: Student) -> None:
        self.name, self._lesson, self._target = lesson.config.verification.function, lesson, RemoteTarget(student)

    def says(self, f: Function, x: Tensor, claim: Tensor) -> tuple[str, str]:
        """(its answer, why it gave none). Raises UserError if the function is not written."""
        try:
            found = self._target.call(self.name, f, x.numpy(), claim.to(torch.float64).numpy())
        except CallFailed as error:
            if error.answer.outcome in UNWRITTEN:
                raise UserError(unwritten(self._lesson)) from error
            return NO_ANSWER, error.answer.message or f"it did not finish ({error.answer.outcome})."
        first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else NO_ANSWER
        first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
        if first is None or isinstance(first, bool):
            return MEANING_OF_ANSWER[first], ""
        return NO_ANSWER, "it returned no pair (ok, error)."


def broken_copies(problem: Problem, name: str) -> dict[str, Tensor]:
    """{what is wrong: a copy of d`name` that is wrong by enough to be seen}."""
    right = problem.reference(name)
    sizes = right.abs().flatten()
    largest = float(sizes.max())
    if largest <= ZERO_GRADIENT * max(1.0, problem.scale(name)):
        return {"with 0.05 in one place": at_one_place(right, 0, 0.05)}
    large = torch.nonzero(sizes > MIN_ELEMENT * largest).flatten()
    middle = int(large[sizes[large].argsort()[len(large) // 2]])
    copies = {
        "with the opposite sign": -right,
        "times two": 2 * right,
        "with one element 5 % too large": at_one_place(right, middle, VISIBLE * float(right.flatten()[middle])),
        "with one axis too many": right[None],
    }
    branches = problem.branches(name)
    for consumer, share in branches.items() if len(branches) > 1 else ():
        changed = (share.abs() > VISIBLE * right.abs()) & (right.abs() > MIN_ELEMENT * largest)
        if changed.any():
            copies[f"without the path through {consumer}"] = right - share
    return copies


def at_one_place(tensor: Tensor, place: int, more: float) -> Tensor:
    copy = tensor.clone()
    copy.view(-1)[place] += more
    return copy


def checker_lesson(at: Desk) -> Lesson:
    """The lesson in which the student writes a checker. Raises UserError without one, or if it is not written yet."""
    found = next((each for each in at.course.lessons.values() if each.config.verification.function), None)
    if found is None:
        raise UserError("No lesson here asks for a gradient checker, so there is nothing to verify with.")
    function, outline = found.config.verification.function, Outline(read_own(found).files[BACKWARD_FILE])
    if any(item.function == function and outline.is_unwritten(item) for item in found.items):
        raise UserError(unwritten(found))
    return found


def unwritten(lesson: Lesson) -> str:
    function, number = lesson.config.verification.function, lesson.number
    return f"`dojo verify` needs your `{function}` of lesson {number}, which is not written yet: dojo watch {number}"


def verify_lessons(at: Desk, named: Sequence[Lesson]) -> Iterator[tuple[Checked, list[VerifiedRow]]]:
    """Each lesson's check and what the student's checker says: of the `named` lessons or of all that can be verified.

    Raises UserError for a lesson that has no gradients to verify, a checker that is not written or does not run, and
    where nothing is written.
    """
    lesson = checker_lesson(at)
    sizes = lesson.config.verification.sizes
    for other in named:
        if other.number not in sizes:
            numbers = ", ".join(sizes)
            raise UserError(f"`dojo verify` can check the gradients of lessons {numbers}, but not of {other.number}.")
    chosen = list(named) or [each for each in at.course.lessons.values() if each.number in sizes]
    begun = [each for each in chosen if own_file(each).is_file() and not is_untouched(each, own_text(each))]
    is_compared = False
    for other in begun:
        checked, rows = at.check(other, read_own(other)), list[VerifiedRow]()
        if checked.judged.runs:
            with at.busy(f"your checker is at work on lesson {other.number}"):
                rows = list(verified_rows(at, lesson, checked, other.problem_at(sizes[other.number])))
        is_compared = is_compared or any(row.said for row in rows)
        yield checked, rows
    if not is_compared:
        numbers = ", ".join(each.number for each in chosen)
        raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")


def own_text(lesson: Lesson) -> bytes:
    return read_own(lesson).files[BACKWARD_FILE]


def verified_rows(at: Desk, checker_in: Lesson, checked: Checked, problem: Problem) -> Iterator[VerifiedRow]:
    """Each written gradient of a checked file. Raises UserError if the checker's file does not run."""
    lesson, zygote, submitted = checked.lesson, at.judge.zygote, read_own(checker_in)
    steps = [item.name for item in lesson.gradients]
    written = {row.name: row.status for row in checked.judged.rows if row.status not in UNWRITTEN}
    with ExitStack() as open_workers:
        file = StudentFile(checked.submitted.files, BACKWARD_FILE, steps, lesson.joint)
        answers = open_workers.enter_context(closing(Student(zygote, file))).answers(problem)
        own = open_workers.enter_context(closing(Student(zygote, StudentFile(submitted.files, BACKWARD_FILE))))
        if own.load_failure is not None:
            reason = own.load_failure.message.rstrip(".")
            raise UserError(f"{submitted.shown} does not run: {reason}. Fix it first: dojo watch {checker_in.number}")
        checker = Checker(checker_in, own)
        for item in lesson.gradients:
            if item.name in written:
                yield verified_row(checker, lesson, item, written[item.name], answers[item.name].tensor, problem)


def verified_row(
    checker: Checker, lesson: Lesson, item: Item, judged: str, gradient: Tensor | None, problem: Problem
) -> VerifiedRow:
    """What the checker says of the student's `gradient` and of broken copies of the right one."""
    target = item.target
    assert target is not None
    text = (lesson.exercise / "forward.py").read_text(encoding="utf-8")
    f = Function(loss_at, text=text, name=target, inputs=problem.inputs, ends=problem.ends, memory={})
    x, reference = problem.values[target], problem.reference(target)
    said, reason, is_right = None, "", False
    if gradient is not None:
        said, reason = checker.says(f, x, gradient)
        is_right = compare(gradient, reference, problem.scale(target)).passed
    found = {what: checker.says(f, x, copy) for what, copy in broken_copies(problem, target).items()}
    accepted = [what for what, (word, _) in found.items() if word == RIGHT]
    unanswered = [why for word, why in found.values() if word == NO_ANSWER]
    reason = reason or next(iter(unanswered), "")
    return VerifiedRow(lesson, item.name, judged, said, is_right, accepted, len(unanswered), len(found), reason)


# The screen ----------------------------------------------------------------------------------------------------------


def lesson_part(checked: Checked, rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """The table of one lesson."""
    yield Text(f"{checked.lesson.number} {checked.lesson.title}", "bold")
    if not checked.judged.runs:
        yield Paragraph(f"The file does not run: {inert(checked.judged.message or '')}", "bold red", LIST_INDENT)
        return
    if rows:
        yield Text(f"    {'row':<{NAME}}{'your checker':<{SAID}}{'the judge':<{SAID}}rejects broken copies", "dim")
    for row in rows:
        judge = {"passed": RIGHT, "failed": WRONG, "shape": WRONG}.get(row.judged, "no value")
        is_other = row.is_missed or row.is_rejected_wrongly or row.said == NO_ANSWER
        line = Text(f"    {row.row:<{NAME}}")
        line.append(f"{row.said or 'not asked':<{SAID}}", "bold red" if is_other else "")
        line.append(f"{judge:<{SAID}}", "" if judge == RIGHT else "bold red")
        yield line.append(f"{row.rejected} of {row.copies}", "" if row.rejected == row.copies else "bold red")
    todo = [item.name for item in checked.lesson.gradients if item.name not in {row.row for row in rows}]
    if todo:
        yield Text(f"    {len(todo)} not written yet: {first_names(todo)}", "dim")


def agrees_everywhere(rows: Sequence[VerifiedRow]) -> bool:
    """Whether the checker gave an answer everywhere, missed nothing and accepted everything that is right."""
    return not any(row.is_missed or row.is_rejected_wrongly or row.reason or row.accepted for row in rows)


def summary(rows: Sequence[VerifiedRow], function: str) -> Iterator[RenderableType]:
    """What the checker misses, rejects although it is right, and cannot answer; then how often it agrees."""
    missed, refused, unanswered = (dict[str, list[str]]() for _ in range(3))
    for row in rows:
        if row.is_missed:
            only_here = "wrong on other problems, and right on the only one that it sees"
            what = only_here if row.is_right_here else "wrong, and your checker accepts it"
            missed.setdefault(what, []).append(row.name)
        for what in row.accepted:
            missed.setdefault(f"it accepts the right gradient {what}", []).append(row.name)
        if row.is_rejected_wrongly:
            refused.setdefault(f'it says "{row.said}"', []).append(row.name)
        if row.reason:
            unanswered.setdefault(inert(row.reason), []).append(row.name)
    lists = {
        "What your checker misses:": missed,
        "Right gradients that it does not accept:": refused,
        "Where it gives no answer:": unanswered,
    }
    for heading, found in lists.items():
        if found:
            yield Text(heading, "bold red")
            yield from (Paragraph(f"{first_names(names)}: {what}", indent=LIST_INDENT) for what, names in found.items())
            yield ""
    compared = [row for row in rows if row.said is not None]
    other = [row for row in compared if row.is_missed or row.is_rejected_wrongly or row.said == NO_ANSWER]
    yield Paragraph(
        f"`{function}` agrees with the judge on {len(compared) - len(other)} of {len(compared)} of your gradients, and "
        f"it rejects {sum(row.rejected for row in rows)} of {sum(row.copies for row in rows)} broken copies.",
        "bold green" if agrees_everywhere(rows) else "bold",
    )
    yield Paragraph(
        "Your checker saw each gradient at one small problem. A broken copy is the right gradient with one mistake put "
        "into it.",
        "dim",
    )
