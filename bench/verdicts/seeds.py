"""Over many seeds, no right formula is rejected and no known mistake is accepted.

python -m bench verdicts [LESSON]... --seeds 1000            right files and known mistakes, without workers
python -m bench verdicts 03 --redundant                      known mistakes that get a message without mistakes.py
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import torch

from bench.measuring import lessons_named
from grader.authoring.lesson_sources import is_formula, right_files, suite_of
from grader.authoring.verify import VerifyReport, own_rows, rows_in, submission_of, wrong_files
from grader.calling.target import ModuleTarget
from grader.gradebook.grading.session import Session
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.runner import LocalStudent
from grader.results.wording import count_text
from grader.verdict.judge.checks import Check, run_check, tests_of
from grader.verdict.judge.gradient import judge_step
from grader.verdict.judge.line import judge_line
from grader.verdict.judge.problems import ProblemBook

REJECTED_BY: defaultdict[str, dict[str, str]] = defaultdict(dict)
"""{lesson: {mistake: the row that it failed last}}, for as long as this process judges seeds."""

MAX_SEEDS_OF_A_TASK = 10
"""No process waits long for the last ones."""


@dataclass
class Tally:
    """Verdicts counted over some seeds: `judged` of them, and a sentence for each wrong one."""

    judged: int = 0
    rejected: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.judged += other.judged
        self.rejected += other.rejected
        self.accepted += other.accepted


class Judging:
    """One lesson's hidden suite on one seed, in this process. Counts the verdicts in `tally`.

    The row that a mistake failed last, on another seed, is tried first: `rejected_by` is {mistake: that row}.
    """

    def __init__(self, lesson: Lesson, seed: int, tally: Tally, rejected_by: dict[str, str]) -> None:
        self.lesson, self._tally, self._book, self._rejected_by = lesson, tally, ProblemBook(seed), rejected_by
        self._problems = self._book.problems(lesson, lesson.draws)
        self._tests = tests_of(suite_of(lesson))

    def wrong_rows(self, module: ModuleType, first: str = "", likely: str = "") -> Iterator[str]:
        """The rows that `module` fails, one after another: `likely` first, then those about the function `first`."""
        steps = [item.name for item in self.lesson.gradients]
        student = LocalStudent(vars(module), steps, self.lesson.joint)
        for item in sorted(self.lesson.items, key=lambda item: (item.name != likely, item.function != first)):
            self._tally.judged += 1
            if item.target is not None:
                verdict = judge_step(student, item.name, self._problems)
                right = verdict.passed
            else:
                # Watching can only turn a failure into a pass (what is in float32 may be coarser).
                right = any(
                    self.holds(item, student, ModuleTarget(module, watched))
                    for watched in ((True,) if first else (False, True))
                )
            if not right:
                yield item.name

    def holds(self, item: Item, student: LocalStudent, target: ModuleTarget) -> bool:
        """Whether a check passes."""
        check = Check(self.lesson, item, student, target, self._book)
        return run_check(self._tests[item.name], check) is None

    def accepts(self, mistake: Mistake) -> bool:
        """Whether a known mistake passes: its own gradient and the checks of it where it is one, else every row."""

        def passes_all() -> bool:
            likely = self._rejected_by.get(mistake.name, "")
            row = next(self.wrong_rows(self.lesson.wrong(mistake), mistake.gradient, likely), None)
            if row is not None:
                self._rejected_by[mistake.name] = row
            return row is None

        if not is_formula(self.lesson, mistake):
            return passes_all()
        student = LocalStudent(vars(self.lesson.wrong(mistake)), [mistake.gradient])
        asked = [problem for problem in self._problems if problem.draw.asks(mistake.gradient)]
        answers = [(problem, student.answers(problem)[mistake.gradient]) for problem in asked]
        self._tally.judged += 1
        right = judge_line(mistake.gradient[1:], answers).passed
        return right and passes_all()


def tally_seeds(course: Path, name: str, seeds: range) -> Tally:
    """Every right file and every known mistake of one lesson judged on every seed, in this process."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    lesson, tally = Lesson(course, name), Tally()
    rights = right_files(lesson)
    for seed in seeds:
        judging = Judging(lesson, seed, tally, REJECTED_BY[name])
        for file, module in rights.items():
            tally.rejected += [f"seed {seed}: {file}'s {row} was rejected" for row in judging.wrong_rows(module)]
        for mistake in lesson.mistakes:
            if judging.accepts(mistake):
                tally.accepted.append(f"seed {seed}: {mistake.name} was accepted")
    return tally


def verify_seeds(lesson: Lesson, first: int, count: int, jobs: int) -> VerifyReport:
    """Judge right files and known mistakes on `count` seeds from `first` on, with `jobs` processes.

    Raises LessonError when the solution or a variant does not run.
    """
    size = min(MAX_SEEDS_OF_A_TASK, -(-count // jobs))
    chunks = [range(start, min(start + size, first + count)) for start in range(first, first + count, size)]
    tally = Tally()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(tally_seeds, lesson.course, lesson.name, chunk) for chunk in chunks]
        for done in as_completed(waiting):
            tally.add(done.result())
    draws = len(lesson.draws)
    problems = f" on {count_text(draws, 'problem')} each" if draws else ""
    summary = (
        f"{count_text(count, 'seed')} × ({count_text(len(right_files(lesson)), 'right file')}, "
        f"{count_text(len(lesson.mistakes), 'known mistake')}){problems}: {count_text(tally.judged, 'verdict')}, "
        f"{count_text(len(tally.rejected), 'right one')} rejected, "
        f"{count_text(len(tally.accepted), 'wrong one')} accepted"
    )
    return VerifyReport(summary, (tally.rejected + tally.accepted)[:50])


def redundant_mistakes(lesson: Lesson, seed: int) -> dict[str, str]:
    """{known mistake: message} of those that get a message without mistakes.py, from the general readings.

    Every mistake is graded again, by a lesson without mistakes.py.
    """
    found = {}
    bare = Lesson(lesson.course, lesson.name, secrets=False)
    bare.mistakes = ()  # not even the public ones
    with closing(Session([bare], seed)) as session:
        for mistakes, text in wrong_files(lesson):
            rows = rows_in(session.grade(submission_of(lesson, "mistakes", text)))
            for mistake in mistakes:
                names = own_rows(lesson, mistake) if is_formula(lesson, mistake) else [row.name for row in rows]
                named = [row.mistake for row in rows if row.name in names and row.mistake]
                if named:
                    found[mistake.name] = named[0].message
    return {mistake.name: found[mistake.name] for mistake in lesson.mistakes if mistake.name in found}


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="by number or name (all)")
    parser.add_argument("--seeds", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--redundant", action="store_true", help="list known mistakes named without mistakes.py")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    wrong = 0
    for lesson in lessons_named(options.lessons):
        if options.redundant:
            found = redundant_mistakes(lesson, options.seed)
            print(f"{lesson.name}: {len(found)} of {count_text(len(lesson.mistakes), 'known mistake')} named:")
            print("".join(f"  = {mistake}: {message}\n" for mistake, message in found.items()), end="")
            continue
        report = verify_seeds(lesson, options.seed, options.seeds, options.jobs)
        print(f"{lesson.name}: {report.summary}")
        print("".join(f"  ✗ {problem}\n" for problem in report.problems), end="", flush=True)
        wrong += len(report.problems)
    return 1 if wrong else 0
