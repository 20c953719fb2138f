"""Why a gradient is wrong: one ranked list of hypotheses, of which the first that holds becomes the row's message.

They come from the numbers (known mistakes of the lesson, patterns) and from edits of the student's own code. A verdict
is final before its explanation is looked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.comparison.tensors import VANISHING
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Draw, Problem
from grader.results import NamedMistake
from grader.verdict.explain.attempts import attempt, explaining
from grader.verdict.explain.diagnose import explain
from grader.verdict.explain.edits.contents import sure_slips
from grader.verdict.explain.edits.inner_gradients import InnerGradients
from grader.verdict.explain.edits.search import (
    Trials,
    explain_by_repair,
    explain_random_numbers,
    surer_slips,
)
from grader.verdict.explain.errors import explain_no_answer, reads_grad
from grader.verdict.explain.explanation import MEAN_OR_SUM, SURE, UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.hard_coded import explain_hard_coded_sizes
from grader.verdict.explain.known import known_mistake
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.explain.other_explanations import (
    explain_by_properties,
    explain_changed_places,
    explain_other_order,
    targets_that_pass,
)
from grader.verdict.explain.readings.widths import width_from_the_data
from grader.verdict.explain.wrong_answer import Cases, euclidean_norm
from grader.verdict.judge.gradient import GradientCheck, with_precision
from grader.verdict.judge.line import Verdict
from grader.verdict.judge.messages import not_earned_alone
from grader.verdict.judge.runner import StepRunner, is_submission

ERRORS_OF_SHAPES = {"shapes_do_not_fit", "index_out_of_range", "axis_out_of_range"}
"""Meanings of an error for which a change of the code says more."""


def explain_gradient(check: GradientCheck, draws: Sequence[Draw]) -> None:
    """Name the mistake of a gradient that is not right: its verdict gets a mistake, a message and a line."""
    verdict = check.judge(draws)
    if verdict.passed:
        return
    case = GradientCase(check, verdict)
    with explaining(check.student):
        if verdict.mistake is None and any(answer.outcome != "returned" for _, answer in verdict.cases):
            attempt(lambda: explain_no_answer(case.name, verdict, case.contents))
        if verdict.status not in ("failed", "shape", "error"):
            return
        for source in case.hypotheses():
            found = attempt(source)
            if found is not None:
                verdict.mistake = NamedMistake(found.id, found.message)
                verdict.message, verdict.line = found.message, found.line or verdict.line
                return


@dataclass(frozen=True)
class GradientCase:
    """A gradient that is not right, with everything that may explain it."""

    check: GradientCheck
    verdict: Verdict

    @property
    def name(self) -> str:
        """The forward value whose gradient it is."""
        assert self.check.item.target is not None
        return self.check.item.target

    @property
    def student(self) -> StepRunner:
        return self.check.student

    @property
    def step(self) -> str:
        return self.check.item.name

    @property
    def function(self) -> str:
        return self.check.item.function

    @property
    def constants(self) -> Sequence[float]:
        return self.check.lesson.small_numbers

    @property
    def problems(self) -> Sequence[Problem]:
        return self.check.deciding

    @property
    def trials(self) -> Trials | None:
        found: Trials | None = getattr(self.student, "trials", None)
        return found

    @cached_property
    def contents(self) -> FunctionContents | None:
        """What the student's function is made of: no explanation contradicts it."""
        return self.trials.contents(self.function) if self.trials is not None else None

    @cached_property
    def cases(self) -> Cases:
        return with_precision(self.student, self.step, self.verdict.cases)

    @property
    def is_alone(self) -> bool:
        """Whether the function returns this gradient only."""
        return self.step == self.function

    @cached_property
    def known(self) -> Explanation | None:
        """The known mistake of the lesson that gives these answers, if it can be the cause."""
        lesson, student = self.check.lesson, self.student
        of_function = {
            each.name: [(problem, student.answers(problem)[each.name]) for problem in self.problems]
            for each in lesson.gradients
            if not self.is_alone and each.function == self.function and not each.earned_with
        }
        return known_mistake(self.step, self.cases, lesson.wrong_formulas, self.contents, of_function)

    @cached_property
    def predicted(self) -> Explanation | None:
        """What the numbers or the error say, without a look at the code."""
        if self.verdict.mistake is not None and self.verdict.mistake.id != "changed_argument":
            return Explanation(self.verdict.mistake.id, self.verdict.mistake.message)
        if self.known is not None:
            return self.known
        if self.verdict.mistake is not None:
            return Explanation(*self.verdict.mistake)
        if self.verdict.status == "error":
            return None
        if any(answer.tensor is None for _, answer in self.cases):
            advice = reads_grad(self.name, self.contents)
            return (
                Explanation("reads_grad", f"`{self.step}` returned None; expected a tensor. {advice}")
                if advice
                else None
            )
        width = width_from_the_data(self.name, self.cases, self.contents)
        return width or explain(self.name, self.cases, self.contents)

    # The ranked list --------------------------------------------------------------------------------------------------

    def hypotheses(self) -> Iterator[Callable[[], Explanation | None]]:
        """Searches for an explanation, in the order of trust: the first that finds one names the mistake."""
        predicted = attempt(lambda: self.predicted)
        yield lambda: explain_other_order(self.student, self.check.item, self.check.lesson, predicted, self.problems)
        if self.check.item.earned_with and self.verdict.status == "failed":  # zero equals many things by chance
            if predicted is None or predicted.id in ("zeros", "zeros_by_rounding"):
                yield self.not_earned
            yield lambda: predicted
            return
        is_known = predicted is not None and predicted.known
        has_own_sizes = is_submission(self.student) and self.student.terms.sizes is not None
        if not is_known and not has_own_sizes:
            yield lambda: self.sizes_of_the_lecture(predicted)
        can_run = self.verdict.status != "error"
        is_kept = is_known or (predicted is not None and predicted.id in SURE)
        kinds = surer_slips(self.contents, predicted, self.is_alone)
        if is_known and any(map(multiplies_sums_itself, self.mistakes_named(predicted))):
            kinds = kinds - {"sums_multiplied"}
        if can_run and (kinds or not is_kept):
            yield lambda: self.by_edits(kinds if is_kept else set())
        if predicted is not None and predicted.id in ERRORS_OF_SHAPES and self.is_alone:
            yield self.edit_after_the_error
        if predicted is not None and predicted.id == "other_gradient":
            yield lambda: explain_changed_places(
                self.student, self.check.item, self.check.lesson.gradients, self.problems
            )
        yield lambda: predicted
        if can_run:
            yield lambda: explain_random_numbers(self.contents)
        if self.verdict.status == "failed":
            yield lambda: explain_by_properties(self.student, self.check.item, self.problems)

    def mistakes_named(self, named: Explanation | None) -> list[Mistake]:
        return [m for m in self.check.lesson.wrong_formulas if named is not None and m.id == named.id]

    def not_earned(self) -> Explanation | None:
        """Which row this one, whose true gradient is zero, is earned together with."""
        missing = self.check.wrong_partner()
        if missing is None:
            return None
        sizes = [(p, answer.tensor) for p, answer in self.cases]
        is_zero = all(t is None or euclidean_norm(t.double()) <= VANISHING * p.scale(self.name) for p, t in sizes)
        return Explanation(*not_earned_alone(self.step, missing, is_zero))

    def by_edits(self, kinds: set[str]) -> Explanation | None:
        """The small change of the code that makes the gradient right; only of these `kinds`, where there are any."""
        trials = self.trials
        if trials is None:
            return None
        inside, right, wrong = None, list[str](), ""
        if not self.is_alone:  # first, because it takes a few calls and the other hundreds
            right = targets_that_pass(self.student, self.check.lesson.gradients, [p for p, _ in self.cases])
            if not kinds:
                inner = (self.step, self.function, self.cases, trials, self.constants, right)
                inside = attempt(lambda: InnerGradients(*inner).first_wrong())
            if inside is not None:
                right, wrong = [*right, *(name[1:] for name in inside.right)], inside.name
        found = attempt(
            lambda: explain_by_repair(self.step, self.function, self.cases, trials, self.constants, right, kinds, wrong)
        )
        if inside is not None and (found is None or found.id == MEAN_OR_SUM):
            return inside.explanation  # a wrong gradient on the way gives the factor, which such a change undoes
        return found

    def edit_after_the_error(self) -> Explanation | None:
        """The text of the error, and then the change that makes the gradient right, where one was found."""
        raised = next((answer.message.rstrip(".") for _, answer in self.cases if answer.outcome == "raised"), "")
        found = self.by_edits(set()) if raised else None
        if found is None:
            return None
        before, _, _ = (self.verdict.message or raised).partition(raised)
        return Explanation(found.id, f"{before}{raised}. {found.message}", line=self.verdict.line)

    def sizes_of_the_lecture(self, predicted: Explanation | None) -> Explanation | None:
        """An explanation of sizes that are written as numbers, see hard_coded."""
        published = self.check.book.problems(self.check.lesson, [Draw()])[0]
        at_the_lecture_sizes = with_precision(
            self.student, self.step, [(published, self.student.answers(published)[self.step])]
        )[0]
        others = [case for case in self.cases if case[0].draw.sizes] or self.cases
        unnamed = predicted is None or predicted.id == UNNAMED_MULTIPLE
        function = "" if self.is_alone else self.function
        return explain_hard_coded_sizes(self.name, at_the_lecture_sizes, others, self.contents, unnamed, function)


def multiplies_sums_itself(mistake: Mistake) -> bool:
    """Whether a known mistake may be that two sums are multiplied: its formula does it, or is not known."""
    return not mistake.formula or "sums_multiplied" in sure_slips(ast.parse(mistake.formula))


def has_right_upstream(check: GradientCheck) -> bool:
    """Whether the gradients that one is computed from are right in the student's function for all gradients."""
    student, item, lesson = check.student, check.item, check.lesson
    trials: Any = getattr(student, "trials", None)
    if trials is None or lesson.joint is None:
        return False
    cases = [(problem, student.answers(problem)[item.name]) for problem in check.deciding if not problem.draw.note]
    right = targets_that_pass(student, lesson.gradients, [problem for problem, _ in cases])
    with explaining(student):
        inner = (item.name, item.function, cases, trials, lesson.small_numbers, right)
        return bool(attempt(lambda: InnerGradients(*inner).upstream_is_right()))
