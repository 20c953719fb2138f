"""What is said of every known mistake, and of every honest variant: a table, mistake × what was said.

    python -m bench verdicts messages                 every lesson that has known mistakes
    python -m bench verdicts messages 03 05           two lessons

Every mistake must be told by its own name, and no right file may get a mistake's name, not even where it passes: its
answers are compared with every known wrong formula. Exit status 1 where that is not so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import torch
from rich.console import Console
from rich.table import Table

from bench import ROOT
from grader.authoring.lesson_sources import right_files, steps_of, suite_of
from grader.calling.target import ModuleTarget
from grader.lesson.lesson import Course, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent, run_formula
from grader.verdict.explain.checks import explain_check
from grader.verdict.explain.gradient import explain_gradient
from grader.verdict.explain.known import known_mistake
from grader.verdict.judge.checks import Check, CheckFailed, run_check, tests_of
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.line import Case, judge_line
from grader.verdict.judge.problems import ProblemBook

SEED = 20_240_607


@dataclass(frozen=True)
class Said:
    """What one row was told: `id` is "" where nothing was named, `message` is "" where it passed."""

    row: str
    id: str
    message: str


class Telling:
    """One lesson's hidden suite in this process."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson, self._book = lesson, ProblemBook(seed)
        self._problems = self._book.problems(lesson, lesson.draws)
        self._deciding = [problem for problem in self._problems if not problem.draw.note]
        self._tests = tests_of(suite_of(lesson))

    def of_mistake(self, mistake: Mistake) -> Said:
        """What its own row says, where it has one; else the row that names it, else the first that does not pass."""
        is_step = mistake.function is not None and mistake.gradient in steps_of(self.lesson)
        if is_step and not judge_line(mistake.gradient[1:], self._cases(mistake)).passed:  # else a check has to name it
            named = known_mistake(mistake.gradient, self._cases(mistake), self.lesson.wrong_formulas)
            return Said(mistake.gradient, named.id if named else "", named.message if named else "")
        failing = []
        for said in self.rows(self.lesson.wrong(mistake)):
            if said.id == mistake.id:
                return said
            failing += [said] if said.message else []
        return failing[0] if failing else Said("every row", "", "")

    def _cases(self, mistake: Mistake) -> list[Case]:
        assert mistake.function is not None
        return [(p, run_formula(mistake.function, mistake.gradient, p)) for p in self._problems]

    def rows(self, module: ModuleType) -> Iterator[Said]:
        student = LocalStudent(vars(module), [item.name for item in self.lesson.gradients], self.lesson.joint)
        for item in self.lesson.gradients:
            gradient = GradientCheck(self.lesson, item, student, self._book)
            explain_gradient(gradient, self.lesson.draws)
            verdict = gradient.judge(self.lesson.draws)
            failed = not verdict.passed or verdict.mistake is not None
            yield Said(item.name, verdict.mistake.id if verdict.mistake else "", (verdict.message or "") * failed)
        for item in self.lesson.checks:
            check = Check(self.lesson, item, student, ModuleTarget(module), self._book)
            failed_check: CheckFailed | None = run_check(self._tests[item.name], check)
            if failed_check is not None:
                failed_check = explain_check(self._tests[item.name], check, failed_check)
                yield Said(item.name, failed_check.mistake or "", str(failed_check) or failed_check.status)
            else:
                yield Said(item.name, "", "")

    @cached_property
    def _rejected(self) -> list[Mistake]:
        """The wrong formulas without those that only a check of the same function rejects."""
        found = self.lesson.wrong_formulas
        return [m for m in found if not judge_line(m.gradient[1:], self._cases(m)).passed]

    def of_right_file(self, module: ModuleType) -> Iterator[Said]:
        """Rows that do not pass, and rows whose answers are what a known wrong formula gives."""
        yield from (said for said in self.rows(module) if said.message or said.id)
        if self.lesson.joint is not None:
            return  # a wrong function may well return some right gradients
        student = LocalStudent(vars(module), [item.name for item in self.lesson.gradients], self.lesson.joint)
        for item in self.lesson.gradients:
            cases = [(problem, student.answers(problem)[item.name]) for problem in self._deciding]
            known = known_mistake(item.name, cases, self._rejected)
            if known is not None:
                yield Said(item.name, known.id, known.message)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    torch.set_num_threads(1)
    course = Course(ROOT)
    chosen = [course.find(name) for name in options.lessons] or list(course.lessons.values())
    table = Table("lesson", "mistake", "row", "told as", "what was said")
    wrong: list[str] = []
    mistakes = rights = 0
    for lesson in chosen:
        if not (lesson.solution / "mistakes.py").is_file():
            continue
        telling = Telling(lesson, options.seed)
        for mistake in lesson.mistakes:
            said, name = telling.of_mistake(mistake), f"{mistake.gradient}__{mistake.id}"
            table.add_row(lesson.number, name, said.row, said.id or "—", said.message)
            mistakes += 1
            if said.id != mistake.id:
                wrong.append(f"{lesson.name}: {name} was told as {said.id or said.message or 'right'}")
        for file, module in right_files(lesson).items():
            rights += 1
            for said in telling.of_right_file(module):
                wrong.append(f"{lesson.name}: {file}'s {said.row} was told {said.id}: {said.message}")
    console = Console(width=None if sys.stdout.isatty() else 200)
    console.print(table)
    console.print(f"{mistakes} known mistakes, {rights} right files; {len(wrong)} not as they should be")
    for entry in wrong:
        console.print(entry, style="bold")
    return 1 if wrong else 0
