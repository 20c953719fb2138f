"""What a class's results say: the hardest gradients, the most frequent mistakes, who handed in nothing, grades.csv."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from grader.report.inert import csv_cell
from grader.report.reading import UNWRITTEN
from grader.report.scores import number, percent

Results = Mapping[str, Any]


@dataclass
class Difficulty:
    """How a class did on one row. `discrimination` is the correlation of passing it with the rest of the score."""

    lesson: str
    name: str
    passed: int = 0
    wrong: int = 0
    unwritten: int = 0
    discrimination: float | None = None

    @property
    def total(self) -> int:
        return self.passed + self.wrong + self.unwritten


def difficulties(results: Sequence[Results]) -> list[Difficulty]:
    """Every row of the lessons handed in, the one that fewest passed first."""
    found: dict[tuple[str, str], Difficulty] = {}
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for result in results:
        for lesson in result["lessons"]:
            for row in lesson["gradients"] if lesson["status"] == "graded" else ():
                key = lesson["name"], row["name"]
                entry = found.setdefault(key, Difficulty(*key))
                kind = "unwritten" if row["status"] in UNWRITTEN else "passed" if row["status"] == "passed" else "wrong"
                setattr(entry, kind, getattr(entry, kind) + 1)
                points.setdefault(key, []).append((row["points"], result["score"] - row["points"]))
    for key, pairs in points.items():
        own, rest = zip(*pairs, strict=True)
        if len(pairs) >= 10 and len(set(own)) > 1 and len(set(rest)) > 1:
            found[key].discrimination = statistics.correlation(own, rest)
    return sorted(found.values(), key=lambda entry: (entry.passed / entry.total, -entry.wrong))


def mistakes(results: Sequence[Results]) -> list[tuple[str, str, str, list[str]]]:
    """(lesson, row, what is told, the students who made it) of every named mistake, the most frequent first."""
    who: dict[tuple[str, str, str], list[str]] = {}
    told: dict[tuple[str, str, str], str] = {}
    for result in results:
        for lesson in result["lessons"]:
            for row in lesson["gradients"]:
                if row["mistake"]:
                    key = lesson["name"], row["name"], row["mistake"]["id"]
                    told.setdefault(key, row["mistake"]["message"])
                    who.setdefault(key, []).append(result["student"])
    return [(*key[:2], told[key], names) for key, names in sorted(who.items(), key=lambda entry: -len(entry[1]))]


def absences(results: Sequence[Results]) -> list[tuple[str, str, str | None, list[str]]]:
    """(lesson or "", status, reason, students): what was not graded, the same reason told once."""
    who: dict[tuple[str, str, str | None], list[str]] = {}
    for result in results:
        if result["status"] != "graded":
            who.setdefault(("", result["status"], result["message"]), []).append(result["student"])
            continue
        for lesson in result["lessons"]:
            if lesson["status"] != "graded":
                who.setdefault((lesson["name"], lesson["status"], lesson["message"]), []).append(result["student"])
    return [(*key, names) for key, names in sorted(who.items(), key=lambda entry: (entry[0][0], -len(entry[1])))]


def link(student: str) -> str:
    """The address of a student's page from index.html, whatever the name holds."""
    return quote(student, safe="", errors="surrogateescape") + "/report.html"


def duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )


def lesson_names(results: Sequence[Results]) -> list[str]:
    return sorted({lesson["name"] for result in results for lesson in result["lessons"]})


def csv_rows(results: Sequence[Results]) -> list[list[str]]:
    """grades.csv with its header. What could not be graded for a reason of ours has no figures: it is no zero."""
    lessons = lesson_names(results)
    rows = [["student", *lessons, "total", "max", "percent"]]
    for result in results:
        scores = {lesson["name"]: f"{lesson['score']:g}" for lesson in result["lessons"]}
        known = result["status"] != "error"
        total, share = (f"{result['score']:g}", f"{number(round(percent(result), 2)):g}") if known else ("", "")
        cells = [scores.get(name, "") for name in lessons]
        rows.append([result["student"], *cells, total, f"{result['max_score']:g}", share])
    return [[csv_cell(cell) for cell in row] for row in rows]
