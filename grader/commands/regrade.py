"""`grade regrade`: what a changed lesson means for everybody's score, and with --apply, the new scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from grader.commands.checks import checked_isolation, require_solutions, settings_for
from grader.commands.command_line import FAULT, STOPPED, option
from grader.commands.console import console_for, print_remarks, say
from grader.commands.decisions import change_text
from grader.commands.live import RunView, what_failed
from grader.commands.options import LessonNames, Require
from grader.commands.out_folder import OutToWrite
from grader.gradebook.assignment.config import Assignment, parse_assignment, read_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.grading.outcome import RowChange, StudentChange, changes_by, scoring
from grader.gradebook.grading.regrade import Regrade
from grader.gradebook.grading.settings import ASSIGNMENT_FILE_ENTRY, DRAWN, run_entries
from grader.lesson.lesson import Course
from grader.publish.report.decisions import short_notes
from grader.publish.view import STATE_WORDS
from grader.results import SubmissionResult, points_text
from grader.results.wording import count_text

WITHOUT_SCORE = {"error": "not graded", "unclear": "not decided"}


def regrade(
    apply: Annotated[bool, option("--apply", "Make this count, and write every page that it changes.")],
    lesson_names: LessonNames,
    require: Require,
    out: OutToWrite,
) -> None:
    """Grades the gradebook's own submissions again, with the course and the assignment's file as they are now.

    It prints whose score would change, and why. Without --apply every score stays as it is. Decisions (`grade adjust`
    and others) stay in force. A lesson that --lesson names is graded again, changed or not. Where something could not
    be graded because of a fault of the grader, nothing is applied, and the exit status is 3.

    Examples:
      grade regrade --apply         makes this count; nothing is graded twice
    """
    gradebook = out.gradebook
    assignment, loaded = present_assignment(gradebook, out.required_course())
    again = Regrade(gradebook, loaded, [loaded.find(name).name for name in lesson_names])
    if again.gone:
        print_remarks([f"no longer in this course, so their scores stay as they are: {', '.join(again.gone)}."])
    is_edited = scoring(assignment) != scoring(gradebook.assignment())
    if not again.due and not is_edited:
        what = "Every attempt was graded with the lessons and the assignment as they are: nothing to do."
        say(f"{what} --lesson grades one again.")
        return
    seed, lessons = gradebook.about().get("seed", DRAWN), [loaded.lessons[name] for name in again.lessons]
    drawn = None if seed == DRAWN else int(seed)
    settings = settings_for(loaded, again.lessons, drawn, out.path, require, limits=again.limits)
    if again.due:
        require_solutions(lessons)
        checked_isolation(require)
        with RunView(console_for(stderr=True)) as view:
            again.grade(settings, os.cpu_count() or 1, view)
    if again.stopped:
        graded = f"{len(again.results)} of {len(again.due)} are graded and kept aside"
        print_remarks([f"stopped: {graded}. No score has changed. The same command goes on from there."])
        raise SystemExit(STOPPED)
    print_remarks(what_failed(again.faults, len(again.due)))
    changes = changes_by(again.results, gradebook, assignment)
    causes = [*([f"{assignment.title}, edited"] if assignment is not None and is_edited else []), *again.lessons]
    print_changes(changes, len(gradebook.students()), causes)
    if again.faults:
        print_remarks(["nothing was applied." if apply else "the comparison is not complete."])
        raise SystemExit(FAULT)
    if apply:
        again.apply(settings)
        if assignment is not None:
            gradebook.set_assignment(assignment)
        gradebook.describe(run_entries(loaded, lessons, seed))
        out.course = loaded
        out.publish(gradebook.students())
    say("Applied." if apply else "No score has changed yet: `grade regrade --apply` applies this.")


def present_assignment(gradebook: Gradebook, course: Course) -> tuple[Assignment | None, Course]:
    """(the gradebook's assignment as its file and the lessons are now; the course with its settings).

    Where the file that a run was given last is not there, or was made another assignment's, it is the text in the
    gradebook. Raises UserError.
    """
    counting, lessons = gradebook.assignment(), list(course.lessons.values())
    if counting is None:
        return None, course
    path = Path(gradebook.about().get(ASSIGNMENT_FILE_ENTRY, ""))
    found = read_assignment(path, lessons) if path.is_file() else None
    if found is not None and found.title != counting.title:
        titles = f"{path} is {found.title!r}, and this is the gradebook of {counting.title!r}"
        print_remarks([f"{titles}, which is used as the gradebook has it."])
        found = None
    found = found or parse_assignment(counting.text, Path(GRADEBOOK), lessons)
    return found, Course(course.root, changed=found.settings)


def print_changes(changes: Sequence[StudentChange], count: int, causes: Sequence[str]) -> None:
    """Print each student's change, row by row, then what changes in the class because of these `causes`."""
    for change in changes:
        before, after = change.before, change.after
        gain = f" ({'+' if change.gain > 0 else '-'}{points_text(abs(change.gain))})" if change.gain else ""
        scores = change_text((before.score, before.max_score), (after.score, after.max_score)) + gain
        if before.status in WITHOUT_SCORE or after.status in WITHOUT_SCORE:
            scores = f"{score_text(before)} → {score_text(after)}"
        lines = [f"{change.student}: {scores}"]
        notes = [", ".join(short_notes(each)) or "no note" for each in (before, after)]
        lines += [f"  {notes[0]} → {notes[1]}"] if notes[0] != notes[1] else []
        lines += [f"  {row_change(row)}" for row in change.rows if not row.has_same_verdict]
        if rescaled := sum(row.has_same_verdict for row in change.rows):
            lines.append(f"  {count_text(rescaled, 'row has', 'rows have')} the same verdict and other points")
        say(*lines)
    scored = [change for change in changes if change.gain]
    up, kept = sum(change.gain > 0 for change in scored), len(changes) - len(scored)
    more = f" {kept} more keep their score; their rows or their maximum change." if kept else ""
    say(f"{', '.join(causes)}: {len(scored)} of {count} scores change: {up} rise, {len(scored) - up} fall.{more}")


def score_text(results: SubmissionResult) -> str:
    score = f"{points_text(results.score)} of {points_text(results.max_score)}"
    return WITHOUT_SCORE.get(results.status, score)


def row_change(row: RowChange) -> str:
    """ "03_makemore_steps.dprobs: 0 → 1, wrong value → right", with the message where it is not right now."""
    if row.before is None or row.after is None:
        state, points = row.after or row.before or ("", 0)
        what, status = "new" if row.before is None else "gone", STATE_WORDS.get(state, state)
        return f"{row.name}: {what}, {status}, {points_text(points)}"
    (old, points), (new, points_now) = row.before, row.after
    stays = f"stays {points_text(points)}"
    figures = stays if points == points_now else f"{points_text(points)} → {points_text(points_now)}"
    words = f"{STATE_WORDS[old]} → {STATE_WORDS[new]}" if old != new else STATE_WORDS[new]
    decided = " (adjusted by hand)" if row.decided else ""
    return f"{row.name}: {figures}, {words}{decided}" + (f": {row.message}" if row.message and old != new else "")
