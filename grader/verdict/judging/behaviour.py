"""What a hidden suite asks of a student about functions and classes: calls, compared with a reference's."""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch

from grader.calling.in_process import ModuleTarget
from grader.calling.protocol import CallFailed, Measurement
from grader.calling.recorder import Call, Listening, numbers_given, tensors_given
from grader.calling.target import Target
from grader.comparison.tensors import TOLERANCE
from grader.comparison.trees import Agreement, Finding, agreement, shown
from grader.errors import GraderFault, Interrupted
from grader.lesson.lesson import Item, Lesson, LessonError
from grader.lesson.mistakes import Mistake
from grader.reference.problem import derive
from grader.results import Status
from grader.verdict.diagnosis.errors.raised import Asked, meaning
from grader.verdict.diagnosis.evidence import Explanation
from grader.verdict.diagnosis.repairs.edits import Known
from grader.verdict.diagnosis.repairs.repairs import Trials, of_a_check
from grader.verdict.diagnosis.results.results import Outcome, explain_result
from grader.verdict.diagnosis.time_allowance import attempt, check_time
from grader.verdict.judging.gradient import GradientCheck
from grader.verdict.judging.hidden_problems import ProblemBook
from grader.verdict.judging.line import STATUS_OF
from grader.verdict.judging.own_sizes import STRICT, expressions_of, hard_coded_numbers, size_remark, varied
from grader.verdict.judging.pictures import curve_picture
from grader.verdict.judging.runner import StepRunner, explaining, is_submission

Scenario = Callable[..., Any]

MOST_CHANGES = 40
"""Changed functions with which a check is run again."""
MOST_ENTRIES = 3
"""Entries of a list that a sentence shows."""


class CheckFailed(Exception):
    """Ends a check's test; its text is the sentence of the row, `status` the row's."""

    def __init__(
        self, message: str, status: Status = "failed", mistake: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.status: Status = status
        self.mistake, self.line = mistake, line


class ReferenceFailed(LessonError):
    """A scenario does not run on the course's own functions: a fault of the course, never the student's."""


OURS = (LessonError, GraderFault, Interrupted)
"""Errors in a test that the student's code has not caused."""


class Check:
    """A row that is no gradient, named like its test without `test_`. `on` speaks to the student's functions."""

    def __init__(
        self, lesson: Lesson, item: Item, student: StepRunner, on: Target, book: ProblemBook, naming: bool = True
    ) -> None:
        """Without `naming`, a failed check is not explained (which takes the longest)."""
        self.lesson, self.item, self._naming = lesson, item, naming
        self.on = Listening(on, self.signatures)
        self._student, self._book = student, book
        self._consulted: list[GradientCheck] = []
        self._asked = itertools.count()
        self.error: float | None = None
        self.remark: str | None = None  # about a row that passes
        self.picture: dict[str, Any] | None = None

    @property
    def student(self) -> StepRunner:
        return self._student

    def again_on(self, side: Target) -> Check:
        """The same check of other functions, which nobody explains."""
        return type(self)(self.lesson, self.item, self._student, side, self._book, naming=False)

    @property
    def signatures(self) -> Any:
        """Whose functions and classes have the parameters' names."""
        return self.lesson.answers

    def gradient(self, name: str) -> GradientCheck:
        gradient = GradientCheck(self.lesson, self.lesson.item_for(name), self._student, self._book)
        self._consulted.append(gradient)
        return gradient

    def fail(self, message: str, mistake: str | None = None) -> NoReturn:
        """Ends the check: `message` is told to the student, `mistake` is the id of a known one.

        A row that rests on a gradient is called like it, where that was never judged by value.
        """
        statuses = [gradient.status for gradient in self._consulted]
        status: Status = next((s for s in statuses if s not in ("passed", "failed", "shape")), "failed")
        raise CheckFailed(message, status, mistake)

    def generator(self, *parts: object) -> torch.Generator:
        """A secret generator for one purpose, the same for everyone in this run."""
        return torch.Generator().manual_seed(derive(self._book.seed, self.lesson.name, self.item.name, *parts))

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
        to two more times, for the smallest. Both come from the kernel, so no code of the student's can change them.
        Rows that measure the same call share one measurement. Raises CallFailed.
        """
        key = (self.lesson.name, name, given.__qualname__, identity(sizes))
        arguments = self.once(given, sizes)
        return self.on.measured(key, name, list(arguments), yardstick, cpu_ratio)

    def once(self, make: Callable[..., Any], sizes: Mapping[str, Any]) -> Any:
        """`make(generator, **sizes)`, made once per run; equal sizes have equal generators."""
        drawn = (self.lesson.name, identity(sizes))
        seed = derive(self._book.seed, *drawn)
        return self._book.value((*drawn, make.__qualname__), lambda: make(torch.Generator().manual_seed(seed), **sizes))

    def agrees(
        self,
        scenario: Scenario,
        draws: Sequence[Mapping[str, Any]] = ({},),
        reference: Any = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        """Puts `scenario(on, generator, **draw)` to the student and to the reference; ends the check where they differ.

        `reference` has the functions as attributes; it is the answer key unless one is given. What comes back may be a
        tree of tensors, numbers, texts, lists, tuples and dicts, whose keys name the parts in messages.
        """
        asked = next(self._asked)
        try:
            self._agrees(scenario, draws, reference, tolerance, asked)
        except CheckFailed:
            if not self._agrees_at_own_sizes(scenario, draws, reference, tolerance, asked):
                raise

    def _agrees_at_own_sizes(
        self, scenario: Scenario, draws: Sequence[Mapping[str, Any]], reference: Any, tolerance: float, asked: object
    ) -> bool:
        """Whether it agrees at the sizes of a notebook in which they are hard-coded; see own_sizes."""
        terms = self._student.terms if is_submission(self._student) else STRICT
        sizes = terms.sizes or {}
        own = [{**draw, **{name: sizes[name] for name in draw if name in sizes}} for draw in draws]
        if all(new == old for new, old in zip(own, draws, strict=True)):
            return False
        others = {size: {**own[0], **varied(sizes, size)} for size in sizes if size in own[0]}

        def agrees(part: object, draws: Sequence[Mapping[str, Any]]) -> bool:
            try:
                self._agrees(scenario, draws, reference, tolerance, (part, asked))
            except CheckFailed:
                return False
            return True

        naming, self._naming = self._naming, False
        try:
            if not agrees("own sizes", own):
                return False
            hard_coded = [size for size, draw in others.items() if not agrees(size, [draw])]
        finally:
            self._naming = naming
        found = hard_coded_numbers(self.lesson, terms, self.item.name, hard_coded)
        if not found:
            return False
        self.remark = size_remark(found, expressions_of(self.lesson))
        return True

    def _agrees(
        self,
        scenario: Scenario,
        draws: Sequence[Mapping[str, Any]],
        reference: Any,
        tolerance: float,
        asked: object,
    ) -> None:
        results: list[tuple[str, Any, Any, Agreement]] = []
        for number, draw in enumerate(draws):
            key = (asked, number, identity(draw))
            side = ModuleTarget(self.lesson.answers if reference is None else reference)
            expected, _ = self._value(scenario, side, draw, key)
            found = self._found(scenario, self.generator(*key), draw, side)
            compared = agreement(found, expected, tolerance, self.on.low_precision)
            results.append((described(draw), found, expected, compared))
            if not (compared.holds or self._naming):
                break
        self.error = max((c.error for *_, c in results if c.error is not None), default=self.error)
        if self.item.drawn and results:
            curves = curve_picture(*results[-1][1:3], self.item.drawn)
            self.picture = {"curves": curves} if curves else None
        failing = [(where, compared.findings[0]) for where, _, _, compared in results if not compared.holds]
        if not failing:
            return
        with explaining(self._student):
            known = attempt(
                lambda: self._known_mistake(scenario, draws, asked, [found for _, found, _, _ in results], tolerance)
            )
            explained = None
            if known is None and self._naming:
                explained = attempt(lambda: self._explained(scenario, draws, asked, reference, results, tolerance))
        rung: Status = "shape" if any(finding.rung == "shape" for _, finding in failing) else "failed"
        if known is not None:
            raise CheckFailed(known.message, rung, known.id)
        if explained is not None:
            raise CheckFailed(explained.message, rung, explained.id)
        raise CheckFailed(told(failing, len(results)), rung)

    def _explained(
        self,
        scenario: Scenario,
        draws: Sequence[Mapping[str, Any]],
        asked: object,
        reference: Any,
        results: Sequence[tuple[str, Any, Any, Agreement]],
        tolerance: float,
    ) -> Explanation | None:
        """How what was found stands to what was expected, on every draw."""
        outcomes = []
        for number, (draw, (_, found, expected, compared)) in enumerate(zip(draws, results, strict=True)):
            side = ModuleTarget(self.lesson.answers if reference is None else reference)
            _, calls = self._value(scenario, side, draw, (asked, number, identity(draw)))
            given, numbers = tensors_given(calls), numbers_given(calls) | dict(draw)
            outcomes.append(
                Outcome(
                    found,
                    expected,
                    parts_of(compared.findings),
                    given,
                    {name: n for name, n in numbers.items() if type(n) is int and n > 1},
                    {name: s for name, s in numbers.items() if type(s) is float},
                )
            )
        return explain_result(outcomes, tolerance, self.on.low_precision)

    def failed_call(self, failed: CallFailed, where: str = "") -> CheckFailed:
        """The row's end where a call gave no value: with what the error means, where that is known."""
        answer = failed.answer
        explained = None
        if answer.outcome == "raised" and self._naming:
            asked = Asked(self.on.calls[-1].arguments if self.on.calls else {})
            explained = meaning(answer.message, asked)
        message = f"{answer.message.rstrip('.')}. {explained.message}" if explained is not None else answer.message
        return CheckFailed(
            where + message, STATUS_OF[answer.outcome], explained.id if explained else None, line=answer.line
        )

    def _found(
        self, scenario: Scenario, generator: torch.Generator, draw: Mapping[str, Any], reference: ModuleTarget
    ) -> Any:
        before, state = len(self.on.returned), generator.get_state()
        try:
            return scenario(self.on, generator, **draw)
        except CallFailed as failed:
            told = described(draw) if failed.answer.outcome == "raised" else ""
            raise self.failed_call(failed, f"With {told}: " if told else "") from failed
        except OURS:
            raise
        except Exception as error:  # the suite could not work with what the student returned
            expected = returned_by(reference, scenario, torch.Generator().set_state(state), draw)
            place = len(self.on.returned) - before - 1
            raise self.unusable(expected[place : place + 1]) from error

    def unusable(self, expected: Sequence[tuple[str, Any]] = ()) -> CheckFailed:
        """The row's end where the test raised an error while it worked with what the student returned.

        `expected` is what the reference returned from the same call, where that is known. The error's own text is left
        out: it is about the code of a hidden suite.
        """
        if not self.on.returned:
            return CheckFailed(f"What `{self.item.function}` does is not what was expected.", "shape")
        name, value = self.on.returned[-1]
        found = shown(value)
        wanted = shown(expected[0][1]) if expected and expected[0][0] == name else found
        if found == wanted:
            return CheckFailed(f"`{name}` returned {in_parts(value)}, which is not what was expected.", "shape")
        return CheckFailed(f"`{name}` returned {found}; expected {wanted}.", "shape")

    def is_sound(self, test: Callable[[Check], None]) -> bool:
        """Whether the test ends with a verdict on the reference; found out once per run.

        If so, an error that it raises on a student's functions comes from what they returned.
        """

        def make() -> bool:
            side = ModuleTarget(self.lesson.answers)
            try:
                test(Check(self.lesson, self.item, self._student, side, self._book, naming=False))
            except (CheckFailed, CallFailed):
                return True
            except Exception:
                return False
            return True

        return bool(self._book.value((self.lesson.name, self.item.name, "is sound"), make))

    def _value(
        self, scenario: Scenario, side: ModuleTarget, draw: Mapping[str, Any], key: tuple[Any, ...]
    ) -> tuple[Any, list[Call]]:
        """What the scenario gives there, and what it calls; made once for every student."""

        def make() -> tuple[Any, list[Call]]:
            listening = Listening(side, self.signatures, keeping=True)
            try:
                return scenario(listening, self.generator(*key[:3]), **draw), listening.calls
            except Exception as error:
                raise ReferenceFailed(
                    f"test_{self.item.name} of {self.lesson.name}: its scenario raises {type(error).__name__} on the "
                    "course's own functions."
                ) from error

        found: tuple[Any, list[Call]] = self._book.value((self.lesson.name, self.item.name, *key), make)
        return found

    def _known_mistake(
        self,
        scenario: Scenario,
        draws: Sequence[Mapping[str, Any]],
        asked: object,
        found: Sequence[Any],
        tolerance: float,
    ) -> Mistake | None:
        """The known mistake that gives just these results on every draw."""
        for mistake in self.lesson.mistakes if self._naming else ():
            side = ModuleTarget(self.lesson.wrong(mistake))
            for number, draw in enumerate(draws):
                key = (asked, number, identity(draw), mistake.gradient, mistake.id)
                try:
                    value, _ = self._value(scenario, side, draw, key)
                except Exception:  # a mistake may be one that raises
                    break
                if not same(found[number], value, tolerance, self.on.low_precision):
                    break
            else:
                return mistake
        return None


def explained_by_the_code(test: Callable[[Check], None], check: Check, failed: CheckFailed) -> CheckFailed:
    """The same end of a check, with the small change of the student's function that makes the check hold in words.

    Only where nothing else explains it.
    """
    trials: Trials | None = getattr(check.student, "trials", None)
    if trials is None or failed.mistake is not None or failed.status not in ("failed", "shape"):
        return failed

    def find() -> Explanation | None:
        function = check.item.function
        own = [(n, edit) for n, edit in enumerate(trials.edits(function, Known())) if edit.function == function]
        for number, edit in own[:MOST_CHANGES]:
            check_time()
            side = trials.side(function, number)
            if side is None:
                return None
            if holds(test, check.again_on(side)):
                return of_a_check(edit)
        return None

    with explaining(check.student):
        found = attempt(find)
    return failed if found is None else CheckFailed(found.message, failed.status, found.id, found.line)


def holds(test: Callable[[Check], None], check: Check) -> bool:
    try:
        test(check)
    except OURS:
        raise
    except Exception:
        return False
    return True


def returned_by(
    side: ModuleTarget, scenario: Scenario, generator: torch.Generator, draw: Mapping[str, Any]
) -> list[tuple[str, Any]]:
    """What each call of the scenario returns on the reference."""
    listening = Listening(side, None)
    with contextlib.suppress(Exception):
        scenario(listening, generator, **draw)
    return listening.returned


def in_parts(value: Any) -> str:
    """A value in a sentence, with the first entries of a list or tuple."""
    if not isinstance(value, (list, tuple)) or not value:
        return shown(value)
    more = ", ..." if len(value) > MOST_ENTRIES else ""
    return f"{shown(value)} ({', '.join(shown(entry) for entry in value[:MOST_ENTRIES])}{more})"


def parts_of(findings: Sequence[Finding]) -> frozenset[str]:
    """The parts that do not agree; only those of the wrong shape or kind, where there are any."""
    shapes = frozenset(finding.part for finding in findings if finding.rung == "shape")
    return shapes or frozenset(finding.part for finding in findings)


def same(found: Any, value: Any, tolerance: float, coarse: bool) -> bool:
    try:
        return agreement(found, value, tolerance, coarse).holds
    except TypeError:  # the mistake gives something that a scenario should not
        return False


def identity(draw: Mapping[str, Any]) -> str:
    """The same text in every process: a function stands under its name, as its repr has an address."""
    return repr(sorted((k, getattr(v, "__qualname__", v)) for k, v in draw.items()))


def described(draw: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in draw.items() if isinstance(v, (int, float, str)))


def told(failing: Sequence[tuple[str, Finding]], count: int) -> str:
    """The first finding in words, and where it is right elsewhere, where it is not."""
    where, finding = failing[0]
    return finding.message + (
        f" It is right on other problems; this one has {where}." if 0 < len(failing) < count and where else ""
    )


def run_check(test: Callable[..., None], check: Check) -> CheckFailed | None:
    """How one test of a hidden suite ends, run without pytest: None when the check holds."""
    try:
        test(check)
    except CheckFailed as failed:
        return explained_by_the_code(test, check, failed)
    except CallFailed as failed:
        return check.failed_call(failed)
    except OURS:
        raise
    except Exception:
        if not check.is_sound(test):
            raise
        return check.unusable()
    return None


def tests_of(suite: Any) -> dict[str, Callable[..., None]]:
    """{row's name: its test}, of a hidden suite's tests with the `check` fixture."""
    return {
        name.removeprefix("test_"): value
        for name, value in vars(suite).items()
        if name.startswith("test_") and callable(value) and "check" in inspect.signature(value).parameters
    }
