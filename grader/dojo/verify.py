"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import torch
from rich.console import RenderableType
from rich.text import Text
from torch import Tensor

from grader.calling.protocol import CallFailed, Function
from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.file import is_untouched, own_file, read_own
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert
from grader.reference.problem import Problem
from grader.results import UNWRITTEN
from grader.results.wording import first_names
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

RIGHT, NO_ANSWER = "right", "error"
MEANING_OF_ANSWER = {True: RIGHT, False: "wrong", None: "cannot tell"}
JUDGED = {"passed": RIGHT, "failed": "wrong", "shape": "wrong"}
VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


@dataclass(frozen=True)
class VerifiedRow:
    """What the checker says about one gradient.

    Attributes:
        number: the lesson's.
        judged: what the judge says, over all public problems.
        said: what the checker says of the student's gradient; None where there is none.
        copies: {what is wrong with a copy of the right gradient: what the checker says of it}.
        reason: why the checker gave no answer, where it gave none.
    """

    number: str
    row: str
    judged: str
    said: str | None
    copies: Mapping[str, str]
    reason: str

    @property
    def agrees(self) -> bool:
        """Whether the checker and the judge say the same of the student's gradient."""
        return self.said is None or (self.said != NO_ANSWER and (self.said == RIGHT) == (self.judged == RIGHT))

    @property
    def rejected(self) -> int:
        return sum(said not in (RIGHT, NO_ANSWER) for said in self.copies.values())

    @property
    def faults(self) -> list[str]:
        """What the checker gets wrong."""
        found = [f"it accepts the right gradient {what}" for what, said in self.copies.items() if said == RIGHT]
        if not self.agrees and self.said == RIGHT:
            found.insert(0, "it accepts your gradient, which is wrong")
        elif not self.agrees and self.said != NO_ANSWER:
            found.insert(0, f'it says "{self.said}" of your gradient, which is right')
        return found + ([f"it gives no answer: {inert(self.reason)}"] if self.reason else [])


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


def broken_copies(problem: Problem, name: str) -> dict[str, Tensor]:
    """{what is wrong: a copy of d`name` that is wrong by enough to be seen}."""
    right = problem.reference(name)
    sizes, one = right.abs().flatten(), torch.zeros_like(right)
    if sizes.max() <= ZERO_GRADIENT * max(1.0, problem.scale(name)):
        one.view(-1)[0] = VISIBLE
        return {"with 0.05 in one place": right + one}
    large = sizes > MIN_ELEMENT * sizes.max()
    one.view(-1)[torch.where(large, sizes, torch.inf).argsort()[int(large.sum()) // 2]] = VISIBLE
    copies = {
        "with the opposite sign": -right,
        "times two": 2 * right,
        "with one element 5 % too large": right * (1 + one),
        "with one axis too many": right[None],
    }
    branches = problem.branches(name)
    for consumer, share in branches.items() if len(branches) > 1 else ():
        if ((share.abs().flatten() > VISIBLE * sizes) & large).any():
            copies[f"without the path through {consumer}"] = right - share
    return copies


class OwnChecker:
    """The lesson in which the student writes a gradient checker, and what is done with it."""

    def __init__(self, at: Desk) -> None:
        """Raises UserError where no lesson asks for a checker."""
        found = next((each for each in at.course.lessons.values() if each.config.verification.function), None)
        if found is None:
            raise UserError("No lesson here asks for a gradient checker, so there is nothing to verify with.")
        self._at, self._lesson = at, found
        self.function, self._sizes = found.config.verification.function, found.config.verification.sizes

    def verify(self, named: Sequence[Lesson]) -> Iterator[tuple[Checked, list[VerifiedRow]]]:
        """Each lesson's check and what the checker says: of the `named` lessons, or of all that can be verified.

        Raises UserError for a lesson that has no gradients to verify, a checker that is not written or does not run,
        and where nothing is written.
        """
        at, number, file = self._at, self._lesson.number, read_own(self._lesson)
        for other in named:
            if other.number not in self._sizes:
                can = ", ".join(self._sizes)
                raise UserError(f"`dojo verify` can check the gradients of lessons {can}, but not of {other.number}.")
        chosen = list(named) or [each for each in at.course.lessons.values() if each.number in self._sizes]
        has_gradient = False
        with closing(Student(at.judge.zygote, StudentFile(file.files, BACKWARD_FILE))) as own:
            if own.load_failure is not None:
                reason = own.load_failure.message.rstrip(".")
                raise UserError(f"{file.shown} does not run: {reason}. Fix it first: dojo watch {number}")
            for other in chosen:
                if not own_file(other).is_file() or is_untouched(other, own_file(other).read_bytes()):
                    continue
                checked, rows = at.check(other, read_own(other)), list[VerifiedRow]()
                if checked.judged.runs:
                    with at.busy(f"your checker is at work on lesson {other.number}"):
                        rows = list(self._rows(RemoteTarget(own), checked))
                has_gradient = has_gradient or any(row.said for row in rows)
                yield checked, rows
        if not has_gradient:
            numbers = ", ".join(each.number for each in chosen)
            raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")

    def _rows(self, checker: RemoteTarget, checked: Checked) -> Iterator[VerifiedRow]:
        """Each written gradient of a checked file."""
        lesson, problem = checked.lesson, checked.lesson.problem_at(self._sizes[checked.lesson.number])
        text = (lesson.exercise / "forward.py").read_text(encoding="utf-8")
        statuses = {row.name: row.status for row in checked.judged.rows if row.status not in UNWRITTEN}
        steps = [item.name for item in lesson.gradients]
        file = StudentFile(checked.submitted.files, BACKWARD_FILE, steps, lesson.joint)
        with closing(Student(self._at.judge.zygote, file)) as student:
            answers = student.answers(problem)
        for item in lesson.gradients:
            if item.name not in statuses:
                continue
            target = str(item.target)
            f = Function(loss_at, text=text, name=target, inputs=problem.inputs, ends=problem.ends, memory={})
            claims = {"": answers[item.name].tensor} | dict(broken_copies(problem, target))
            said, reason = dict[str, str](), ""
            for what, claim in claims.items():
                if claim is not None:
                    said[what], why = self._answer(checker, f, problem.values[target], claim)
                    reason = reason or why
            judged = JUDGED.get(statuses[item.name], "no value")
            yield VerifiedRow(lesson.number, item.name, judged, said.pop("", None), said, reason)

    def _answer(self, checker: RemoteTarget, f: Function, x: Tensor, claim: Tensor) -> tuple[str, str]:
        """(what the checker says of a claim, why it gave no answer). Raises UserError if it is not written."""
        try:
            found = checker.call(self.function, f, x.numpy(), claim.to(torch.float64).numpy())
        except CallFailed as error:
            if error.answer.outcome in UNWRITTEN:
                number = self._lesson.number
                raise UserError(
                    f"`dojo verify` needs your `{self.function}` of lesson {number}, which is not written yet: dojo "
                    f"watch {number}"
                ) from error
            return NO_ANSWER, error.answer.message or f"it did not finish ({error.answer.outcome})."
        first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else NO_ANSWER
        first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
        if first is None or isinstance(first, bool):
            return MEANING_OF_ANSWER[first], ""
        return NO_ANSWER, "it returned no pair (ok, error)."


def lesson_part(checked: Checked, rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """The table of one lesson."""
    yield Text(f"{checked.lesson.number} {checked.lesson.title}", "bold")
    if not checked.judged.runs:
        yield Paragraph(f"The file does not run: {inert(checked.judged.message or '')}", "bold red", LIST_INDENT)
        return
    if rows:
        yield Text(f"    {'row':<18}{'your checker':<14}{'the judge':<14}rejects broken copies", "dim")
    for row in rows:
        line = Text(f"    {row.row:<18}")
        line.append(f"{row.said or 'not asked':<14}", "" if row.agrees else "bold red")
        line.append(f"{row.judged:<14}", "" if row.judged == RIGHT else "bold red")
        yield line.append(f"{row.rejected} of {len(row.copies)}", "bold red" if row.rejected < len(row.copies) else "")
    todo = [item.name for item in checked.lesson.gradients if item.name not in {row.row for row in rows}]
    if todo:
        yield Text(f"    {len(todo)} not written yet: {first_names(todo)}", "dim")


def summary(rows: Sequence[VerifiedRow], function: str) -> Iterator[RenderableType]:
    """What the checker gets wrong, and how often it is right."""
    faults = dict[str, list[str]]()
    for row in rows:
        for fault in row.faults:
            faults.setdefault(fault, []).append(f"{row.number}.{row.row}")
    if faults:
        yield Text("What your checker gets wrong:", "bold red")
        yield from (Paragraph(f"{first_names(names)}: {what}", indent=LIST_INDENT) for what, names in faults.items())
        yield ""
    compared = [row for row in rows if row.said is not None]
    yield Paragraph(
        f"`{function}` agrees with the judge on {sum(row.agrees for row in compared)} of {len(compared)} of your "
        f"gradients, and it rejects {sum(row.rejected for row in rows)} of {sum(len(row.copies) for row in rows)} "
        "broken copies.",
        "bold" if faults else "bold green",
    )
    yield Paragraph(
        "Your checker saw each gradient at one small problem: what is wrong only at other sizes, it cannot find. A "
        "broken copy is the right gradient with one mistake put into it.",
        "dim",
    )
