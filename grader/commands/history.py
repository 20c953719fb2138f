"""`grade history`: a student's attempts, verdicts and decisions, in order."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from grader.commands.console import console_for, printable
from grader.commands.deciding import DECISION_WORDS, is_in_force, student_names
from grader.commands.opened_gradebook import StudentParam, out_option, read_gradebook
from grader.gradebook.database import Gradebook
from grader.gradebook.lookup import find_student
from grader.gradebook.plain_values import time_from_text
from grader.results import points_text


@click.command(
    epilog="""\b
Examples:
  grade history "Ada Okafor"
  grade history ada -o hw2
"""
)
@click.argument("student", type=StudentParam())
@out_option
def history(student: str, out: Path) -> None:
    """Shows a student's attempts, verdicts and decisions.

    They are in order of time. Times are in the assignment's time zone; without a due date, in this machine's.
    """
    with read_gradebook(out) as gradebook:
        name = find_student(student, *student_names(gradebook))
        entries, current = entries_about(name, gradebook), gradebook.current_of(name)
        assignment = gradebook.assignment()
    zone = assignment.due.tzinfo if assignment is not None and assignment.due is not None else None
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("when", "no.", "what", "points", "by", "text"):
        table.add_column(column, justify="right" if column == "no." else "left", overflow="fold")
    for entry in entries:
        table.add_row(*(printable(cell) for cell in history_cells(entry, zone)))
    console = console_for()
    console.print(table)
    total = f"{points_text(current.score)} of {points_text(current.max_score)}"
    state = "" if current.status == "graded" else f" ({current.status})"
    console.print(f"{printable(name)} now has {total}{state}.", soft_wrap=True)


def entries_about(student: str, gradebook: Gradebook) -> list[dict[str, Any]]:
    """Attempts, verdicts and decisions as JSON objects, in the order of time."""
    former = [name for name, present in gradebook.new_names().items() if present == student]
    entries: list[dict[str, Any]] = []
    for name in [*former, student]:
        stored = {each.id: each for each in gradebook.stored_attempts(name)}
        seen = set()
        for attempt, graded, results in gradebook.verdicts_on(name):
            entries.append(
                {
                    "what": "verdict" if attempt in seen else "attempt",
                    "id": attempt,
                    "student": name,
                    "submitted": stored[attempt].submitted,
                    "time_source": stored[attempt].time_source,
                    "time": graded,
                    "status": results.status,
                    "score": results.score,
                    "max_score": results.max_score,
                    "lessons": {each.name: [each.score, each.max_score, each.status] for each in results.lessons},
                    "submission_sha256": results.submission_sha256,
                    "message": results.message,
                }
            )
            seen.add(attempt)
    decisions = gradebook.decisions_about(student)
    for each in decisions:
        entries.append(
            {
                "what": "decision",
                "id": each.id,
                "student": each.student,
                "time": each.made.isoformat(),
                "kind": each.kind,
                "row": each.row,
                "points": each.points,
                "until": None if each.until is None else each.until.isoformat(),
                "author": each.author,
                "text": each.text,
                "undoes": each.undoes,
                "in_force": is_in_force(each, decisions),
            }
        )
    return sorted(entries, key=lambda entry: (time_from_text(entry["time"]), entry["what"] == "decision"))


def history_cells(entry: dict[str, Any], zone: tzinfo | None) -> tuple[str, ...]:
    """A line of the table, with times in this zone."""
    when = time_text(entry["time"], zone)
    if entry["what"] == "decision":
        kind = DECISION_WORDS.get(entry["kind"], entry["kind"])
        about = f"{entry['row']} " if entry["row"] else ""
        points = "" if entry["points"] is None else f"{about}{points_text(entry['points'])}"
        until = f" until {time_text(entry['until'], zone)}" if entry["until"] else ""
        of = f" {entry['undoes']}" if entry["undoes"] else ""
        state = "" if entry["in_force"] or entry["kind"] == "undo" else " (undone)"
        what = f"{kind}{of}{until}{state}"
        return when, str(entry["id"]), what, points or about.strip(), entry["author"], entry["text"]
    lessons = ", ".join(
        f"{name.partition('_')[0]} {points_text(score)}"
        for name, (score, _, status) in entry["lessons"].items()
        if status == "graded"
    )
    points = f"{points_text(entry['score'])} of {points_text(entry['max_score'])}"
    points += f" ({lessons})" if len(entry["lessons"]) > 1 else ""
    submitted = f", submitted {time_text(entry['submitted'], zone)}" if entry["submitted"] else ""
    submitted += f" by {entry['time_source']}" if submitted and entry["time_source"] else ""
    what = "graded again" if entry["what"] == "verdict" else f"attempt{submitted}"
    state = "" if entry["status"] == "graded" else entry["status"]
    return when, f"#{entry['id']}", what, points, "", " ".join(part for part in (state, entry["message"]) if part)


def time_text(text: str, zone: tzinfo | None) -> str:
    """A time of the gradebook in the assignment's zone, else in this machine's, with the zone's name."""
    return f"{time_from_text(text).astimezone(zone):%Y-%m-%d %H:%M %Z}"
