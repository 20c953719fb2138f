"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from grader.sandbox.workers.file_worker import StudentFile
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

RIGHT, NO_ANSWER = "right", "error"
MEANING_OF_ANSWER = {True: RIGHT, False: "wrong", None: "cannot tell"}
VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


@dataclass
class VerifiedRow:
    """What the judge and the checker say of a gradient of the student's.

    `faults` are sentences about what the checker gets wrong; it has rejected `rejected` `of` so many broken copies.
    """

    row: str
    judged: str
    said: str
    rejected: int
    of: int
    faults: list[str]

    @property
    def agrees(self) -> bool:
        return self.said != NO_ANSWER and (self.said == RIGHT) == (self.judged == RIGHT)


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
    sizes = lesson.config.verification.sizes
    if other := next((each for each in named if each.number not in sizes), None):
        can = ", ".join(sizes)
        raise UserError(f"`dojo verify` can check the gradients of lessons {can}, but not of {other.number}.")
    chosen = [*named] or [each for each in at.course.lessons.values() if each.number in sizes]
    file, has_gradient = read_own(lesson), False
    with closing(Student(at.judge.zygote, StudentFile(file.files, BACKWARD_FILE))) as own:
        if own.load_failure is not None:
            reason = own.load_failure.message.rstrip(".")
            raise UserError(f"{file.shown} does not run: {reason}. Fix it first: dojo watch {lesson.number}")

        def ask(f: Function, x: Tensor, claim: Tensor) -> tuple[str, str]:
            return checker_answer(RemoteTarget(own), lesson, f, x.numpy(), claim.to(torch.float64).numpy())

        for each in chosen:
            if own_file(each).is_file() and not is_untouched(each, own_file(each).read_bytes()):
                checked = at.check(each, read_own(each))
                with at.busy(f"your checker is at work on lesson {each.number}"):
                    rows = list(verified_rows(at, checked, each.problem_at(sizes[each.number]), ask))
                has_gradient |= bool(rows)
                yield checked, rows
    if not has_gradient:
        numbers = ", ".join(each.number for each in chosen)
        raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")


def checker_answer(checker: RemoteTarget, lesson: Lesson, *of: object) -> tuple[str, str]:
    """(what the checker of `lesson` says `of` a claim, the fault where that is unusable). Raises UserError."""
    name = lesson.config.verification.function
    try:
        found = checker.call(name, *of)
    except CallFailed as error:
        if error.answer.outcome in UNWRITTEN:
            needed = f"`dojo verify` needs your `{name}` of lesson {lesson.number}, which is not written yet"
            raise UserError(f"{needed}: dojo watch {lesson.number}") from error
        why = error.answer.message or f"it did not finish ({error.answer.outcome})."
        return NO_ANSWER, f"it gives no answer: {inert(why)}"
    first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else NO_ANSWER
    first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
    if first is None or isinstance(first, bool):
        return MEANING_OF_ANSWER[first], ""
    return NO_ANSWER, "it gives no answer: it returned no pair (ok, error)."


def verified_rows(
    at: Desk, checked: Checked, problem: Problem, ask: Callable[[Function, Tensor, Tensor], tuple[str, str]]
) -> Iterator[VerifiedRow]:
    """Each gradient that the student's file gives at this problem; `ask` gives the checker's answer to a claim."""
    lesson, text = checked.lesson, (checked.lesson.exercise / "forward.py").read_text(encoding="utf-8")
    file = StudentFile(checked.submitted.files, BACKWARD_FILE, [item.name for item in lesson.gradients], lesson.joint)
    with closing(Student(at.judge.zygote, file)) as student:
        answers = student.answers(problem) if checked.judged.runs else {}
    judged = {row.name: RIGHT if row.status == "passed" else "wrong" for row in checked.judged.rows}
    for item in lesson.gradients:
        name, own = str(item.target), answers[item.name].tensor if item.name in answers else None
        if own is None:
            continue
        f = Function(loss_at, text=text, name=name, inputs=problem.inputs, ends=problem.ends, memory={})
        copies = broken_copies(problem, name)
        said, why = ask(f, problem.values[name], own)
        row = VerifiedRow(f"{lesson.number}.{item.name}", judged[item.name], said, 0, len(copies), [why] if why else [])
        if not why and not row.agrees:
            wrong = f'it says "{said}" of your gradient, which is right'
            row.faults.append("it accepts your gradient, which is wrong" if said == RIGHT else wrong)
        for what, copy in copies.items():
            answer, why = ask(f, problem.values[name], copy)
            row.rejected += answer not in (RIGHT, NO_ANSWER)
            if why or answer == RIGHT:
                row.faults.append(why or f"it accepts the right gradient {what}")
        yield row


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
    if lacking := [item.name for item in checked.lesson.gradients if item.name not in names]:
        yield Text(f"    {len(lacking)} without a value: {first_names(lacking)}", "dim")


def summary(rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """What the checker gets wrong, and how often it is right."""
    faults = dict[str, list[str]]()
    for row in rows:
        for fault in dict.fromkeys(row.faults):
            faults.setdefault(fault, []).append(row.row)
    if faults:
        yield Text("What your checker gets wrong:", "bold red")
        yield from (Paragraph(f"{first_names(names)}: {what}", indent=LIST_INDENT) for what, names in faults.items())
        yield ""
    yield Paragraph(
        f"Your checker agrees with the judge on {sum(row.agrees for row in rows)} of {len(rows)} of your "
        f"gradients, and it rejects {sum(row.rejected for row in rows)} of {sum(row.of for row in rows)} "
        "broken copies.",
        "bold" if faults else "bold green",
    )
    shows = "Your checker saw each gradient at one small problem: what is wrong only at other sizes, it cannot find."
    yield Paragraph(f"{shows} A broken copy is the right gradient with one mistake put into it.", "dim")
