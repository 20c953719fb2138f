"""`grade verify`: proves that a course does what it says. Its own formulas are handed in like a student's."""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.check import judge_line
from grader.lesson import Lesson, load_module
from grader.local import run_formula
from grader.mistakes import Mistake
from grader.problem import Draw, Problem, derive
from grader.session import Graded, Session
from grader.stubs import stub_of
from grader.submission import Handed, Submission

IMPORTS = "import torch\nimport torch.nn.functional as F\n\n"


@dataclass
class Report:
    summary: str
    problems: list[str] = field(default_factory=list)


def handed_in(lesson: Lesson, name: str, source: str) -> Submission:
    return Submission(name, Path(name), {lesson.name: Handed(lesson.name, {"backward.py": source.encode()})})


def rows_of(graded: Graded) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = graded.results["lessons"][0]["gradients"]
    return rows


def variants(lesson: Lesson) -> list[Path]:
    return sorted((lesson.solution / "variants").glob("*.py"))


def sheets(mistakes: tuple[Mistake, ...]) -> Iterator[dict[str, Mistake]]:
    """The mistakes dealt onto as few submissions as possible: at most one wrong formula a gradient on each."""
    waiting: dict[str, list[Mistake]] = defaultdict(list)
    for mistake in mistakes:
        waiting[mistake.gradient].append(mistake)
    while waiting:
        yield {gradient: entries.pop(0) for gradient, entries in waiting.items()}
        waiting = defaultdict(list, {g: entries for g, entries in waiting.items() if entries})


def verify_lesson(lesson: Lesson, seed: int) -> Report:
    """The real way: every file through a worker, the hidden suite and pytest."""
    report = Report("")
    session = Session([lesson], seed)

    def grade(name: str, source: str) -> Graded:
        return session.grade(handed_in(lesson, name, source))

    try:
        solution = (lesson.solution / "backward.py").read_text(encoding="utf-8")
        right = grade("solution", solution)
        for row in rows_of(right):
            if row["status"] != "passed" or row["chain"] == "failed":
                report.problems.append(
                    f"solution: {row['name']} is {row['status']}, chain {row['chain']}: {row['message']}"
                )
        for row in rows_of(grade("stub", stub_of(lesson))):
            if row["points"] or row["status"] not in ("todo", "failed"):
                report.problems.append(f"stub: {row['name']} is {row['status']} with {row['points']} points")
        for path in variants(lesson):
            for row in rows_of(grade(path.stem, path.read_text(encoding="utf-8"))):
                if row["status"] != "passed":
                    report.problems.append(f"variant {path.stem}: {row['name']} is {row['status']}: {row['message']}")
        for sheet in sheets(lesson.mistakes):
            source = solution + "\n\n" + "\n\n\n".join(mistake.source() for mistake in sheet.values()) + "\n"
            rows = {row["name"]: row for row in rows_of(grade("mistakes", source))}
            for gradient, mistake in sheet.items():
                said = rows[gradient]["mistake"]
                if rows[gradient]["status"] == "passed":
                    report.problems.append(f"mistake {gradient}__{mistake.id} passed")
                elif said is None or said["id"] != mistake.id:
                    report.problems.append(
                        f"mistake {gradient}__{mistake.id} was told as {said['id'] if said else 'nothing'}"
                    )
            for name, row in rows.items():
                if name not in sheet and row["status"] != "passed" and name in {g.name for g in lesson.gradients}:
                    report.problems.append(
                        f"{name} turned {row['status']} although only {', '.join(sheet)} were changed"
                    )
    finally:
        session.close()
    exact = sum(bool(row["exact"]) for row in rows_of(right))
    report.summary = (
        f"solution {right.results['score']:g} of {right.results['max_score']:g} "
        f"({exact} of {len(lesson.gradients)} gradients bit-exact), stub 0, "
        f"{len(variants(lesson))} variants, {len(lesson.mistakes)} known mistakes"
    )
    return report


def suite_draws(lesson: Lesson) -> tuple[Draw, ...]:
    module = load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")
    draws: tuple[Draw, ...] = tuple(getattr(module, "DRAWS", ()))
    return draws


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in vars(module).items() if callable(value)}


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


def right_files(lesson: Lesson) -> dict[str, dict[str, Callable[..., Any]]]:
    """{"solution" or a variant's name: its functions}."""
    files = {"solution": lesson.solution / "backward.py"} | {path.stem: path for path in variants(lesson)}
    return {
        name: functions_of(load_module(path, f"backprop_ninja_{lesson.name}_{name}")) for name, path in files.items()
    }


def tally_seeds(course: Path, name: str, seeds: range) -> Tally:
    """Every right formula and every known mistake of one lesson judged on every seed, in this process."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    lesson = Lesson(course, name)
    draws, rights, tally = suite_draws(lesson), right_files(lesson), Tally()
    for seed in seeds:
        problems = [lesson.problem(draw, derive(seed, lesson.name, number)) for number, draw in enumerate(draws)]

        def passes(gradient: str, function: Callable[..., Any] | None, problems: list[Problem] = problems) -> bool:
            cases = [(problem, run_formula(function, gradient, problem)) for problem in problems]
            tally.judged += 1
            return judge_line(gradient[1:], cases, lesson.mistakes, naming=False).passed

        for file, functions in rights.items():
            for item in lesson.gradients:
                if not passes(item.name, functions.get(item.name)):
                    tally.rejected.append(f"seed {seed}: {file}'s {item.name} was rejected")
        for mistake in lesson.mistakes:
            if passes(mistake.gradient, mistake.function):
                tally.accepted.append(f"seed {seed}: {mistake.gradient}__{mistake.id} was accepted")
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
    summary = (
        f"{count} seeds × ({len(right_files(lesson))} right files, {len(lesson.mistakes)} wrong formulas) on "
        f"{len(suite_draws(lesson))} problems each: {tally.judged:,} verdicts, "
        f"{len(tally.rejected)} right ones rejected, {len(tally.accepted)} wrong ones accepted"
    )
    return Report(summary, (tally.rejected + tally.accepted)[:50])
