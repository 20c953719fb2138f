"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from grader.calling.protocol import CallFailed, Function
from grader.comparison.tensors import compare
from grader.dojo.desk import Checked, Desk
from grader.dojo.file import Outline, is_untouched, own_file, read_own
from grader.errors import UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.results import UNWRITTEN
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.student_file import StudentFile

CheckerAnswer = Literal["right", "wrong", "cannot tell", "error"]
"""What a checker says of a claim; "error" where it gave no answer."""

MEANING_OF_CHECKER_ANSWER: Mapping[object, CheckerAnswer] = {True: "right", False: "wrong", None: "cannot tell"}
VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


Verified = Generator[tuple[Checked, "list[VerifiedRow]"], None, None]
"""(the check of a lesson, what the checker says of its rows), lesson by lesson."""


@dataclass(frozen=True)
class VerifiedRow:
    """What the checker says about one gradient.

    Attributes:
        judged: the row's status in `dojo check`, over all public problems.
        said: what the checker says of the student's gradient, None where there is none to check.
        agrees_here: whether that gradient is right on the one problem that the checker sees.
        broken: {what is wrong with a copy of the right gradient: what the checker says of the copy}.
        message: why the checker gave no answer.
        is_zero: whether the right gradient is zero except for rounding.
    """

    lesson: Lesson
    name: str
    judged: str
    said: CheckerAnswer | None = None
    agrees_here: bool = False
    broken: Mapping[str, CheckerAnswer] = field(default_factory=dict)
    message: str = ""
    is_zero: bool = False

    @property
    def disagrees(self) -> bool:
        """Whether the checker has said anything else of the gradient than the judge."""
        return self.is_missed or self.is_rejected_wrongly or self.said == "error"

    @property
    def is_missed(self) -> bool:
        """Whether the gradient is wrong and the checker accepts it."""
        return self.said == "right" and self.judged != "passed"

    @property
    def is_rejected_wrongly(self) -> bool:
        return self.said in ("wrong", "cannot tell") and self.judged == "passed"

    @property
    def accepted_copies(self) -> list[str]:
        return [what for what, said in self.broken.items() if said == "right"]


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
    """The student's gradient checker in a worker."""

    def __init__(self, zygote: ZygoteProcess, lesson: Lesson, submitted: LessonFiles) -> None:
        """Raises UserError if the file does not run."""
        self._function, self._lesson = lesson.config.verification.function, lesson
        self._student = Student(zygote, StudentFile(submitted.files, BACKWARD_FILE))
        self._target = RemoteTarget(self._student)
        failure = self._student.load_failure
        if failure is not None:
            self.close()
            reason = failure.message.rstrip(".")
            raise UserError(f"{submitted.shown} does not run: {reason}. Fix it first: dojo watch {lesson.number}")

    def close(self) -> None:
        self._student.close()

    def says(self, f: Function, x: Tensor, claim: Tensor) -> tuple[CheckerAnswer, str]:
        """(its answer, why it gave none). Raises UserError if the function is not written."""
        name = self._function
        try:
            found = self._target.call(name, f, x.numpy(), claim.to(torch.float64).numpy())
        except CallFailed as error:
            if error.answer.outcome in UNWRITTEN:
                raise UserError(unwritten(self._lesson)) from error
            return "error", error.answer.message or f"it did not finish ({error.answer.outcome})."
        first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else found
        first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
        is_pair = first is not found and (first is None or isinstance(first, bool))
        return (MEANING_OF_CHECKER_ANSWER[first], "") if is_pair else ("error", "it returned no pair (ok, error).")


def run_checker(
    zygote: ZygoteProcess, checker: Checker, checked: Checked, sizes: Mapping[str, int | float]
) -> Iterator[VerifiedRow]:
    """Each gradient of a checked file, at small `sizes`: what the checker says of it and of broken copies."""
    lesson, submitted = checked.lesson, checked.submitted
    problem: Problem = lesson.problem_at(sizes)
    steps = [item.name for item in lesson.gradients]
    student = Student(zygote, StudentFile(submitted.files, BACKWARD_FILE, steps, lesson.joint))
    try:
        answers = student.answers(problem)
        judged = {row.name: row.status for row in checked.judged.rows}
        for item in lesson.gradients:
            if judged[item.name] in UNWRITTEN:
                yield VerifiedRow(lesson, item.name, "todo")
                continue
            assert item.target is not None
            f, x = loss_of(problem, lesson, item.target), problem.values[item.target]
            said: CheckerAnswer | None = None
            message, is_right = "", False
            answer = answers[item.name]
            if answer.tensor is not None:
                said, message = checker.says(f, x, answer.tensor)
                is_right = compare(answer.tensor, problem.reference(item.target), problem.scale(item.target)).passed
            broken = {}
            for what, copy in broken_copies(problem, item.target).items():
                broken[what], reason = checker.says(f, x, copy)
                message = message or reason
            zero = is_zero(problem, item.target)
            yield VerifiedRow(lesson, item.name, judged[item.name], said, is_right, broken, message, zero)
    finally:
        student.close()


def loss_of(problem: Problem, lesson: Lesson, name: str) -> Function:
    """The loss as a function of the value `name`."""
    text = (lesson.exercise / "forward.py").read_text(encoding="utf-8")
    return Function(loss_at, text=text, name=name, inputs=problem.inputs, ends=problem.ends, memory={})


def broken_copies(problem: Problem, name: str) -> dict[str, Tensor]:
    """{what is wrong: a copy of d`name` that is wrong by enough to be seen}."""
    right = problem.reference(name)
    largest = float(right.abs().max())
    if is_zero(problem, name):
        return {"with 0.05 in one place": at_one_place(right, 0, 0.05)}
    sizes = right.abs().flatten()
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


def is_zero(problem: Problem, name: str) -> bool:
    """Whether d`name` is zero except for rounding."""
    return float(problem.reference(name).abs().max()) <= ZERO_GRADIENT * max(1.0, problem.scale(name))


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


def verify_lessons(at: Desk, named: Sequence[Lesson]) -> tuple[str, Verified]:
    """(the name of the student's checker, each lesson's result), for the `named` lessons or all that can be verified.

    Raises UserError: at once for a lesson that has no gradients to verify, a checker that is not written or does not
    run, and where nothing is written.
    """
    lesson = checker_lesson(at)
    sizes = lesson.config.verification.sizes
    for other in named:
        if other.number not in sizes:
            numbers = ", ".join(sizes)
            raise UserError(f"`dojo verify` can check the gradients of lessons {numbers}, but not of {other.number}.")
    chosen = list(named) or [each for each in at.course.lessons.values() if each.number in sizes]
    begun = [
        each
        for each in chosen
        if own_file(each).is_file() and not is_untouched(each, read_own(each).files[BACKWARD_FILE])
    ]
    if not begun:
        raise UserError(nothing_to_verify(chosen))
    return lesson.config.verification.function, verify_rows(at, lesson, begun)


def nothing_to_verify(lessons: Sequence[Lesson]) -> str:
    """The sentence for lessons in which no gradient is written."""
    numbers = ", ".join(lesson.number for lesson in lessons)
    return f"There is no gradient to verify yet: none is written in lesson {numbers}."


def verify_rows(at: Desk, lesson: Lesson, others: Sequence[Lesson]) -> Verified:
    for other in others:
        checked = at.check(other, read_own(other))
        rows = []
        if checked.judged.runs:
            zygote, sizes = at.judge.zygote, lesson.config.verification.sizes[other.number]
            working = at.busy(f"your checker is at work on lesson {other.number}")
            with closing(Checker(zygote, lesson, read_own(lesson))) as checker, working:
                rows = list(run_checker(zygote, checker, checked, sizes))
        yield checked, rows
