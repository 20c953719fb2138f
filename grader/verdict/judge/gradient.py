"""A gradient in a test suite: the verdict on the suite's problems, and the row of results.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.comparison.tensors import bits, broadcast_bits
from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Draw, Problem
from grader.reference.runner import STRICT, StepRunner
from grader.results import Row, Status
from grader.verdict.judge.line import Case, Verdict, judge_line, with_remark
from grader.verdict.judge.messages import not_earned_alone
from grader.verdict.judge.notebook_terms import note_on_sizes, own_shapes, reshaped, shape_remark
from grader.verdict.judge.pictures import error_picture, values_picture
from grader.verdict.judge.problems import ProblemBook


def judge_step(student: StepRunner, step: str, problems: Sequence[Problem], any_ones: bool = False) -> Verdict:
    """Judge a step on several problems. An answer that float32's tolerance may make right is run again, traced.

    The trace says whether it was computed in float32 and is to be judged with that tolerance. With `any_ones`, a shape
    may differ from the value's in axes of length one.
    """
    name = step[1:]
    cases = [(problem, student.answers(problem)[step]) for problem in problems if problem.draw.asks(step)]
    if any_ones:
        cases = [(problem, reshaped(answer, problem.values[name].shape)) for problem, answer in cases]
    verdict = judge_line(name, cases)
    if verdict.passed:
        return verdict
    at_float32 = [(problem, answer._replace(low_precision=True)) for problem, answer in cases]
    if not judge_line(name, at_float32).passed:
        return verdict
    traced = [
        (p, a if a.tensor is None or a.changed else a._replace(low_precision=student.run_traced(p, step).low_precision))
        for p, a in cases
    ]
    return judge_line(name, traced)


class GradientCheck:
    """A gradient of the lesson as a test suite uses it: the fixture `gradient`, and `check.gradient(name)`."""

    def __init__(self, lesson: Lesson, item: Item, student: StepRunner, book: ProblemBook) -> None:
        self.lesson, self.item, self.student, self.book = lesson, item, student, book
        self._verdict: Verdict | None = None
        self._judged: tuple[Draw, ...] = ()  # the draws of that verdict
        self.deciding: Sequence[Problem] = ()  # the problems that decided
        self._published: Problem | None = None  # with the notebook's own shapes, where these decide

    @property
    def published(self) -> Problem:
        """The published problem, at the sizes of a notebook where it sets others."""
        if self._published is not None:
            return self._published
        return self.student.public or self.lesson.public

    def judge(self, draws: Sequence[Draw]) -> Verdict:
        """The verdict over all draws, computed once while the draws stay the same."""
        if self._verdict is None or self._judged != tuple(draws):
            self._judged, self._published = tuple(draws), None
            problems = self.deciding = self.book.problems(self.lesson, draws)
            verdict = judge_step(self.student, self.item.name, problems)
            if verdict.status in ("failed", "shape", "error") and self.student.terms is not STRICT:
                verdict = self._on_terms(verdict)
            if verdict.passed and (missing := self.wrong_partner()) is not None:
                verdict.status, verdict.mistake = "failed", not_earned_alone(self.item.name, missing, is_zero=True)
                verdict.message = verdict.mistake.message
            self._verdict = verdict
        return self._verdict

    def wrong_partner(self) -> str | None:
        """The first gradient that this row is earned together with; None if one of them is right."""
        partners, any_ones = self.item.earned_with, self.student.terms.broadcast
        is_earned = any(judge_step(self.student, name, self.deciding, any_ones).passed for name in partners)
        return partners[0] if partners and not is_earned else None

    def _on_terms(self, verdict: Verdict) -> Verdict:
        """The verdict by the terms of a submission: a notebook may write some things differently from a stub.

        At last its step is fed upstream gradients in the notebook's own shapes, where these differ from the values'.
        """
        problems, public, terms = self.deciding, self.published, self.student.terms
        verdict, self.deciding = self._fed_on_terms(verdict, problems, lambda problem: problem)
        may_feed = terms.broadcast and terms.is_notebook and self.lesson.joint is None and not verdict.passed
        shapes = own_shapes(self.student.chain(), public, str(self.item.target)) if may_feed else None
        if shapes is None:
            return verdict
        fed = [*map(shapes.problem, problems)]
        again, deciding = self._fed_on_terms(judge_step(self.student, self.item.name, fed), fed, shapes.problem)
        if not again.passed and (again.status != "failed" or verdict.status == "failed"):
            return verdict
        self.deciding, self._published = deciding, shapes.problem(public)
        uses = self.student.answers(deciding[0])[self.item.name].uses
        return with_remark(again, shapes.remark(uses)) if again.passed else again

    def _fed_on_terms(
        self, verdict: Verdict, problems: Sequence[Problem], feed: Callable[[Problem], Problem]
    ) -> tuple[Verdict, Sequence[Problem]]:
        """The verdict by the terms of a submission, and the problems that decide; see notebook_terms.

        `feed` has made `problems` and makes others of that kind. Where an answer has no numbers to compare, those at a
        notebook's own sizes decide: at other sizes a size that is hard-coded would hide its mistake.
        """
        step, terms, any_ones = self.item.name, self.student.terms, self.student.terms.broadcast
        deciding = problems
        if any_ones:
            verdict = judge_step(self.student, step, problems, any_ones)
        if not verdict.passed and terms.sizes is not None:
            own = self.book.own_problems(self.lesson, self._judged, terms.sizes).fed(feed)
            found, note = judge_step(self.student, step, own.same, any_ones), None
            if found.passed:
                note = note_on_sizes(
                    self.lesson,
                    terms,
                    step,
                    lambda size: judge_step(self.student, step, own.changed[size], any_ones).passed,
                )
            if note is not None:
                verdict, deciding = with_remark(found, note), own.same
            elif not found.passed and verdict.status in ("shape", "error"):
                verdict, deciding = found, own.same
        if verdict.passed and any_ones:
            public, target = feed(self.published), str(self.item.target)
            remark = shape_remark(step, self.student.answers(public)[step], public.values[target].shape)
            verdict = with_remark(verdict, remark) if remark else verdict
        return verdict, deciding

    @property
    def status(self) -> Status:
        return self._verdict.status if self._verdict is not None else "passed"

    def passes(self, draws: Sequence[Draw]) -> bool:
        return self.judge(draws).passed

    def answers(self, draws: Sequence[Draw]) -> list[Answer]:
        """What the student's step returned on these draws."""
        return [answer for _, answer in self.cases(draws)]

    def cases(self, draws: Sequence[Draw]) -> list[Case]:
        """The problems that decide on these draws, and what the student's step returned on each of them."""
        self.judge(draws)
        step, deciding = self.item.name, [each for each in self.deciding if each.draw.asks(self.item.name)]
        return [(problem, self.student.answers(problem)[step]) for problem in deciding]

    def row(self, draws: Sequence[Draw]) -> Row:
        """The row of results.json, without its figures."""
        verdict, public = self.judge(draws), self.published
        return Row(
            self.item.name,
            verdict.status,
            self.item.points if verdict.passed else 0,
            self.item.points,
            relative_error=verdict.relative_error,
            expected_shape=list(public.values[self.item.target].shape) if self.item.target else [],
            mistake=verdict.mistake,
            message=verdict.message,
            line=verdict.line,
        )

    def add_figures(self, row: Row) -> dict[str, Any]:
        """Give the row its figures on the published problem; returns its picture, {} for none."""
        answer, is_right = self.student.answers(self.published)[self.item.name], row.status == "passed"
        if answer.tensor is None or self.item.target is None:
            return {}
        reference = self.published.reference(self.item.target)
        row.shape = list(answer.tensor.shape)
        row.exact, row.approximate, row.maxdiff, row.ulps = (broadcast_bits if is_right else bits)(
            answer.tensor, reference
        )
        picture = {} if is_right else error_picture(answer.tensor, reference) or {}
        if self.item.drawn and (values := values_picture(answer.tensor, reference)):
            picture[self.item.drawn] = values
        return picture
