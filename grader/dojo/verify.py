"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

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

VISIBLE = 0.05
"""A broken copy differs from the right gradient by at least this share of some element: a checker can see it."""
MIN_ELEMENT = 1e-3
"""Of a gradient's largest element: values of the loss do not determine smaller ones well enough."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


@dataclass
class VerifiedRow:
    """A gradient of the student's: whether the checker `agrees` with the judge, how many broken copies it rejected.

    `faults` are sentences about what the checker gets wrong.
    """

    name: str
    agrees: bool = False
    rejected: int = 0
    copies: int = 0
    faults: list[str] = field(default_factory=list)


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


def run_own_checker(at: Desk, named: Sequence[Lesson]) -> Iterator[tuple[Lesson, list[VerifiedRow]]]:
    """What the student's checker says: of the `named` lessons, or of all that can be verified.

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

        def ask(f: Function, x: Tensor, claim: Tensor) -> tuple[bool | None, str]:
            return checker_answer(RemoteTarget(own), lesson, f, x.numpy(), claim.to(torch.float64).numpy())

        for each in chosen:
            if own_file(each).is_file() and not is_untouched(each, own_file(each).read_bytes()):
                checked = at.check(each, read_own(each))
                with at.busy(f"your checker is at work on lesson {each.number}"):
                    rows = list(verified_rows(at, checked, each.problem_at(sizes[each.number]), ask))
                has_gradient |= bool(rows)
                yield each, rows
    if not has_gradient:
        numbers = ", ".join(each.number for each in chosen)
        raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")


def checker_answer(checker: RemoteTarget, lesson: Lesson, *of: object) -> tuple[bool | None, str]:
    """(what the checker of `lesson` says `of` a claim, the fault where that is unusable). Raises UserError."""
    name = lesson.config.verification.function
    try:
        found = checker.call(name, *of)
    except CallFailed as error:
        if error.answer.outcome in UNWRITTEN:
            needed = f"`dojo verify` needs your `{name}` of lesson {lesson.number}, which is not written yet"
            raise UserError(f"{needed}: dojo watch {lesson.number}") from error
        why = error.answer.message or f"it did not finish ({error.answer.outcome})."
        return None, f"it gives no answer: {inert(why)}"
    first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else found
    first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
    is_pair = first is not found and (first is None or isinstance(first, bool))
    return (first, "") if is_pair else (None, "it gives no answer: it returned no pair (ok, error).")


def verified_rows(
    at: Desk, checked: Checked, problem: Problem, ask: Callable[[Function, Tensor, Tensor], tuple[bool | None, str]]
) -> Iterator[VerifiedRow]:
    """Each gradient that the student's file gives at this problem; `ask` gives the checker's answer to a claim."""
    lesson, text = checked.lesson, (checked.lesson.exercise / "forward.py").read_text(encoding="utf-8")
    file = StudentFile(checked.submitted.files, BACKWARD_FILE, [item.name for item in lesson.gradients], lesson.joint)
    with closing(Student(at.judge.zygote, file)) as student:
        answers = student.answers(problem) if checked.judged.runs else {}
    right = {row.name for row in checked.judged.rows if row.status == "passed"}
    for item in lesson.gradients:
        name, own = str(item.target), answers[item.name].tensor if item.name in answers else None
        if own is None:
            continue
        f = Function(loss_at, text=text, name=name, inputs=problem.inputs, ends=problem.ends, memory={})
        answer, why = ask(f, problem.values[name], own)
        row = VerifiedRow(f"{lesson.number}.{item.name}", not why and (answer is True) == (item.name in right))
        if not row.agrees:
            wrong = f"it {'rejects' if answer is False else 'cannot tell about'} your gradient, which is right"
            row.faults.append(why or ("it accepts your gradient, which is wrong" if answer else wrong))
        for what, copy in broken_copies(problem, name).items():
            answer, why = ask(f, problem.values[name], copy)
            row.copies += 1
            row.rejected += not why and answer is not True
            if why or answer:
                row.faults.append(why or f"it accepts the right gradient {what}")
        yield row


def summary(rows: Sequence[VerifiedRow]) -> Iterator[RenderableType]:
    """What the checker gets wrong, and how often it is right."""
    faults = dict[str, list[str]]()
    for row in rows:
        for fault in dict.fromkeys(row.faults):
            faults.setdefault(fault, []).append(row.name)
    if faults:
        yield Text("What your checker gets wrong:", "bold red")
        yield from (Paragraph(f"{first_names(names)}: {what}", indent=LIST_INDENT) for what, names in faults.items())
        yield ""
    yield Paragraph(
        f"Your checker agrees with the judge on {sum(row.agrees for row in rows)} of {len(rows)} of your gradients, "
        f"and it rejects {sum(row.rejected for row in rows)} of {sum(row.copies for row in rows)} broken copies.",
        "bold" if faults else "bold green",
    )
    shows = "Your checker saw each gradient at one small problem: what is wrong only at other sizes, it cannot find."
    yield Paragraph(f"{shows} A broken copy is the right gradient with one mistake put into it.", "dim")
