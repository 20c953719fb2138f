"""How far right and wrong answers are from the reference in float64, next to the tolerance that decides.

    python -m bench.tolerances                    every lesson, 2 seeds
    python -m bench.tolerances 12 19 --seeds 5    two lessons

Every right file and every known mistake of a lesson is judged on the hidden problems, gradients and checks. A mistake's
error is the largest of its rows that fail. A row fails without an error where a shape, a text or a truth value differs.
Exit status 1 where a right row fails, or where a mistake passes everywhere.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from bench.float32 import FIRST_SEED, ROOT, Extreme
from grader.authoring.lesson_sources import right_files, steps_of, suite_of
from grader.calling.module_target import ModuleTarget
from grader.comparison.tensors import TOLERANCE
from grader.lesson.lesson import Course, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent, run_formula
from grader.verdict.judging.behaviour import Check
from grader.verdict.judging.check_runs import run_check, tests_of
from grader.verdict.judging.gradient import judge_step
from grader.verdict.judging.hidden_problems import ProblemBook
from grader.verdict.judging.line import judge_line


@dataclass
class Measured:
    """One lesson: the farthest right row, the nearest wrong file, and a sentence for each verdict that is wrong."""

    farthest_right: Extreme = field(default_factory=lambda: Extreme(0.0))
    nearest_wrong: Extreme = field(default_factory=lambda: Extreme(math.inf))
    right_rows: int = 0
    mistakes: int = 0
    faults: list[str] = field(default_factory=list)


class Measuring:
    """One lesson's hidden suite on one seed."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self._lesson, self._book = lesson, ProblemBook(seed)
        self._problems = self._book.problems(lesson, lesson.draws)
        self._tests = tests_of(suite_of(lesson))

    def rows(self, module: ModuleType) -> Iterator[tuple[str, bool, float | None]]:
        """(row, whether it passes, its largest relative error), row after row."""
        student = LocalStudent(vars(module), [item.name for item in self._lesson.gradients], self._lesson.joint)
        for item in self._lesson.gradients:
            verdict = judge_step(student, item.name, self._problems, naming=False)
            yield item.name, verdict.passed, verdict.relative_error
        for item in self._lesson.checks:
            check = Check(self._lesson, item, student, ModuleTarget(module), self._book, naming=False)
            passed = run_check(self._tests[item.name], check) is None
            yield item.name, passed, check.error

    def error_of(self, mistake: Mistake) -> float | None:
        """The largest error of the rows that a mistake fails, infinite where none has one; None where all pass."""
        if mistake.function is not None and mistake.gradient in steps_of(self._lesson):
            cases = [(p, run_formula(mistake.function, mistake.gradient, p)) for p in self._problems]
            verdict = judge_line(mistake.gradient[1:], cases, naming=False)
            if not verdict.passed:
                return math.inf if verdict.relative_error is None else verdict.relative_error
        failing = [error for _, passed, error in self.rows(self._lesson.wrong(mistake)) if not passed]
        wrong = [error for error in failing if error is not None and error > TOLERANCE]
        return max(wrong, default=math.inf) if failing else None


def measure(lesson: Lesson, seeds: range) -> Measured:
    found = Measured()
    for seed in seeds:
        measuring = Measuring(lesson, seed)
        for file, module in right_files(lesson).items():
            for row, passed, error in measuring.rows(module):
                found.right_rows += 1
                if not passed:
                    found.faults.append(f"{lesson.number} {row}: {file} is rejected (seed {seed})")
                elif (error or 0.0) > found.farthest_right.error:
                    found.farthest_right = Extreme(error or 0.0, f"{row}, {file}, seed {seed}")
        for mistake in lesson.mistakes:
            found.mistakes += 1
            far = measuring.error_of(mistake)
            if far is None:
                found.faults.append(f"{lesson.number}: {mistake.name} is accepted (seed {seed})")
            elif far < found.nearest_wrong.error:
                found.nearest_wrong = Extreme(far, f"{mistake.name}, seed {seed}")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    course = Course(ROOT)
    chosen = [course.find(name) for name in options.lessons] or list(course.lessons.values())
    table = Table("lesson", "farthest right", "which", "tolerance", "nearest wrong", "which")
    faults: list[str] = []
    rows = mistakes = 0
    for lesson in chosen:
        found = measure(lesson, range(FIRST_SEED, FIRST_SEED + options.seeds))
        right, wrong = found.farthest_right, found.nearest_wrong
        errors = (f"{right.error:.1e}", f"{TOLERANCE:.0e}", f"{wrong.error:.1e}")
        table.add_row(lesson.number, errors[0], right.whose, errors[1], errors[2], wrong.whose)
        faults += found.faults
        rows, mistakes = rows + found.right_rows, mistakes + found.mistakes
    console: Any = Console(width=None if sys.stdout.isatty() else 160)
    console.print(table)
    console.print(f"{options.seeds} seeds: {rows} right rows, {mistakes} mistakes; {len(faults)} verdicts wrong")
    for fault in faults:
        console.print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
