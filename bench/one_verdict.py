"""Whether `dojo check` and `grade run` give one file one verdict: known mistakes, right files, and members of a corpus.

    python -m bench.one_verdict               every lesson with gradients, 5 hidden seeds
    python -m bench.one_verdict 03 --seeds 20

Each gradient is judged twice, in this process: on the public problems, which are the same for everybody, and on the
hidden problems of each seed. A table lists every gradient whose status is not the same; exit status 1 if there is one.
Besides right files and known mistakes, every file of FILES is judged: what it gives depends on the data.

Two kinds of rows are left out. A row that is not a gradient: a public example never claims to decide ("passed here").
And a gradient that is zero on every problem, as that of a bias before a batch norm: a mistake elsewhere leaves it zero
but for rounding, and how much rounding there is depends on the numbers drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from grader.authoring.lesson_sources import right_files, steps_of
from grader.comparison.tensors import VANISHING
from grader.lesson.lesson import Course, Lesson
from grader.reference.course_formulas import LocalStudent, run_formula
from grader.reference.problem import Problem
from grader.verdict.judge.examples import PUBLIC_SEED
from grader.verdict.judge.gradient import judge_step
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.problems import ProblemBook

ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "tests" / "in_the_wild" / "left_to_the_data"
FIRST_SEED = 7


@dataclass(frozen=True)
class Difference:
    """A gradient whose status depends on who asks."""

    lesson: str
    file: str
    row: str
    public: str
    hidden: str
    seed: int


@dataclass(frozen=True)
class Candidate:
    """A file and its rows that are judged. `functions` are the file's, by name; a known mistake has only one."""

    name: str
    functions: Mapping[str, Any]
    rows: tuple[str, ...]


def is_zero(problems: Sequence[Problem], target: str) -> bool:
    """Whether the gradient with respect to `target` is zero but for rounding on every problem."""
    return all(problem.size(target) < VANISHING * problem.scale(target) for problem in problems)


def candidates(lesson: Lesson) -> Iterator[Candidate]:
    steps = tuple(item.name for item in lesson.gradients)
    for name, module in right_files(lesson).items():
        yield Candidate(name, vars(module), steps)
    for mistake in lesson.mistakes:
        if mistake.function is not None and mistake.gradient in steps_of(lesson):
            yield Candidate(
                f"{mistake.gradient}__{mistake.id}", {mistake.gradient: mistake.function}, (mistake.gradient,)
            )
        elif lesson.joint is not None and mistake.gradient == lesson.joint.name:
            yield Candidate(f"{mistake.gradient}__{mistake.id}", vars(lesson.wrong(mistake)), steps)
    for path in sorted(FILES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if f"\nlesson: {lesson.number}\n" not in text or "\nas: " in text:
            continue
        module = ModuleType(path.stem)
        solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        exec(compile(f"{solution}\n\n{text}", path.name, "exec"), vars(module))
        yield Candidate(path.stem, vars(module), steps)


def statuses(lesson: Lesson, candidate: Candidate, problems: Sequence[Problem]) -> dict[str, str]:
    """{row: its status} on these problems."""
    if lesson.joint is None:
        found: dict[str, str] = {}
        for row in candidate.rows:
            cases = [(problem, run_formula(candidate.functions.get(row), row, problem)) for problem in problems]
            found[row] = judge_line(row[1:], cases).status
        return found
    student = LocalStudent(candidate.functions, [item.name for item in lesson.gradients], lesson.joint)
    return {row: judge_step(student, row, problems).status for row in candidate.rows}


def differences(lesson: Lesson, seeds: Sequence[int]) -> tuple[int, list[Difference]]:
    """(verdicts compared, those that differ)."""
    public = ProblemBook(PUBLIC_SEED).problems(lesson, lesson.public_draws)
    hidden = {seed: ProblemBook(seed).problems(lesson, lesson.draws) for seed in seeds}
    zero = {item.name for item in lesson.gradients if is_zero(public, item.name[1:])}
    compared, found = 0, []
    for candidate in candidates(lesson):
        at_home = statuses(lesson, candidate, public)
        for seed, problems in hidden.items():
            graded = statuses(lesson, candidate, problems)
            compared += len(graded.keys() - zero)
            found += [
                Difference(lesson.number, candidate.name, row, at_home[row], graded[row], seed)
                for row in candidate.rows
                if row not in zero and at_home[row] != graded[row]
            ]
    return compared, found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    course = Course(ROOT)
    chosen = [course.find(name) for name in options.lessons] or list(course.lessons.values())
    table = Table("lesson", "file", "row", "dojo check", "grade run", "seed")
    total = 0
    found: list[Difference] = []
    for lesson in chosen:
        if lesson.gradients:
            compared, differing = differences(lesson, range(FIRST_SEED, FIRST_SEED + options.seeds))
            total, found = total + compared, found + differing
    for each in found:
        table.add_row(each.lesson, each.file, each.row, each.public, each.hidden, str(each.seed))
    console = Console(width=None if sys.stdout.isatty() else 160)
    if found:
        console.print(table)
    console.print(
        f"{total:,} verdicts on {options.seeds} seeds; {len(found)} differ between `dojo check` and `grade run`"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
