"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import torch
from rich.console import RenderableType
from rich.text import Text
from torch import Tensor

from grader.calling.protocol import CallFailed, Function
from grader.dojo.desk import Desk
from grader.dojo.file import is_untouched, own_file, read_own
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.progress import Checked
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.inert import inert
from grader.reference.problem import Problem
from grader.results import UNWRITTEN
from grader.results.wording import first_names
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student, StudentFile

RIGHT, NO_ANSWER, NOT_ASKED = "right", "error", "not asked"
MEANING_OF_ANSWER = {True: RIGHT, False: "wrong", None: "cannot tell"}
JUDGED = {"passed": RIGHT, "failed": "wrong", "shape": "wrong"}
VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""
WHAT_IT_SHOWS = (
    "Your checker saw each gradient at one small problem: what is wrong only at other sizes, it cannot find. A broken "
    "copy is the right gradient with one mistake put into it."
)


@dataclass(frozen=True)
class VerifiedRow:
    """What the judge and the checker say of a gradient of the student's, which the checker may not have got.

    `faults` are sentences about what the checker gets wrong; it has rejected `rejected` `of` so many broken copies.
    """

    row: str
    judged: str
    said: str
    agrees: bool
    rejected: int
    of: int
    faults: list[str]


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
    large = torch.where(sizes > MIN_ELEMENT * sizes.max(), sizes, torch.inf)
    one.view(-1)[large.argsort()[int(large.isfinite().sum()) // 2]] = VISIBLE
    return {
        "with the opposite sign": -right,
        "times two": 2 * right,
        "with one element 5 % too large": right * (1 + one),
        "with one axis too many": right[None],
    }


def run_own_checker(at: Desk, named: Sequence[Lesson]) -> Iterator[tuple[Checked, list[VerifiedRow]]]:
    """Each lesson's check and what the student's checker says: of the `named` lessons, or of all that can be verified.

    Raises UserError where no lesson asks for a checker, for a lesson that has no gradients to verify, a checker that is
    not written or does not run, and where nothing is written.
    """
    lesson = next((each for each in at.course.lessons.values() if each.config.verification.function), None)
    if lesson is None:
        raise UserError("No lesson here asks for a gradient checker, so there is nothing to verify with.")
    function, sizes = lesson.config.verification.function, lesson.config.verification.sizes
    if other := next((each for each in named if each.number not in sizes), None):
        can = ", ".join(sizes)
        raise UserError(f"`dojo verify` can check the gradients of lessons {can}, but not of {other.number}.")
    chosen = [*named] or [each for each in at.course.lessons.values() if each.number in sizes]
    file, has_gradient = read_own(lesson), False
    with closing(Student(at.judge.zygote, StudentFile(file.files, BACKWARD_FILE))) as own:
        if own.load_failure is not None:
            reason = own.load_failure.message.rstrip(".")
            raise UserError(f"{file.shown} does not run: {reason}. Fix it first: dojo watch {lesson.number}")
        checker = OwnChecker(RemoteTarget(own), function, lesson.number)
        for each in chosen:
            if not own_file(each).is_file() or is_untouched(each, own_file(each).read_bytes()):
                continue
            checked, rows = at.check(each, read_own(each)), list[VerifiedRow]()
            if checked.judged.runs:
                with at.busy(f"your checker is at work on lesson {each.number}"):
                    rows = list(checker.rows(at, checked, each.problem_at(sizes[each.number])))
            has_gradient = has_gradient or any(row.said != NOT_ASKED for row in rows)
            yield checked, rows
    if not has_gradient:
        numbers = ", ".join(each.number for each in chosen)
        raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")


@dataclass(frozen=True)
class OwnChecker:
    """The student's checker: the function `name` of lesson `number`."""

    target: RemoteTarget
    name: str
    number: str

    def rows(self, at: Desk, checked: Checked, problem: Problem) -> Iterator[VerifiedRow]:
        """Each written gradient of a checked file, at this problem."""
        lesson, inputs = checked.lesson, problem.inputs
        text = (lesson.exercise / "forward.py").read_text(encoding="utf-8")
        judged = {
            row.name: JUDGED.get(row.status, "no value") for row in checked.judged.rows if row.status not in UNWRITTEN
        }
        steps = {item.name: str(item.target) for item in lesson.gradients}
        file = StudentFile(checked.submitted.files, BACKWARD_FILE, [*steps], lesson.joint)
        with closing(Student(at.judge.zygote, file)) as student:
            answers = student.answers(problem)
        for step in filter(judged.get, steps):
            name, own, faults = steps[step], answers[step].tensor, dict[str, None]()
            f = Function(loss_at, text=text, name=name, inputs=inputs, ends=problem.ends, memory={})
            said, rejected, copies = NOT_ASKED, 0, broken_copies(problem, name)
            if own is not None:
                said, why = self._answer(f, problem.values[name], own)
                if why or (said == RIGHT) != (judged[step] == RIGHT):
                    wrong = f'it says "{said}" of your gradient, which is right'
                    faults[why or ("it accepts your gradient, which is wrong" if said == RIGHT else wrong)] = None
            agrees = not faults
            for what, copy in copies.items():
                answer, why = self._answer(f, problem.values[name], copy)
                rejected += answer not in (RIGHT, NO_ANSWER)
                if why or answer == RIGHT:
                    faults[why or f"it accepts the right gradient {what}"] = None
            yield VerifiedRow(f"{lesson.number}.{step}", judged[step], said, agrees, rejected, len(copies), [*faults])

    def _answer(self, f: Function, x: Tensor, claim: Tensor) -> tuple[str, str]:
        """(what the checker says of a claim, the fault where it is unusable). UserError if it is not written."""
        try:
            found = self.target.call(self.name, f, x.numpy(), claim.to(torch.float64).numpy())
        except CallFailed as error:
            if error.answer.outcome in UNWRITTEN:
                raise UserError(
                    f"`dojo verify` needs your `{self.name}` of lesson {self.number}, which is not written yet: dojo "
                    f"watch {self.number}"
                ) from error
            why = error.answer.message or f"it did not finish ({error.answer.outcome})."
            return NO_ANSWER, f"it gives no answer: {inert(why)}"
        first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else NO_ANSWER
        first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
        if first is None or isinstance(first, bool):
            return MEANING_OF_ANSWER[first], ""
        return NO_ANSWER, "it gives no answer: it returned no pair (ok, error)."


def lesson_part(checked: Checked, rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """The table of one lesson."""
    yield Text(f"{checked.lesson.number} {checked.lesson.title}", "bold")
    if not checked.judged.runs:
        yield Paragraph(f"The file does not run: {inert(checked.judged.message or '')}", "bold red", LIST_INDENT)
        return
    if rows:
        yield Text(f"    {'row':<18}{'your checker':<14}{'the judge':<14}rejects broken copies", "dim")
    names = [row.row.partition(".")[2] for row in rows]
    for name, row in zip(names, rows, strict=True):
        line = Text(f"    {name:<18}")
        line.append(f"{row.said:<14}", "" if row.agrees else "bold red")
        line.append(f"{row.judged:<14}", "" if row.judged == RIGHT else "bold red")
        yield line.append(f"{row.rejected} of {row.of}", "bold red" if row.rejected < row.of else "")
    if todo := [item.name for item in checked.lesson.gradients if item.name not in names]:
        yield Text(f"    {len(todo)} not written yet: {first_names(todo)}", "dim")


def summary(rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """What the checker gets wrong, and how often it is right."""
    faults = dict[str, list[str]]()
    for row in rows:
        for fault in row.faults:
            faults.setdefault(fault, []).append(row.row)
    if faults:
        yield Text("What your checker gets wrong:", "bold red")
        yield from (Paragraph(f"{first_names(names)}: {what}", indent=LIST_INDENT) for what, names in faults.items())
        yield ""
    compared = [row for row in rows if row.said != NOT_ASKED]
    yield Paragraph(
        f"Your checker agrees with the judge on {sum(row.agrees for row in compared)} of {len(compared)} of your "
        f"gradients, and it rejects {sum(row.rejected for row in rows)} of {sum(row.of for row in rows)} "
        "broken copies.",
        "bold" if faults else "bold green",
    )
    yield Paragraph(WHAT_IT_SHOWS, "dim")
