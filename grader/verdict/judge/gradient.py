"""A gradient in a test suite: the verdict on the suite's problems, and the row of results.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.comparison.tensors import VANISHING, bits, broadcast_bits
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.problem import Draw, Problem
from grader.results import NamedMistake, Row, Status
from grader.verdict.explain.edits.search import Trials
from grader.verdict.explain.mismatch import euclidean_norm
from grader.verdict.judge.explained_by_code import computes_right_upstream, explain_by_the_code
from grader.verdict.judge.hard_coded import explain_lecture_sizes, hard_coded_numbers, size_remark
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.messages import not_earned_alone, unstable
from grader.verdict.judge.other_explanations import other_mistakes
from grader.verdict.judge.other_shape import ReshapedRunner, in_other_shape, shape_remark
from grader.verdict.judge.own_shapes import own_shapes
from grader.verdict.judge.own_sizes import STRICT, OwnProblems, Terms, notebook_sizes
from grader.verdict.judge.pictures import error_picture, values_picture
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.runner import StepRunner, SubmissionRunner, explaining, is_submission
from grader.verdict.judge.traced import is_to_be_traced, with_precision
from grader.verdict.judge.verdicts import Verdict, with_remark


def judge_step(
    student: StepRunner,
    step: str,
    problems: Sequence[Problem],
    mistakes: Sequence[Mistake] = (),
    naming: bool = True,
    function: str = "",
) -> Verdict:
    """Judge a step on several problems. A step with an answer that is not right is run again, traced.

    An answer that is right in float64 needs no trace. Of any other, the trace says whether it was computed in float32
    and is to be judged with float32's tolerance. One that is wrong at that tolerance too needs none for the verdict.

    Args:
        mistakes: the known mistakes of the lesson.
        naming: whether a wrong answer is explained.
        function: the function that returns the gradient, where its name is not `step`.
    """
    cases = [(problem, student.answers(problem)[step]) for problem in problems]
    verdict = judge_line(step[1:], cases, mistakes, naming=False)
    if verdict.passed:
        return verdict
    if not naming:
        at_float32 = [(problem, answer._replace(low_precision=True)) for problem, answer in cases]
        if not judge_line(step[1:], at_float32, mistakes, naming=False).passed:
            return verdict
    if is_submission(student):
        student.prefetch_traced([problem for problem, answer in cases if is_to_be_traced(answer)], step)
    cases = [(p, with_precision(answer, student, p, step)) for p, answer in cases]
    trials: Trials | None = getattr(student, "trials", None)
    contents = trials.contents(function or step) if trials is not None and naming else None
    return judge_line(step[1:], cases, mistakes, naming, contents)


def judge_on_terms(
    student: StepRunner,
    terms: Terms,
    step: str,
    verdict: Verdict,
    problems: Sequence[Problem],
    own: Callable[[Mapping[str, int]], OwnProblems],
    lesson: Lesson,
    published: Problem,
    naming: bool = True,
) -> tuple[Verdict, Sequence[Problem]]:
    """The verdict on a step that is not right on `problems` as it is, and the problems that decide; see own_sizes.

    `own` draws problems at given sizes. Where an answer has no numbers to compare, its mistake is named on these: at
    other sizes a size that is hard-coded would hide it.
    """
    known = lesson.wrong_formulas
    if verdict.status not in ("failed", "shape", "error"):
        return verdict, problems
    if terms.broadcast:
        if any(in_other_shape(student, step, problem) for problem in problems):
            verdict = judge_step(ReshapedRunner(student, step), step, problems, known, naming)
        student = ReshapedRunner(student, step)
    if not verdict.passed and terms.sizes is not None:
        at = own(terms.sizes)
        student.prefetch(at.all)
        found = judge_step(student, step, at.same, known, naming)
        if found.passed:
            for changed in (at.larger, at.smaller):
                hard_coded = [s for s, p in changed.items() if not judge_step(student, step, [p], naming=False).passed]
                if hard_coded:
                    break
            numbers = hard_coded_numbers(lesson, terms, step, hard_coded)
            if numbers:
                verdict = with_remark(found, size_remark(numbers, notebook_sizes(lesson).expressions))
                problems = at.same
        elif at.lecture is not None and judge_step(student, step, [at.lecture], naming=False).passed:
            left_over = explain_lecture_sizes(step, terms.sizes, notebook_sizes(lesson).published)
            verdict = Verdict(found.status, found.relative_error, left_over.message, left_over, found.line)
        elif verdict.status in ("shape", "error"):
            verdict, problems = found, at.same
    shape = in_other_shape(student.student, step, published) if isinstance(student, ReshapedRunner) else None
    if verdict.passed and shape is not None:
        verdict = with_remark(verdict, shape_remark(step, shape, published.values[step[1:]].shape))
    return verdict, problems


class GradientCheck:
    """A gradient of the lesson as a test suite uses it: the fixture `gradient`, and `check.gradient(name)`."""

    def __init__(self, lesson: Lesson, item: Item, student: StepRunner, book: ProblemBook, naming: bool = True) -> None:
        """Without `naming`, a wrong answer is not explained, which saves most of the time."""
        self.lesson, self.item, self._student, self._book = lesson, item, student, book
        self._naming = naming
        self._verdict: Verdict | None = None
        self._judged: tuple[Draw, ...] = ()  # the draws of that verdict
        self._decided_on: Sequence[Problem] = ()  # where those were not the hidden problems
        self._published: Problem | None = None  # with the notebook's own shapes, where these decide
        self.picture: dict[str, Any] | None = None

    @property
    def published(self) -> Problem:
        """The published problem, at the sizes of a notebook where it sets others."""
        if self._published is not None:
            return self._published
        return (self._student.public if is_submission(self._student) else None) or self.lesson.public

    def judge(self, draws: Sequence[Draw]) -> Verdict:
        """The verdict over all draws, computed once while the draws stay the same."""
        if self._verdict is None or self._judged != tuple(draws):
            self._judged, self._decided_on, self._published = tuple(draws), (), None
            problems = self._book.problems(self.lesson, draws)
            assert self.item.target is not None
            self._student.prefetch([*problems, self.published])
            with explaining(self._student):
                mistakes: Sequence[Mistake] = self.lesson.wrong_formulas if self._naming else ()
                step, function = self.item.name, self.item.function
                verdict = judge_step(self._student, step, problems, mistakes, self._naming, function)
                while others := other_mistakes(self._student, self.item, self.lesson, verdict, mistakes, problems):
                    mistakes = others
                    verdict = judge_step(self._student, step, problems, mistakes, self._naming, function)
                if not verdict.passed:
                    verdict = self._by_terms_of_submission(verdict, problems, draws)
            vanishes = bool(self.item.earned_with) and verdict.status == "failed"  # zero equals many things by chance
            if self._naming and verdict.status in ("failed", "shape", "error"):
                explain_by_the_code(
                    self._student, self.item, self.lesson, self._book, verdict, self._decided_on or problems, vanishes
                )
            says_nothing = verdict.mistake is None or verdict.mistake.id in ("zeros", "zeros_by_rounding")
            is_unclear = self._naming and verdict.status == "failed" and says_nothing
            if (verdict.passed or is_unclear) and self.item.earned_with:
                missing = self._wrong_partner(self._decided_on or problems)
                if missing is not None:
                    is_zero = verdict.passed or self._is_nearly_zero(self._decided_on or problems)
                    verdict.status, verdict.mistake = "failed", not_earned_alone(self.item.name, missing, is_zero)
                    verdict.message = verdict.mistake.message
            self._verdict = verdict
        return self._verdict

    def _wrong_partner(self, problems: Sequence[Problem]) -> str | None:
        """The first gradient that this row is earned together with; None if one of them is right, or their upstream."""
        student = self._student
        can_reshape = is_submission(student) and student.terms.broadcast
        for name in self.item.earned_with:
            runner = ReshapedRunner(student, name) if can_reshape else student
            if judge_step(runner, name, problems, naming=False).passed:
                return None
        if computes_right_upstream(student, self.item, self.lesson, problems):
            return None
        return self.item.earned_with[0]

    def _is_nearly_zero(self, problems: Sequence[Problem]) -> bool:
        """Whether only rounding errors are left of the answers to these problems."""
        assert self.item.target is not None
        sizes = ((p, self._student.answers(p)[self.item.name].tensor) for p in problems if not p.draw.note)
        return all(t is None or euclidean_norm(t.double()) <= VANISHING * p.scale(self.item.target) for p, t in sizes)

    def _by_terms_of_submission(self, verdict: Verdict, problems: Sequence[Problem], draws: Sequence[Draw]) -> Verdict:
        """The verdict by the terms of the submission: a notebook may write some things differently from a stub."""
        student = self._student
        if not is_submission(student) or student.terms is STRICT:
            return verdict

        def own(sizes: Mapping[str, int]) -> OwnProblems:
            return self._book.own_problems(self.lesson, draws, sizes)

        verdict, self._decided_on = judge_on_terms(
            student, student.terms, self.item.name, verdict, problems, own, self.lesson, self.published, self._naming
        )
        if student.terms.broadcast and student.terms.is_notebook and self.lesson.joint is None and not verdict.passed:
            return self._in_own_shapes(student, verdict, problems, draws)
        return verdict

    def _in_own_shapes(
        self, student: SubmissionRunner, verdict: Verdict, problems: Sequence[Problem], draws: Sequence[Draw]
    ) -> Verdict:
        """The verdict where the step is fed upstream gradients in the notebook's own shapes; see own_shapes.

        The given one, where these are the values' shapes, or say no more.
        """
        assert self.item.target is not None
        step, public = self.item.name, self.published
        shapes = own_shapes(student.chain(), public, self.item.target)
        if shapes is None:
            return verdict
        fed, published = [shapes.problem(problem) for problem in problems], shapes.problem(public)
        student.prefetch(fed)

        def own(sizes: Mapping[str, int]) -> OwnProblems:
            return shapes.problems(self._book.own_problems(self.lesson, draws, sizes))

        again = judge_step(student, step, fed, self.lesson.wrong_formulas, self._naming, self.item.function)
        again, decided_on = judge_on_terms(
            student, student.terms, step, again, fed, own, self.lesson, published, self._naming
        )
        if not again.passed and (again.status != "failed" or verdict.status == "failed"):
            return verdict
        self._decided_on, self._published = decided_on, published
        uses = student.answers(decided_on[0])[step].uses
        return with_remark(again, shapes.remark(uses)) if again.passed else again

    @property
    def status(self) -> Status:
        return self._verdict.status if self._verdict is not None else "passed"

    def passes(self, draws: Sequence[Draw]) -> bool:
        return self.judge(draws).passed

    def answers(self, draws: Sequence[Draw]) -> list[Answer]:
        """What the student's step returned on these draws."""
        return [answer for _, answer in self.cases(draws)]

    def cases(self, draws: Sequence[Draw]) -> list[tuple[Problem, Answer]]:
        """The problems that decide on these draws, and what the student's step returned on each of them."""
        self.judge(draws)
        problems = self._decided_on or self._book.problems(self.lesson, draws)
        return [(problem, self._student.answers(problem)[self.item.name]) for problem in problems]

    def row(self, draws: Sequence[Draw]) -> Row:
        verdict = self.judge(draws)
        public = self.published
        answer = self._student.answers(public)[self.item.name]
        row = Row(
            self.item.name,
            verdict.status,
            self.item.points if verdict.passed else 0,
            self.item.points,
            relative_error=verdict.relative_error,
            expected_shape=list(public.values[self.item.target].shape) if self.item.target else [],
            mistake=NamedMistake(verdict.mistake.id, verdict.mistake.message) if verdict.mistake else None,
            message=verdict.message,
            line=verdict.line,
        )
        if answer.tensor is not None:
            assert self.item.target is not None
            reference = public.reference(self.item.target)
            row.shape = list(answer.tensor.shape)
            badge = (broadcast_bits if verdict.passed else bits)(answer.tensor, reference)
            row.exact, row.approximate, row.maxdiff, row.ulps = badge
            if verdict.passed and row.message is None and not row.exact:
                row.message = unstable(self.item.target, public, answer)
            if not verdict.passed:
                self.picture = error_picture(answer.tensor, reference)
            if self.item.drawn and (values := values_picture(answer.tensor, reference)):
                self.picture = {**(self.picture or {}), self.item.drawn: values}
        return row
