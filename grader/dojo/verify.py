"""`dojo verify`: a student's own gradient checker, called with the gradients of the student's other lessons.

The checker runs in a worker, as the student's gradients do. It gets the function that maps one value of a forward pass
to the loss, the value, and a claim: the student's own gradient, and after that broken copies of the right one. So it
shows what the checker accepts and what it would miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

import torch
from rich.console import RenderableType
from rich.text import Text
from torch import Tensor

from grader.calling.protocol import CallFailed, Function
from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.overview import LIST_INDENT, Paragraph
from grader.dojo.progress import Checked
from grader.dojo.work import Work
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert
from grader.reference.problem import Problem
from grader.results import UNWRITTEN
from grader.results.wording import first_names
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

ANSWERS: Mapping[bool | None, str] = {True: "accepts", False: "rejects", None: "cannot tell about"}
"""{the first value that a checker returns: what the checker does with a claim}"""
VISIBLE = 0.05
"""A copy differs from the right gradient by this share of its largest element, or more: a checker can see it."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


class Claim(NamedTuple):
    """A gradient for `row` that the checker was called with, and what the checker does with it.

    Attributes:
        what: "" for the student's own gradient; else how this copy of the right one is broken.
        is_right: by the judge.
        verdict: "accepts", "rejects", "cannot tell about", or why there is no usable answer.
    """

    row: str
    what: str
    is_right: bool
    verdict: str

    @property
    def is_agreed(self) -> bool:
        """Whether the checker agrees with the judge. A checker that cannot tell does not accept."""
        return self.verdict in ANSWERS.values() and (self.verdict == ANSWERS[True]) == self.is_right

    @property
    def fault(self) -> str:
        """What the checker gets wrong, as a sentence."""
        own = f"your gradient, which is {'right' if self.is_right else 'wrong'}"
        claim = f"the right gradient {self.what}" if self.what else own
        return f"it {self.verdict} {claim}" if self.verdict in ANSWERS.values() else f"it {self.verdict}"


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
    """{what is wrong: a copy of d`name`, in its shape or with one axis too many, wrong by enough to be seen}."""
    right = problem.reference(name)
    sizes, one = right.abs().flatten(), torch.zeros_like(right)
    one.view(-1)[sizes.argmax()] = VISIBLE
    if sizes.max() <= ZERO_GRADIENT * max(1.0, problem.scale(name)):
        return {"with 0.05 in one place": right + one}
    return {
        "with the opposite sign": -right,
        "times two": 2 * right,
        "with one element 5 % too large": right * (1 + one),
        "with one axis too many": right[None],
    }


def run_own_checker(at: Desk, named: Sequence[Lesson]) -> Iterator[tuple[Lesson, list[Claim]]]:
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
    work, file, has_gradient = Work(at), read_own(lesson), False
    with closing(Student(at.judge.zygote, file.files)) as own:
        if own.load_failure is not None:
            reason = own.load_failure.message.rstrip(".")
            raise UserError(f"{file.shown} does not run: {reason}. Fix it first: dojo watch {lesson.number}")
        ask = partial(checker_verdict, own, lesson)
        for each in chosen:
            if at.progress(each).begun:
                checked = work.check(each, working=False)
                with at.busy(f"your checker is at work on lesson {each.number}"):
                    claims = list(verified_claims(at, checked, each.problem_at(sizes[each.number]), ask))
                has_gradient |= bool(claims)
                yield each, claims
    if not has_gradient:
        numbers = ", ".join(each.number for each in chosen)
        raise UserError(f"There is no gradient to verify yet: none is written in lesson {numbers}.")


def checker_verdict(own: Student, lesson: Lesson, f: Function, x: Tensor, claim: Tensor) -> str:
    """What the student's checker does with a gradient of `f` at `x`: see Claim.verdict. Raises UserError."""
    name = lesson.config.verification.function
    try:
        found = RemoteTarget(own).call(name, f, x.numpy(), claim.to(torch.float64).numpy())
    except CallFailed as error:
        if error.answer.outcome in UNWRITTEN:
            needed = f"`dojo verify` needs your `{name}` of lesson {lesson.number}, which is not written yet"
            raise UserError(f"{needed}: dojo watch {lesson.number}") from error
        why = error.answer.message or f"it did not finish ({error.answer.outcome})."
        return f"gives no answer: {inert(why)}"
    first = found[0] if isinstance(found, (tuple, list)) and len(found) == 2 else found
    first = first.item() if hasattr(first, "item") and getattr(first, "size", 0) == 1 else first
    is_pair = first is not found and (first is None or isinstance(first, bool))
    return ANSWERS[first] if is_pair else "gives no answer: it returned no pair (ok, error)."


def verified_claims(
    at: Desk, checked: Checked, problem: Problem, ask: Callable[[Function, Tensor, Tensor], str]
) -> Iterator[Claim]:
    """Each gradient that the student's file gives at this problem, then its broken copies; `ask` gives the verdict."""
    lesson, text = checked.lesson, (checked.lesson.exercise / "forward.py").read_text(encoding="utf-8")
    steps = [item.name for item in lesson.gradients]
    with closing(Student(at.judge.zygote, checked.submitted.files, steps, lesson.joint)) as student:
        answers = student.answers(problem) if checked.judged.runs else {}
    right = {row.name for row in checked.judged.rows if row.status == "passed"}
    for item in lesson.gradients:
        name, own = str(item.target), answers[item.name].tensor if item.name in answers else None
        if own is None:
            continue
        f = Function(loss_at, text=text, name=name, inputs=problem.inputs, ends=problem.ends, memory={})
        row, x = f"{lesson.number}.{item.name}", problem.values[name]
        yield Claim(row, "", item.name in right, ask(f, x, own))
        for what, copy in broken_copies(problem, name).items():
            yield Claim(row, what, False, ask(f, x, copy))


def summary(claims: Sequence[Claim]) -> Iterator[RenderableType]:
    """What the checker gets wrong, and how often it is right."""
    faults = dict[str, dict[str, None]]()
    for claim in claims:
        if not claim.is_agreed:
            faults.setdefault(claim.fault, {})[claim.row] = None
    if faults:
        yield Text("What your checker gets wrong:", "bold red")
        lines = (f"{first_names([*rows])}: {fault}" for fault, rows in faults.items())
        yield from (Paragraph(line, indent=LIST_INDENT) for line in lines)
        yield ""
    own, copies = ([each.is_agreed for each in claims if bool(each.what) == broken] for broken in (False, True))
    yield Paragraph(
        f"Your checker agrees with the judge on {sum(own)} of {len(own)} of your gradients, "
        f"and it rejects {sum(copies)} of {len(copies)} broken copies.",
        "bold" if faults else "bold green",
    )
    shows = "Your checker saw each gradient at one small problem: what is wrong only at other sizes, it cannot find."
    yield Paragraph(f"{shows} A broken copy is the right gradient with one mistake put into it.", "dim")
