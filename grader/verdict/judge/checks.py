"""The fixture `check` of a test suite: scenarios of calls whose results are compared with a reference's."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, NoReturn

import torch

from grader.calling.answer import Answer
from grader.calling.protocol import CallFailed, CallRequest, Measurement
from grader.calling.target import ModuleTarget, Target
from grader.comparison.tensors import TOLERANCE
from grader.comparison.trees import Agreement, agreement, bits_of, in_parts, kind_in_words, shown
from grader.errors import GraderFault, Interrupted, LessonError
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import derive
from grader.reference.runner import StepRunner
from grader.results import Status
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.line import STATUS_OF
from grader.verdict.judge.notebook_terms import changed_sizes, note_on_sizes
from grader.verdict.judge.problems import ProblemBook

Scenario = Callable[..., Any]
"""`scenario(on, generator, **draw)`: calls functions of the target `on` and returns a tree of their results."""

Test = Callable[["Check"], None]
"""A test of a suite or an example, with the `check` fixture."""

Draws = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Assertion:
    """One `check.agrees(...)` in a test. `number` tells those of one test apart; secret generators depend on it."""

    scenario: Scenario
    draws: Draws
    reference: Any  # the module or class with the reference's functions
    tolerance: float
    number: object

    def key(self, at: int) -> tuple[Any, ...]:
        """The key of the draw at that place, under which the reference's value of it is kept."""
        return self.number, at, draw_identity(self.draws[at])


class ScenarioResult(NamedTuple):
    """What a scenario gave on one draw: of the student's functions, of the reference's, and how they compare.

    `first_call` is the place of the scenario's first call among all values that the student's functions returned.
    """

    draw: Mapping[str, Any]
    found: Any
    expected: Any
    agreement: Agreement
    first_call: int = 0


class CheckFailed(Exception):
    """Ends a check's test; its text is the sentence of the row, `status` the row's.

    Attributes:
        compared: the assertion that does not hold (None for one on a single result), with the results on its draws.
        call: a call that gave no value, and a text that says on which draw.
    """

    def __init__(
        self,
        message: str,
        status: Status = "failed",
        mistake: str | None = None,
        line: int | None = None,
        compared: tuple[Assertion | None, Sequence[ScenarioResult]] | None = None,
        call: tuple[Answer, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.mistake, self.line, self.compared, self.call = mistake, line, compared, call


class ReferenceFailed(LessonError):
    """A scenario does not run on the course's own functions: a fault of the course, never the student's."""


OURS = (LessonError, GraderFault, Interrupted)
"""Errors in a test that the student's code has not caused."""


class Check:
    """The fixture of one check. Its row has the name of the test without `test_`. `on` is the target under test."""

    def __init__(
        self, lesson: Lesson, item: Item, student: StepRunner, on: Target, book: ProblemBook, on_every_draw: bool = True
    ) -> None:
        """Unless it runs `on_every_draw`, it stops at the first one that fails."""
        self.lesson, self.item, self.on_every_draw = lesson, item, on_every_draw
        self.on = on.record(self.signatures)
        self.student, self.book = student, book
        self._consulted: list[GradientCheck] = []
        self._numbers = itertools.count()
        self.error: float | None = None
        self.compared_bits = 0  # of what was expected
        self.remark: str | None = None  # about a row that passes

    def again_on(self, target: Target, item: Item | None = None) -> Check:
        """Return the same check of other functions, or another one; it stops at the first draw that fails."""
        return type(self)(self.lesson, item or self.item, self.student, target, self.book, False)

    @property
    def signatures(self) -> Any:
        """The namespace whose functions and classes give the parameters their names."""
        return self.lesson.answers

    def gradient(self, name: str) -> GradientCheck:
        """The check of one of the lesson's gradients.

        Where it has no value, `fail` gives its status to the row.
        """
        gradient = GradientCheck(self.lesson, self.lesson.item_for(name), self.student, self.book)
        self._consulted.append(gradient)
        return gradient

    def fail(self, message: str, mistake: str | None = None, status: Status = "failed") -> NoReturn:
        """End the check by raising CheckFailed. `message` is for the student, `mistake` the id of a known mistake.

        The row gets the status of a gradient that the check has used and that has no value (missing, error, timeout).
        The row of a function that is missing has no message of the check: it says only that, see `explain_missing`.
        """
        unknown = next((g for g in self._consulted if g.status not in ("passed", "failed", "shape")), None)
        if unknown is not None and unknown.status == "missing":
            message = ""
        raise CheckFailed(message, status if unknown is None else unknown.status, mistake)

    def generator(self, *parts: object) -> torch.Generator:
        """Return a secret generator for one purpose, the same for every student of this run."""
        return torch.Generator().manual_seed(derive(self.book.seed, self.lesson.name, self.item.name, *parts))

    def reference(self, assertion: Assertion, at: int) -> tuple[Any, Target]:
        """What the scenario gives on the reference, and the target with its calls. Raises ReferenceFailed."""
        key = assertion.key(at)

        def compute() -> tuple[Any, Target]:
            listening = ModuleTarget(assertion.reference).record(self.signatures)
            try:
                return assertion.scenario(listening, self.generator(*key), **assertion.draws[at]), listening
            except Exception as error:
                raise ReferenceFailed(
                    f"test_{self.item.name} of {self.lesson.name}: its scenario raises {type(error).__name__} on the "
                    "course's own functions."
                ) from error

        found: tuple[Any, Target] = self.book.value((self.lesson.name, self.item.name, *key), compute)
        return found

    def measured(
        self,
        name: str,
        given: Callable[..., Sequence[Any]],
        sizes: Mapping[str, Any],
        yardstick: str,
        cpu_ratio: float | None = None,
    ) -> Measurement:
        """The student's `name(*given(generator, **sizes))`, called once in a worker of its own, and what it took.

        `yardstick` is the text of a file with a function of the same name, which is called with the same arguments.
        `.extra_bytes` is the memory that the student's call takes beyond it. With `cpu_ratio`, processor time is
        measured instead: `.cpu_ratio` is a multiple of the yardstick's, and a call above the given one is measured up
        to four more times, for the smallest. Both come from the kernel, so no code of the student's can change them.
        Rows that measure the same call share one measurement. Raises CallFailed.
        """
        key = (self.lesson.name, name, given.__qualname__, draw_identity(sizes))
        arguments = self.once(given, sizes)
        self.on.note(CallRequest(name, arguments))
        return self.on.measured(key, name, list(arguments), yardstick, cpu_ratio)

    def once(self, make: Callable[..., Any], sizes: Mapping[str, Any]) -> Any:
        """`make(generator, **sizes)`, made once per run; equal sizes have equal generators."""
        drawn = (self.lesson.name, draw_identity(sizes))
        seed = derive(self.book.seed, *drawn)
        return self.book.value((*drawn, make.__qualname__), lambda: make(torch.Generator().manual_seed(seed), **sizes))

    def agrees(
        self, scenario: Scenario, draws: Draws = ({},), reference: Any = None, tolerance: float = TOLERANCE
    ) -> None:
        """Run `scenario(on, generator, **draw)` on the student and on the reference. End the check where they differ.

        `reference` has the functions as attributes; it is the answer key unless one is given. What comes back may be a
        tree of tensors, numbers, texts, lists, tuples and dicts, whose keys name the parts in messages.
        """
        namespace = self.lesson.answers if reference is None else reference
        assertion = Assertion(scenario, draws, namespace, tolerance, next(self._numbers))
        try:
            self._compare(assertion)
        except CheckFailed:
            if not self._agrees_at_own_sizes(assertion):
                raise

    def _agrees_at_own_sizes(self, assertion: Assertion) -> bool:
        """Whether it agrees at the sizes of a notebook in which they are hard-coded; see notebook_terms."""
        terms = self.student.terms
        sizes, others = terms.sizes or {}, changed_sizes(terms.sizes or {})
        used = sizes.keys() & {name for draw in assertion.draws for name in draw}

        def agrees(part: object, at: Sequence[Mapping[str, int]]) -> bool:
            draws = [{**draw, **{k: each[k] for k in draw if k in each}} for draw in assertion.draws for each in at]
            try:
                self._compare(replace(assertion, draws=draws, number=(part, assertion.number)))
            except CheckFailed:
                return False
            return True

        if used and agrees("own sizes", [sizes]):
            self.remark = note_on_sizes(
                self.lesson, terms, self.item.name, lambda size: size not in used or agrees(size, others[size])
            )
        return self.remark is not None

    def _compare(self, assertion: Assertion) -> None:
        """Compare the student's results with the reference's on every draw. Raises CheckFailed where they differ."""
        results: list[ScenarioResult] = []
        for at, draw in enumerate(assertion.draws):
            expected, _ = self.reference(assertion, at)
            first_call = len(self.on.returned_values)
            found = self._student_value(assertion, at)
            self.compared_bits += bits_of(expected)
            compared = agreement(found, expected, assertion.tolerance, self.on.low_precision)
            results.append(ScenarioResult(draw, found, expected, compared, first_call))
            if not (compared.holds or self.on_every_draw):
                break
        errors = [result.agreement.error for result in results]
        self.error = max((error for error in errors if error is not None), default=self.error)
        failing = [
            (describe_draw(each.draw), each.agreement.findings[0]) for each in results if not each.agreement.holds
        ]
        if not failing:
            return
        status: Status = "shape" if any(finding.stage == "shape" for _, finding in failing) else "failed"
        where, message, right = failing[0][0], failing[0][1].message, len(results) - len(failing)
        if where and right:
            message = f"{message} {right_on(right, len(results), where)}"
        raise CheckFailed(message, status, compared=(assertion, results))

    def _student_value(self, assertion: Assertion, at: int) -> Any:
        """What the scenario gives on the student's functions. Raises CheckFailed where they fail."""
        draw, before = assertion.draws[at], len(self.on.returned_values)
        try:
            return assertion.scenario(self.on, self.generator(*assertion.key(at)), **draw)
        except CallFailed as failed:
            where = describe_draw(draw) if failed.answer.outcome == "raised" else ""
            raise failed_call(failed, f"With {where}: " if where else "") from failed
        except OURS:
            raise
        except Exception as error:  # the suite could not work with what the student returned
            place = len(self.on.returned_values) - before - 1
            raise self.unusable(self.reference(assertion, at)[1].returned_values[place : place + 1]) from error

    def unusable(self, expected: Sequence[tuple[str, Any]] = ()) -> CheckFailed:
        """The end of a check whose test raised an error while it used a value that the student returned.

        `expected` is what the reference returned from the same call, where that is known. The message leaves out the
        text of the error, which is about the code of a hidden suite.
        """
        if not self.on.returned_values:
            return CheckFailed(f"What `{self.item.function}` does is not what was expected.", "shape")
        name, value = self.on.returned_values[-1]
        right = expected[0][1] if expected and expected[0][0] == name else value
        if shown(value) != shown(right) and type(value) is not type(right):
            return CheckFailed(f"`{name}` returned {shown(value)}; expected {shown(right)}.", "shape")
        wanted, differs = in_parts(right, kind_in_words), ", which is not what was expected"
        what = f"; expected {wanted}" if wanted != in_parts(value, kind_in_words) else differs
        return CheckFailed(f"`{name}` returned {in_parts(value)}{what}.", "shape")

    def is_sound(self, test: Test) -> bool:
        """Whether the test ends with a verdict when it runs on the reference. It is run once for all students.

        If so, an error that it raises on a student's functions comes from what they returned.
        """

        def compute() -> bool:
            try:
                test(Check(self.lesson, self.item, self.student, ModuleTarget(self.lesson.answers), self.book, False))
            except (CheckFailed, CallFailed):
                return True
            except Exception:
                return False
            return True

        return bool(self.book.value((self.lesson.name, self.item.name, "is sound"), compute))


def describe_draw(draw: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in draw.items() if isinstance(v, (int, float, str)))


def right_on(right: int, count: int, first: str) -> str:
    """A sentence on what is right on some of `count` problems; `first` are the sizes of the first wrong one."""
    return f"It is right on {right} of {count} problems; the first wrong one has {first}."


def failed_call(failed: CallFailed, where: str = "") -> CheckFailed:
    """The end of a check whose call gave no value."""
    answer = failed.answer
    message = "" if answer.outcome == "todo" else where + answer.message
    return CheckFailed(message, STATUS_OF[answer.outcome], line=answer.line, call=(answer, where))


def end_of(test: Test, check: Check) -> Exception | None:
    """How a test ends: None where the check holds."""
    try:
        test(check)
    except OURS:
        raise
    except Exception as error:
        return error
    return None


def run_check(test: Test, check: Check) -> CheckFailed | None:
    """How a test ends, run without pytest: None when the check holds. Its cause is the error of a test that raised."""
    end = end_of(test, check)
    if end is None or isinstance(end, CheckFailed):
        return end
    if isinstance(end, CallFailed):
        return failed_call(end)
    if not check.is_sound(test):
        raise end
    failed = check.unusable()
    failed.__cause__ = end
    return failed


def tests_of(suite: Any) -> dict[str, Test]:
    """{row's name: its test}, of a hidden suite's tests with the `check` fixture."""
    return {
        name.removeprefix("test_"): value
        for name, value in vars(suite).items()
        if name.startswith("test_") and callable(value) and "check" in inspect.signature(value).parameters
    }


def draw_identity(draw: Mapping[str, Any]) -> str:
    """The same text in every process: a function is represented by its name, as its repr contains an address."""
    return repr(sorted((k, getattr(v, "__qualname__", v)) for k, v in draw.items()))
