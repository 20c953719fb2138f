"""What a hidden suite asks of a student about a gradient: the verdict on drawn problems, and its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from grader.answer import Answer
from grader.book import ProblemBook
from grader.check import Row, Verdict, judge_line, not_earned_alone, sizes_written_in, unstable
from grader.diagnosis.allowance import Allowance
from grader.diagnosis.ratios import MULTIPLE
from grader.judge import bits
from grader.lesson import Item, Lesson
from grader.mistakes import Mistake
from grader.picture import error_picture, values_picture
from grader.problem import Draw, Problem


class Answering(Protocol):
    """Whoever answers steps: a student in a worker, or one of the course's own files."""

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """{step: answer} for every step; nobody has counted operators or looked for float32."""
        ...

    def expect(self, problems: Sequence[Problem]) -> None:
        """These will be asked about."""
        ...

    def watched(self, problem: Problem, step: str) -> Answer:
        """The step run once more, with its operators counted and float32 noticed: four times slower."""
        ...


def explaining(student: object) -> AbstractContextManager[None]:
    """Inside, explanations keep within the student's allowance. The course's own files have none, and no limit."""
    allowance = getattr(student, "allowance", None)
    return allowance.using() if isinstance(allowance, Allowance) else nullcontext()


def judge_step(
    student: Answering, step: str, problems: Sequence[Problem], mistakes: Sequence[Mistake] = (), naming: bool = True
) -> Verdict:
    """judge_line on the student's answers. Only one that is not right at once is run again, watched.

    A right answer in float64 stands as it is; what differs may be as right as float32 goes.
    """
    cases = [(problem, student.answers(problem)[step]) for problem in problems]
    verdict = judge_line(step[1:], cases, mistakes, naming=False)
    if verdict.passed:
        return verdict
    cases = [(p, with_precision(answer, student, p, step)) for p, answer in cases]
    return judge_line(step[1:], cases, mistakes, naming)


def with_precision(answer: Answer, student: Answering, problem: Problem, step: str) -> Answer:
    if answer.tensor is None or answer.changed:
        return answer
    return answer._replace(low_precision=student.watched(problem, step).low_precision)


class GradientCheck:
    """A gradient of the lesson as a hidden suite sees it."""

    def __init__(self, lesson: Lesson, item: Item, student: Answering, book: ProblemBook, naming: bool = True) -> None:
        """Without `naming`, a wrong answer is not explained (which takes the longest)."""
        self.lesson, self.item, self._student, self._book = lesson, item, student, book
        self._naming = naming
        self._verdict: Verdict | None = None
        self.picture: dict[str, Any] | None = None

    def judge(self, draws: Sequence[Draw]) -> Verdict:
        """The verdict over all draws; made once, however often it is asked for."""
        if self._verdict is None:
            problems = self._book.problems(self.lesson, draws)
            assert self.item.target is not None
            self._student.expect([*problems, self.lesson.public])
            with explaining(self._student):
                wrong = self.lesson.wrong_formulas if self._naming else ()
                verdict = judge_step(self._student, self.item.name, problems, wrong, self._naming)
            unnamed = self._naming and (verdict.mistake is None or verdict.mistake.id == MULTIPLE)
            if unnamed and verdict.status in ("failed", "shape", "error"):
                published = self._book.problems(self.lesson, [Draw()])[0]
                given = self._student.answers(published)[self.item.name]
                answer = with_precision(given, self._student, published, self.item.name)
                cases = [(problem, self._student.answers(problem)[self.item.name]) for problem in problems]
                others = [case for case in cases if case[0].draw.sizes] or cases
                written_in = sizes_written_in(self.item.target, (published, answer), others)
                if written_in is not None:
                    verdict.mistake, verdict.message = written_in, written_in.message
            if verdict.passed and (missing := self._not_right_yet(problems)) is not None:
                verdict.status, verdict.mistake = "failed", not_earned_alone(self.item.name, missing)
                verdict.message = verdict.mistake.message
            self._verdict = verdict
        return self._verdict

    def _not_right_yet(self, problems: Sequence[Problem]) -> str | None:
        """The first of the gradients that this row is earned with that is not right; None if all are."""
        for name in self.item.earned_with:
            if not judge_step(self._student, name, problems, naming=False).passed:
                return name
        return None

    @property
    def status(self) -> str:
        return self._verdict.status if self._verdict is not None else "passed"

    def passes(self, draws: Sequence[Draw]) -> bool:
        return self.judge(draws).passed

    def answers(self, draws: Sequence[Draw]) -> list[Answer]:
        """What the student's step returned on these draws, for a message."""
        return [self._student.answers(problem)[self.item.name] for problem in self._book.problems(self.lesson, draws)]

    def row(self, draws: Sequence[Draw]) -> Row:
        verdict = self.judge(draws)
        answer = self._student.answers(self.lesson.public)[self.item.name]
        row = Row(
            self.item.name,
            verdict.status,
            self.item.points if verdict.passed else 0,
            self.item.points,
            relative_error=verdict.relative_error,
            expected_shape=self.lesson.expected_shape(self.item),
            mistake={"id": verdict.mistake.id, "message": verdict.mistake.message} if verdict.mistake else None,
            message=verdict.message,
            line=verdict.line,
        )
        if answer.tensor is not None:
            assert self.item.target is not None
            reference = self.lesson.public.reference(self.item.target)
            row.shape = list(answer.tensor.shape)
            badge = bits(answer.tensor, reference)
            row.exact, row.approximate, row.maxdiff, row.ulps = (
                badge.exact,
                badge.approximate,
                badge.maxdiff,
                badge.ulps,
            )
            if verdict.passed and row.message is None and not row.exact:
                row.message = unstable(self.item.target, self.lesson.public, answer)
            if not verdict.passed:
                self.picture = error_picture(answer.tensor, reference)
            if self.item.drawn and (values := values_picture(answer.tensor, reference)):
                self.picture = {**(self.picture or {}), self.item.drawn: values}
        return row
