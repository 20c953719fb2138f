"""`grade verify`: proves that a course does what it says. Its own formulas are handed in like a student's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.check import judge_line
from grader.lesson import Lesson, load_module
from grader.local import run_formula
from grader.mistakes import Mistake
from grader.problem import Draw, derive
from grader.sandbox.client import Limits
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
    session = Session([lesson], seed, Limits())

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
        f"solution {right.results['score']:g} of {right.results['max_score']:g} ({exact} of {len(lesson.gradients)} gradients bit-exact), "
        f"stub 0, {len(variants(lesson))} variants, {len(lesson.mistakes)} known mistakes"
    )
    return report


def suite_draws(lesson: Lesson) -> tuple[Draw, ...]:
    module = load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")
    draws: tuple[Draw, ...] = tuple(getattr(module, "DRAWS", ()))
    return draws


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in vars(module).items() if callable(value)}


def verify_seeds(lesson: Lesson, first: int, count: int) -> Report:
    """The verdict alone, in this process, over `count` seeds: no right formula rejected, no wrong one accepted."""
    report = Report("")
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    draws = suite_draws(lesson)
    rights = {"solution": load_module(lesson.solution / "backward.py", f"backprop_ninja_solution_{lesson.name}")}
    rights |= {
        path.stem: load_module(path, f"backprop_ninja_variant_{lesson.name}_{path.stem}") for path in variants(lesson)
    }
    judged = rejected = accepted = 0
    for seed in range(first, first + count):
        problems = [lesson.problem(draw, derive(seed, lesson.name, number)) for number, draw in enumerate(draws)]
        for name, module in rights.items():
            functions = functions_of(module)
            for item in lesson.gradients:
                assert item.target is not None
                cases = [(p, run_formula(functions.get(item.name), item.name, p)) for p in problems]
                judged += 1
                if not judge_line(item.target, cases, naming=False).passed:
                    rejected += 1
                    report.problems.append(f"seed {seed}: {name}'s {item.name} was rejected")
        for mistake in lesson.mistakes:
            cases = [(p, run_formula(mistake.function, mistake.gradient, p)) for p in problems]
            judged += 1
            if judge_line(mistake.gradient[1:], cases, lesson.mistakes, naming=False).passed:
                accepted += 1
                report.problems.append(f"seed {seed}: {mistake.gradient}__{mistake.id} was accepted")
    report.summary = (
        f"{count} seeds × ({len(rights)} right files, {len(lesson.mistakes)} wrong formulas) on {len(draws)} problems each: "
        f"{judged:,} verdicts, {rejected} right ones rejected, {accepted} wrong ones accepted"
    )
    del report.problems[50:]
    return report
