"""`grade verify --seeds`: over many seeds, no right formula is rejected and no known mistake is accepted."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import torch

from grader.authoring.lesson_sources import is_formula, right_files, suite_of
from grader.authoring.verify import VerifyReport
from grader.calling.module_target import Measurements, ModuleTarget
from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent, run_formula
from grader.results.wording import count_text
from grader.verdict.judging.behaviour import Check
from grader.verdict.judging.check_runs import run_check, tests_of
from grader.verdict.judging.gradient import judge_step
from grader.verdict.judging.hidden_problems import ProblemBook
from grader.verdict.judging.line import judge_line

REJECTED_BY: defaultdict[str, dict[str, str]] = defaultdict(dict)
"""{lesson: {mistake: the row that it failed last}}, for as long as this process judges seeds."""

MAX_SEEDS_OF_A_TASK = 10
"""A process reports its progress after so many seeds."""


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
    With `only`, no other row is judged.
    """

    def __init__(self, lesson: Lesson, seed: int, tally: Tally, rejected_by: dict[str, str], only: str = "") -> None:
        self.lesson, self._tally, self._book, self._rejected_by = lesson, tally, ProblemBook(seed), rejected_by
        self._problems = self._book.problems(lesson, lesson.draws)
        self._tests = tests_of(suite_of(lesson))
        self._items = [item for item in lesson.items if only in ("", item.name)]

    def wrong_rows(self, module: ModuleType, first: str = "", likely: str = "") -> Iterator[str]:
        """The rows that `module` fails, one after another: `likely` first, then those about the function `first`."""
        steps = [item.name for item in self.lesson.gradients]
        student = LocalStudent(vars(module), steps, self.lesson.joint)
        measurements: Measurements = {}
        for item in sorted(self._items, key=lambda item: (item.name != likely, item.function != first)):
            self._tally.judged += 1
            if item.target is not None:
                verdict = judge_step(student, item.name, self._problems, self.lesson.wrong_formulas, naming=False)
                right = verdict.passed
            else:
                # Watching can only turn a failure into a pass (what is in float32 may be coarser).
                right = any(
                    self.holds(item, student, ModuleTarget(module, watched, measurements))
                    for watched in ((True,) if first else (False, True))
                )
            if not right:
                yield item.name

    def holds(self, item: Item, student: LocalStudent, target: ModuleTarget) -> bool:
        """Whether a check passes."""
        check = Check(self.lesson, item, student, target, self._book, naming=False)
        return run_check(self._tests[item.name], check) is None

    def accepts(self, mistake: Mistake) -> bool:
        """Whether a known mistake passes: its own gradient and the checks of it where it is one, else every row."""

        def passes_all() -> bool:
            likely = self._rejected_by.get(mistake.name, "")
            row = next(self.wrong_rows(self.lesson.wrong(mistake), mistake.gradient, likely), None)
            if row is not None:
                self._rejected_by[mistake.name] = row
            return row is None

        if mistake.function is None or not is_formula(self.lesson, mistake):
            return passes_all()
        answers = [(p, run_formula(mistake.function, mistake.gradient, p)) for p in self._problems]
        self._tally.judged += 1
        right = judge_line(mistake.gradient[1:], answers, self.lesson.wrong_formulas, naming=False).passed
        return right and passes_all()


def tally_seeds(course: Path, name: str, seeds: range, row: str = "") -> Tally:
    """Every right file and every known mistake of one lesson judged on every seed, in this process.

    With `row`, only this row of the right files.
    """
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    lesson, tally = Lesson(course, name), Tally()
    rights = right_files(lesson)
    for seed in seeds:
        judging = Judging(lesson, seed, tally, REJECTED_BY[name], row)
        for file, module in rights.items():
            tally.rejected += [f"seed {seed}: {file}'s {row} was rejected" for row in judging.wrong_rows(module)]
        for mistake in () if row else lesson.mistakes:
            if judging.accepts(mistake):
                tally.accepted.append(f"seed {seed}: {mistake.name} was accepted")
    return tally


def verify_seeds(
    lesson: Lesson, first: int, count: int, jobs: int, on_progress: Callable[[int], None], row: str = ""
) -> VerifyReport:
    """Judge right files and known mistakes on `count` seeds from `first` on, with `jobs` processes.

    With `row`, only this row of the right files is judged.

    `on_progress` is called with the number of seeds that were finished since its last call.

    Raises LessonError when the solution or a variant does not run.
    """
    size = min(MAX_SEEDS_OF_A_TASK, -(-count // jobs))
    chunks = [range(start, min(start + size, first + count)) for start in range(first, first + count, size)]
    tally = Tally()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(tally_seeds, lesson.course, lesson.name, chunk, row): len(chunk) for chunk in chunks}
        for done in as_completed(waiting):
            tally.add(done.result())
            on_progress(waiting[done])
    draws = len(lesson.draws)
    problems = f" on {count_text(draws, 'problem')} each" if draws else ""
    judged = f"the row {row}" if row else count_text(len(lesson.mistakes), "known mistake")
    summary = (
        f"{count_text(count, 'seed')} × ({count_text(len(right_files(lesson)), 'right file')}, {judged}){problems}: "
        f"{count_text(tally.judged, 'verdict')}, {count_text(len(tally.rejected), 'right one')} rejected"
        + ("" if row else f", {count_text(len(tally.accepted), 'wrong one')} accepted")
    )
    return VerifyReport(summary, (tally.rejected + tally.accepted)[:50])
