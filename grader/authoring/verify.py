"""`grade verify`: proves that a course does what it says. Its own formulas are handed in like a student's."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.authoring.check_examples import example_faults
from grader.authoring.lesson_sources import is_formula, right_files, steps_of, variants
from grader.authoring.slips import faults, not_exact, remarks
from grader.authoring.stubs import stub_of
from grader.gradebook.grading.graded import Graded
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.lesson.mistakes import Mistake
from grader.results import Row
from grader.verdict.judging.examples import examples_of

IMPORTS = "import torch\nimport torch.nn.functional as F\n\n"


@dataclass
class Report:
    summary: str
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    redundant: dict[str, str] | None = None


def submission_of(lesson: Lesson, name: str, source: str) -> Submission:
    return Submission(name, Path(name), {lesson.name: LessonFiles(lesson.name, {"backward.py": source.encode()})})


def rows_in(graded: Graded) -> list[Row]:
    return graded.results.lessons[0].rows


def mistake_batches(mistakes: Sequence[Mistake]) -> Iterator[dict[str, Mistake]]:
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
        return session.grade(submission_of(lesson, name, source))

    try:
        solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        right = grade("solution", solution)
        for row in rows_in(right):
            if row.status != "passed" or row.chain == "failed":
                report.problems.append(f"solution: {row.name} is {row.status}, chain {row.chain}: {row.message}")
        if report.problems:  # everything else rests on it
            return report
        report.problems += example_faults(lesson, right_files(lesson))
        for row in rows_in(grade("stub", stub_of(lesson))):
            if row.points or row.status not in ("todo", "failed"):
                report.problems.append(f"stub: {row.name} is {row.status} with {row.points} points")
        for path in variants(lesson):
            for row in rows_in(grade(path.stem, path.read_text(encoding="utf-8"))):
                if row.status != "passed":
                    report.problems.append(f"variant {path.stem}: {row.name} is {row.status}: {row.message}")
        for mistakes, text in wrong_files(lesson, every):
            rows = rows_in(grade("mistakes", text))
            for mistake in mistakes:
                report.problems += naming_problems(mistake, rows_about(lesson, mistake, rows))
            report.problems += unexpected_failures(lesson, mistakes, rows)
    finally:
        session.close()
    names = not_exact(lesson, rows_in(right))
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
    for batch in mistake_batches(formulas):
        yield list(batch.values()), solution + "\n\n" + "\n\n\n".join(m.source() for m in batch.values()) + "\n"
    for mistake in [m for m in lesson.mistakes if m not in formulas][::every]:
        yield [mistake], mistake.applied_to(solution)


def rows_about(lesson: Lesson, mistake: Mistake, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows in which a mistake may show."""
    return [row for row in rows if row.name == mistake.gradient] if is_formula(lesson, mistake) else rows


def unexpected_failures(lesson: Lesson, mistakes: Sequence[Mistake], rows: Sequence[Row]) -> Iterator[str]:
    """Complaints about gradients that fail although only others are wrong."""
    if not all(is_formula(lesson, mistake) for mistake in mistakes):
        return
    changed = [mistake.gradient for mistake in mistakes]
    for row in rows:
        if row.name not in changed and row.status != "passed" and row.name in steps_of(lesson):
            yield f"{row.name} turned {row.status} although only {', '.join(changed)} were changed"


def redundant_mistakes(lesson: Lesson, seed: int) -> dict[str, str]:
    """{known mistake: message} of those that a lesson without its list still names, by the general readings.

    Every mistake is submitted again to the lesson without mistakes.py.
    """
    found = {}
    session = Session([Lesson(lesson.course, lesson.name, secrets=False)], seed)
    try:
        for mistakes, text in wrong_files(lesson):
            rows = rows_in(session.grade(submission_of(lesson, "mistakes", text)))
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
        report.redundant = redundant_mistakes(lesson, seed)
    return report


def naming_problems(mistake: Mistake, rows: Sequence[Row]) -> Iterator[str]:
    """Complaints about a known mistake: some of `rows` must not pass, and one of those must tell it."""
    failing = [row for row in rows if row.status != "passed"]
    if not failing:
        yield f"mistake {mistake.name} passed"
    elif not any(row.mistake and row.mistake.id == mistake.id for row in failing):
        told = [f"{row.name}: {row.mistake.id if row.mistake else row.message}" for row in failing]
        yield f"mistake {mistake.name} was told as {'; '.join(told)}"
