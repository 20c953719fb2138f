"""The fixture `check` of a test suite: scenarios of calls whose results are compared with a reference's."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import torch

from grader.calling.module_target import ModuleTarget
from grader.calling.protocol import CallFailed, Measurement
from grader.calling.recorder import RecordingTarget
from grader.calling.target import Target
from grader.comparison.tensors import TOLERANCE
from grader.comparison.trees import Difference, agreement, bits_of, in_parts, kind_in_words, shown
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.problem import derive
from grader.results import Status
from grader.verdict.explain.attempts import attempt
from grader.verdict.explain.errors.raised import CallContext, explain_error_text
from grader.verdict.explain.explanation import Explanation
from grader.verdict.judge.check_endings import OURS, CheckFailed
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.hard_coded import hard_coded_numbers, size_remark
from grader.verdict.judge.messages import still_unwritten
from grader.verdict.judge.own_sizes import STRICT, larger_sizes, notebook_sizes, smaller_sizes
from grader.verdict.judge.pictures import curve_picture
from grader.verdict.judge.possible_mistakes import is_possible
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.runner import StepRunner, explaining, is_submission
from grader.verdict.judge.scenarios import Assertion, CourseValues, Draws, Scenario, ScenarioResult, draw_identity
from grader.verdict.judge.verdicts import STATUS_OF


class Check:
    """The fixture of one check. Its row has the name of the test without `test_`. `on` is the target under test."""

    def __init__(
        self, lesson: Lesson, item: Item, student: StepRunner, on: Target, book: ProblemBook, naming: bool = True
    ) -> None:
        """Without `naming`, a failed check is not explained, which saves most of the time."""
        self.lesson, self.item, self._naming = lesson, item, naming
        self.on = RecordingTarget(on, self.signatures)
        self._student, self._book = student, book
        self._consulted: list[GradientCheck] = []
        self._numbers = itertools.count()
        self._course = CourseValues(lesson, item, book, self.signatures)
        self.error: float | None = None
        self.compared_bits = 0  # of what was expected
        self.on_every_draw = naming
        self.remark: str | None = None  # about a row that passes
        self.picture: dict[str, Any] | None = None

    @property
    def student(self) -> StepRunner:
        return self._student

    def again_on(self, target: Target, on_every_draw: bool = False) -> Check:
        """Return the same check of other functions, without explanations; it may stop at the first draw that fails."""
        check = type(self)(self.lesson, self.item, self._student, target, self._book, naming=False)
        check.on_every_draw = on_every_draw
        return check

    @property
    def signatures(self) -> Any:
        """The namespace whose functions and classes give the parameters their names."""
        return self.lesson.answers

    def gradient(self, name: str) -> GradientCheck:
        """The check of one of the lesson's gradients, which explains nothing: the gradient has a row of its own.

        Where it has no value, `fail` gives its status to the row.
        """
        gradient = GradientCheck(self.lesson, self.lesson.item_for(name), self._student, self._book, naming=False)
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
        return self._course.generator(*parts)

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
        key = (self.lesson.name, name, given.__qualname__, draw_identity(sizes))
        arguments = self.once(given, sizes)
        return self.on.measured(key, name, list(arguments), yardstick, cpu_ratio)

    def once(self, make: Callable[..., Any], sizes: Mapping[str, Any]) -> Any:
        """`make(generator, **sizes)`, made once per run; equal sizes have equal generators."""
        drawn = (self.lesson.name, draw_identity(sizes))
        seed = derive(self._book.seed, *drawn)
        return self._book.value((*drawn, make.__qualname__), lambda: make(torch.Generator().manual_seed(seed), **sizes))

    def agrees(
        self,
        scenario: Scenario,
        draws: Draws = ({},),
        reference: Any = None,
        tolerance: float = TOLERANCE,
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
        """Whether it agrees at the sizes of a notebook in which they are hard-coded; see own_sizes."""
        terms = self._student.terms if is_submission(self._student) else STRICT
        sizes, draws = terms.sizes or {}, assertion.draws
        own = [{**draw, **{name: sizes[name] for name in draw if name in sizes}} for draw in draws]
        if all(new == old for new, old in zip(own, draws, strict=True)):
            return False

        def agrees(part: object, draws: Draws) -> bool:
            try:
                self._compare(replace(assertion, draws=draws, number=(part, assertion.number)))
            except CheckFailed:
                return False
            return True

        naming, self._naming = self._naming, False
        try:
            if not agrees("own sizes", own):
                return False
            for label, changed in (("larger", larger_sizes(sizes)), ("smaller", smaller_sizes(sizes))):
                others = {size: {**own[0], **other} for size, other in changed.items() if size in own[0]}
                hard_coded = [size for size, draw in others.items() if not agrees((label, size), [draw])]
                if hard_coded:
                    break
        finally:
            self._naming = naming
        found = hard_coded_numbers(self.lesson, terms, self.item.name, hard_coded)
        if not found:
            return False
        self.remark = size_remark(found, notebook_sizes(self.lesson).expressions)
        return True

    def _compare(self, assertion: Assertion) -> None:
        """Compare the student's results with the reference's on every draw. Raises CheckFailed where they differ."""
        results: list[ScenarioResult] = []
        for at, draw in enumerate(assertion.draws):
            expected, _ = self._course.reference(assertion, at)
            found = self._student_value(assertion, at)
            self.compared_bits += bits_of(expected)
            compared = agreement(found, expected, assertion.tolerance, self.on.low_precision)
            results.append(ScenarioResult(draw, found, expected, compared))
            if not (compared.holds or self.on_every_draw):
                break
        errors = [result.agreement.error for result in results]
        self.error = max((error for error in errors if error is not None), default=self.error)
        if self.item.drawn and results:
            curves = curve_picture(results[-1].found, results[-1].expected, self.item.drawn)
            self.picture = {"curves": curves} if curves else None
        failing = [
            (describe_draw(draw), compared.findings[0]) for draw, _, _, compared in results if not compared.holds
        ]
        if not failing:
            return
        status: Status = "shape" if any(finding.stage == "shape" for _, finding in failing) else "failed"
        named = self._explanation(assertion, results) if self._naming else None
        if named is not None:
            raise CheckFailed(named.message, status, named.id)
        wrong = dict.fromkeys(finding.part for result in results for finding in result.agreement.findings)
        raise CheckFailed(failure_message(failing, len(results)), status, wrong=tuple(wrong))

    def _explanation(self, assertion: Assertion, results: Sequence[ScenarioResult]) -> Mistake | Explanation | None:
        found, low_precision = [result.found for result in results], self.on.low_precision
        with explaining(self._student):
            trials = getattr(self._student, "trials", None)
            contents_of = trials.contents if trials is not None else lambda _: None
            mistakes = self._course.known_mistakes(assertion, found, low_precision, contents_of)
            possible = (m for m in mistakes if is_possible(self.lesson, self.item, self._student, self._book, m))
            known = attempt(lambda: next(possible, None))
            if known is not None:
                return known
            return attempt(lambda: self._course.explanation(assertion, results, low_precision))

    def failed_call(self, failed: CallFailed, where: str = "") -> CheckFailed:
        """The end of a check whose call gave no value. The message says what the error means, where that is known."""
        answer = failed.answer
        trials = getattr(self._student, "trials", None)
        contents = trials.contents(self.item.function) if trials is not None and self._naming else None
        if answer.outcome == "todo":
            left = still_unwritten(contents)
            return CheckFailed(left.message if left else "", "todo", left.id if left else None, line=answer.line)
        explained = None
        if answer.outcome == "raised" and self._naming and self.on.calls:
            parameters = {k: v for k, v in self.on.calls[-1].arguments.items() if k.isidentifier()}  # not "argument 2"
            context = CallContext(parameters, parameters, own=parameters, near=parameters, contents=contents or {})
            explained = explain_error_text(answer.message, context)
        message = f"{answer.message.rstrip('.')}. {explained.message}" if explained is not None else answer.message
        return CheckFailed(
            where + message, STATUS_OF[answer.outcome], explained.id if explained else None, line=answer.line
        )

    def _student_value(self, assertion: Assertion, at: int) -> Any:
        """What the scenario gives on the student's functions. Raises CheckFailed where they fail."""
        draw, generator = assertion.draws[at], self._course.generator(*assertion.key(at))
        before, state = len(self.on.returned_values), generator.get_state()
        try:
            return assertion.scenario(self.on, generator, **draw)
        except CallFailed as failed:
            where = describe_draw(draw) if failed.answer.outcome == "raised" else ""
            raise self.failed_call(failed, f"With {where}: " if where else "") from failed
        except OURS:
            raise
        except Exception as error:  # the suite could not work with what the student returned
            expected = returned_by(assertion, torch.Generator().set_state(state), draw)
            place = len(self.on.returned_values) - before - 1
            raise self.unusable(expected[place : place + 1]) from error

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

    def is_sound(self, test: Callable[[Check], None]) -> bool:
        """Whether the test ends with a verdict when it runs on the reference. It is run once for all students.

        If so, an error that it raises on a student's functions comes from what they returned.
        """

        def compute() -> bool:
            try:
                test(Check(self.lesson, self.item, self._student, ModuleTarget(self.lesson.answers), self._book, False))
            except (CheckFailed, CallFailed):
                return True
            except Exception:
                return False
            return True

        return bool(self._book.value((self.lesson.name, self.item.name, "is sound"), compute))


def returned_by(assertion: Assertion, generator: torch.Generator, draw: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What each call of the scenario returns on the reference."""
    listening = RecordingTarget(ModuleTarget(assertion.reference), None)
    with contextlib.suppress(Exception):
        assertion.scenario(listening, generator, **draw)
    return listening.returned_values


def describe_draw(draw: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in draw.items() if isinstance(v, (int, float, str)))


def failure_message(failing: Sequence[tuple[str, Difference]], count: int) -> str:
    """The first finding, and on which draw it is, where others of the `count` draws are right."""
    where, finding = failing[0]
    return finding.message + (
        f" It is right on other problems; this one has {where}." if 0 < len(failing) < count and where else ""
    )
