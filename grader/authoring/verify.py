"""`grade verify`: proves that a course does what it says. Its own formulas are handed in like a student's."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType

import torch

from grader.authoring.check_examples import example_faults
from grader.authoring.slips import faults, not_exact, remarks
from grader.authoring.stubs import stub_of
from grader.calling.in_process import Measurements, ModuleTarget
from grader.gradebook.grading.graded import Graded
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Item, Lesson, load_module
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent, run_formula
from grader.results import Row
from grader.verdict.judging.behaviour import Check
from grader.verdict.judging.check_runs import run_check, tests_of
from grader.verdict.judging.examples import examples_of
from grader.verdict.judging.gradient import judge_step
from grader.verdict.judging.hidden_problems import ProblemBook
from grader.verdict.judging.line import judge_line

IMPORTS = "import torch\nimport torch.nn.functional as F\n\n"


@dataclass
class Report:
    summary: str
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    named_anyway: dict[str, str] | None = None


def handed_in(lesson: Lesson, name: str, source: str) -> Submission:
    return Submission(name, Path(name), {lesson.name: LessonFiles(lesson.name, {"backward.py": source.encode()})})


def rows_of(graded: Graded) -> list[Row]:
    return graded.results.lessons[0].rows


def variants(lesson: Lesson) -> list[Path]:
    return sorted((lesson.solution / "variants").glob("*.py"))


def sheets(mistakes: Sequence[Mistake]) -> Iterator[dict[str, Mistake]]:
    """The mistakes dealt onto as few submissions as possible: at most one wrong formula a gradient on each."""
    waiting: dict[str, list[Mistake]] = defaultdict(list)
    for mistake in mistakes:
        waiting[mistake.gradient].append(mistake)
    while waiting:
        yield {gradient: entries.pop(0) for gradient, entries in waiting.items()}
        waiting = defaultdict(list, {g: entries for g, entries in waiting.items() if entries})


def verify_lesson(lesson: Lesson, seed: int, every: int = 1) -> Report:
    """The real way: every file through a worker, the hidden suite and pytest. Of the mistakes, each `every`-th.

    Mistakes in steps are handed in many at a time, and all of them.
    """
    report = Report("", list(faults(lesson)), list(remarks(lesson)))
    if report.problems:
        return report
    session = Session([lesson], seed)

    def grade(name: str, source: str) -> Graded:
        return session.grade(handed_in(lesson, name, source))

    try:
        solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        right = grade("solution", solution)
        for row in rows_of(right):
            if row.status != "passed" or row.chain == "failed":
                report.problems.append(f"solution: {row.name} is {row.status}, chain {row.chain}: {row.message}")
        if report.problems:  # everything else rests on it
            return report
        report.problems += example_faults(lesson, right_files(lesson))
        for row in rows_of(grade("stub", stub_of(lesson))):
            if row.points or row.status not in ("todo", "failed"):
                report.problems.append(f"stub: {row.name} is {row.status} with {row.points} points")
        for path in variants(lesson):
            for row in rows_of(grade(path.stem, path.read_text(encoding="utf-8"))):
                if row.status != "passed":
                    report.problems.append(f"variant {path.stem}: {row.name} is {row.status}: {row.message}")
        for mistakes, text in wrong_files(lesson, every):
            rows = rows_of(grade("mistakes", text))
            for mistake in mistakes:
                report.problems += misjudged(mistake, rows_about(lesson, mistake, rows))
            report.problems += spoiled(lesson, mistakes, rows)
    finally:
        session.close()
    names = not_exact(lesson, rows_of(right))
    exact = f"{len(lesson.gradients) - len(names)} of {len(lesson.gradients)} gradients bit-exact"
    but = f", not {', '.join(names)}" if 0 < len(names) <= 4 else ""
    report.summary = (
        f"solution {right.results.score:g} of {right.results.max_score:g}"
        + (f" ({exact}{but})" if lesson.gradients else "")
        + f", stub 0, {len(variants(lesson))} variants, {len(lesson.mistakes)} known mistakes"
        + (f", {len(examples_of(lesson))} public examples" if examples_of(lesson) else "")
    )
    return report


def wrong_files(lesson: Lesson, every: int = 1) -> Iterator[tuple[list[Mistake], str]]:
    """(known mistakes, the answer key with them in it): one mistake per file, but many gradients' formulas in one.

    Of the mistakes that have a file of their own, each `every`-th.
    """
    solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
    formulas = [mistake for mistake in lesson.mistakes if is_formula(lesson, mistake)]
    for sheet in sheets(formulas):
        yield list(sheet.values()), solution + "\n\n" + "\n\n\n".join(m.source() for m in sheet.values()) + "\n"
    for mistake in [m for m in lesson.mistakes if m not in formulas][::every]:
        yield [mistake], mistake.applied_to(solution)


def is_formula(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether a mistake is a wrong function in place of a gradient's, so that only that gradient's row fails."""
    return mistake.function is not None and mistake.gradient in steps_of(lesson)


def rows_about(lesson: Lesson, mistake: Mistake, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows in which a mistake may show."""
    return [row for row in rows if row.name == mistake.gradient] if is_formula(lesson, mistake) else rows


def spoiled(lesson: Lesson, mistakes: Sequence[Mistake], rows: Sequence[Row]) -> Iterator[str]:
    """Complaints about gradients that fail although only others are wrong."""
    if not all(is_formula(lesson, mistake) for mistake in mistakes):
        return
    changed = [mistake.gradient for mistake in mistakes]
    for row in rows:
        if row.name not in changed and row.status != "passed" and row.name in steps_of(lesson):
            yield f"{row.name} turned {row.status} although only {', '.join(changed)} were changed"


def named_anyway(lesson: Lesson, seed: int) -> dict[str, str]:
    """{known mistake: message} of those that a lesson without its list still names, by the general readings.

    Every mistake is submitted again to the lesson without mistakes.py.
    """
    found = {}
    session = Session([Lesson(lesson.course, lesson.name, secrets=False)], seed)
    try:
        for mistakes, text in wrong_files(lesson):
            rows = rows_of(session.grade(handed_in(lesson, "mistakes", text)))
            for mistake in mistakes:
                named = [row.mistake for row in rows_about(lesson, mistake, rows) if row.mistake]
                if named:
                    found[mistake.name] = named[0].message
    finally:
        session.close()
    return {mistake.name: found[mistake.name] for mistake in lesson.mistakes if mistake.name in found}


def verify_course(
    course: Path, names: Sequence[str], seed: int, jobs: int, redundant: bool = False
) -> Iterator[tuple[str, Report]]:
    """(lesson, its report) in the order of `names`, several lessons at a time.

    With `redundant`, a report also says which known mistakes the general readings name.
    """
    verify = partial(verify_by_name, course, seed=seed, redundant=redundant)
    if jobs == 1 or len(names) == 1:
        yield from ((name, verify(name)) for name in names)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from zip(names, pool.map(verify, names), strict=True)


def verify_by_name(course: Path, name: str, seed: int, redundant: bool) -> Report:
    lesson = Lesson(course, name)
    report = verify_lesson(lesson, seed)
    if redundant and not report.problems:
        report.named_anyway = named_anyway(lesson, seed)
    return report


def misjudged(mistake: Mistake, rows: Sequence[Row]) -> Iterator[str]:
    """Complaints about a known mistake: some of `rows` must not pass, and one of those must tell it."""
    failing = [row for row in rows if row.status != "passed"]
    if not failing:
        yield f"mistake {mistake.name} passed"
    elif not any(row.mistake and row.mistake.id == mistake.id for row in failing):
        told = [f"{row.name}: {row.mistake.id if row.mistake else row.message}" for row in failing]
        yield f"mistake {mistake.name} was told as {'; '.join(told)}"


def steps_of(lesson: Lesson) -> tuple[str, ...]:
    """Gradients that are functions of their own."""
    return () if lesson.joint else tuple(item.name for item in lesson.gradients)


def suite_of(lesson: Lesson) -> ModuleType:
    return load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")


@dataclass
class Tally:
    """Verdicts counted over some seeds: `judged` of them, and a sentence for each that is not as it should be."""

    judged: int = 0
    rejected: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.judged += other.judged
        self.rejected += other.rejected
        self.accepted += other.accepted


def right_files(lesson: Lesson) -> dict[str, ModuleType]:
    """{"solution" or a variant's name: the file as a module}."""
    files = {path.stem: load_module(path, f"backprop_ninja_{lesson.name}_{path.stem}") for path in variants(lesson)}
    return {"solution": lesson.answers} | files


class Judging:
    """One lesson's hidden suite on one seed, in this process; `tally` counts the verdicts."""

    def __init__(self, lesson: Lesson, seed: int, tally: Tally) -> None:
        self.lesson, self._tally, self._book = lesson, tally, ProblemBook(seed)
        self._problems = self._book.problems(lesson, lesson.draws)
        self._tests = tests_of(suite_of(lesson))

    def wrong_rows(self, module: ModuleType, first: str = "") -> Iterator[str]:
        """The rows that `module` fails, one after another, those about the function `first` before all others."""
        steps = [item.name for item in self.lesson.gradients]
        student = LocalStudent(vars(module), steps, self.lesson.joint)
        measurements: Measurements = {}
        for item in sorted(self.lesson.items, key=lambda item: item.function != first):
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
        """Whether a known mistake passes: its own gradient where it is one, else every row."""
        if mistake.function is None or not is_formula(self.lesson, mistake):
            return next(self.wrong_rows(self.lesson.wrong(mistake), mistake.gradient), None) is None
        answers = [(p, run_formula(mistake.function, mistake.gradient, p)) for p in self._problems]
        self._tally.judged += 1
        return judge_line(mistake.gradient[1:], answers, self.lesson.wrong_formulas, naming=False).passed


def tally_seeds(course: Path, name: str, seeds: range) -> Tally:
    """Every right file and every known mistake of one lesson judged on every seed, in this process."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    lesson, tally = Lesson(course, name), Tally()
    rights = right_files(lesson)
    for seed in seeds:
        judging = Judging(lesson, seed, tally)
        for file, module in rights.items():
            tally.rejected += [f"seed {seed}: {file}'s {row} was rejected" for row in judging.wrong_rows(module)]
        for mistake in lesson.mistakes:
            if judging.accepts(mistake):
                tally.accepted.append(f"seed {seed}: {mistake.name} was accepted")
    return tally


def verify_seeds(lesson: Lesson, first: int, count: int, jobs: int, on_progress: Callable[[int], None]) -> Report:
    """The verdict alone over `count` seeds: no right formula rejected, no wrong one accepted.

    `on_progress` is told how many seeds were finished, whenever some are.
    """
    chunks = [range(start, min(start + 10, first + count)) for start in range(first, first + count, 10)]
    tally = Tally()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(tally_seeds, lesson.course, lesson.name, chunk): len(chunk) for chunk in chunks}
        for done in as_completed(waiting):
            tally.add(done.result())
            on_progress(waiting[done])
    draws = len(lesson.draws)
    problems = f" on {draws} problems each" if draws else ""
    summary = (
        f"{count} seeds × ({len(right_files(lesson))} right files, {len(lesson.mistakes)} known mistakes){problems}: "
        f"{tally.judged:,} verdicts, {len(tally.rejected)} right ones rejected, "
        f"{len(tally.accepted)} wrong ones accepted"
    )
    return Report(summary, (tally.rejected + tally.accepted)[:50])
