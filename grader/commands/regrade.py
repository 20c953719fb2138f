"""`grade regrade`: what a changed lesson means for everybody's score, and with --apply, the new scores."""

from __future__ import annotations

import gc
import os
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.assignments import assignment_option, present_assignment
from grader.commands.console import (
    FAULT,
    STOPPED,
    console_for,
    course_option,
    fail,
    print_remarks,
    printable,
    require_solutions,
)
from grader.commands.live import RunView, what_failed
from grader.commands.opened_gradebook import (
    course_of,
    course_to_name,
    open_gradebook,
    out_option,
    write_other_gradebooks,
    write_views,
)
from grader.commands.options import lesson_option, require_option
from grader.commands.run_inputs import GRADER_PROGRAM, check_lessons, checked_isolation
from grader.publish.report.decisions import short_notes
from grader.publish.view import STATE_WORDS
from grader.results import points_text
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.gradebook.assignment.config import Assignment
    from grader.gradebook.database import Gradebook
    from grader.gradebook.grading.changes import RowChange, StudentChange
    from grader.gradebook.grading.regrade import RegradeOutcome, RegradePlan
    from grader.gradebook.grading.settings import RunIdentity, Settings
    from grader.lesson.lesson import Course

MAX_CHANGES_SHOWN, MAX_RESCALED_SHOWN = 15, 3


@click.command(
    epilog="""\b
Examples:
  grade regrade                 after a lesson or the assignment has changed: whose score would change, and why
  grade regrade --apply         makes this count; nothing is graded twice
  grade regrade --lesson 03     grades lesson 03 again, changed or not

\b
Exit status: 0 graded, 2 the command line or the gradebook is unusable, 3 something could not be graded
because of a fault of the grader (then nothing is applied), 130 stopped (the same command continues from there).
"""
)
@click.option("--apply", is_flag=True, help="Make the new verdicts count, and write every page that they change.")
@lesson_option("This lesson, changed or not; may be repeated.")
@assignment_option
@click.option("--jobs", type=click.IntRange(1), default=None, help="Grader processes.  [default: one per core]")
@require_option
@out_option
@course_option
def regrade(
    apply: bool,
    lesson_names: tuple[str, ...],
    assignment_file: Path | None,
    jobs: int | None,
    require: str,
    out: Path,
    course: Path | None,
) -> None:
    """Grades the gradebook's own submissions again.

    It uses the course and the assignment's file as they are now, and prints what would change. Without --apply every
    score stays as it is. Decisions (`grade adjust` and others) stay in force.
    """
    from grader.gradebook.grading.changes import changes_by, scoring
    from grader.gradebook.grading.regrade import RegradeOutcome
    from grader.gradebook.grading.settings import DRAWN, RunIdentity

    gc.set_threshold(100_000, 50, 100)  # results are many objects without cycles
    with open_gradebook(out) as gradebook:
        assignment, loaded = present_assignment(gradebook, course_to_use(gradebook, course), assignment_file)
        is_edited = scoring(assignment) != scoring(gradebook.assignment())
        plan = plan_of(gradebook, loaded, lesson_names)
        if not plan.due and not is_edited:
            click.echo(
                "Every attempt was graded with the lessons and the assignment as they are: nothing to do. --lesson "
                "grades one again."
            )
            return
        seed = gradebook.about().get("seed", DRAWN)
        settings = regrade_settings(loaded, plan.lessons, seed, out, require, assignment)
        outcome = RegradeOutcome()
        if plan.due:
            outcome = run_again(plan, gradebook, loaded, settings, jobs or os.cpu_count() or 1)
        changes = changes_by(outcome.results, plan.results, gradebook, assignment)
        causes = [*([f"{assignment.title}, edited"] if assignment is not None and is_edited else []), *plan.lessons]
        print_changes(changes, len(gradebook.students()), causes)
        if outcome.faults:
            click.echo("grade: nothing was applied." if apply else "grade: the comparison is not complete.", err=True)
            raise SystemExit(FAULT)
        if apply:
            make_count(plan, gradebook, settings, RunIdentity(loaded, seed, assignment, assignment_file))
        click.echo("Applied." if apply else "No score has changed yet: `grade regrade --apply` applies this.")


def course_to_use(gradebook: Gradebook, course: Path | None) -> Course:
    """The course that was named, or the gradebook's own; fails where that has to be named."""
    found = course_of(gradebook, course)
    if found is None:
        fail(f"{course_to_name(gradebook)}.")
    return found


def plan_of(gradebook: Gradebook, course: Course, lesson_names: Sequence[str]) -> RegradePlan:
    """What is to be graded again: attempts at changed lessons, or at the named ones."""
    from grader.gradebook.grading.regrade import plan_regrade

    plan = plan_regrade(gradebook, course, [course.find(name).name for name in lesson_names])
    if plan.gone:
        gone = ", ".join(plan.gone)
        click.echo(f"grade: no longer in this course, so their scores stay as they are: {gone}.", err=True)
    return plan


def run_again(plan: RegradePlan, gradebook: Gradebook, course: Course, settings: Settings, jobs: int) -> RegradeOutcome:
    """Grades what is planned, with progress, and prints what could not be graded. Exits where it was stopped."""
    from grader.gradebook.grading.regrade import grade_again

    lessons = [course.lessons[name] for name in plan.lessons]
    require_solutions(lessons)
    check_lessons(lessons)
    checked_isolation(settings.require)
    with RunView(console_for(stderr=True), False) as view:
        outcome = grade_again(plan, gradebook, course, settings, jobs, view)
    if outcome.stopped:
        click.echo(
            f"grade: stopped: {len(outcome.results)} of {len(plan.due)} are graded and kept aside. No score has "
            "changed. The same command goes on from there.",
            err=True,
        )
        raise SystemExit(STOPPED)
    print_remarks(what_failed(outcome.faults, len(plan.due)))
    return outcome


def make_count(
    plan: RegradePlan,
    gradebook: Gradebook,
    settings: Settings,
    identity: RunIdentity,
) -> None:
    """Make the new verdicts and the assignment count, and write every page that they change."""
    from grader.gradebook.grading.regrade import apply_regrade

    out, course = Path(settings.out), identity.course
    apply_regrade(plan, gradebook, course, settings)
    if identity.assignment is not None:
        gradebook.set_assignment(identity.assignment)
    gradebook.describe(identity.entries([course.lessons[name] for name in plan.lessons]))
    write_views(out, gradebook, course)
    write_other_gradebooks(out, gradebook.students(), course.root)


def regrade_settings(
    course: Course, lessons: list[str], seed: str, out: Path, require: str, assignment: Assignment | None
) -> Settings:
    """The settings of a run that grades again; `seed` is the gradebook's note: a number, or DRAWN."""
    from grader.gradebook.grading.settings import DRAWN, Settings

    return Settings(
        course=str(course.root.resolve()),
        lessons=lessons,
        seed=secrets.randbits(32) if seed == DRAWN else int(seed),
        out=str(out),
        program=GRADER_PROGRAM,
        seed_given=seed != DRAWN,
        require=require,
        course_settings={} if assignment is None else dict(assignment.settings),
    )


def print_changes(changes: Sequence[StudentChange], count: int, causes: Sequence[str]) -> None:
    """Print each student's change, row by row, then what changes in the class because of these `causes`."""
    for change in changes:
        click.echo(f"{printable(change.student)}: {score_change(change)}")
        before, after = (", ".join(short_notes(each)) or "no note" for each in (change.before, change.after))
        if before != after:
            click.echo(f"  {printable(before)} → {printable(after)}")
        rescaled = sum(row.has_same_verdict for row in change.rows)
        for row in change.rows:
            if not row.has_same_verdict or rescaled <= MAX_RESCALED_SHOWN:
                click.echo(f"  {printable(row_change(row))}")
        if rescaled > MAX_RESCALED_SHOWN:
            click.echo(f"  {rescaled} rows have the same verdict and other points")
    scored = [change for change in changes if change.gain]
    gain = sum(change.gain > 0 for change in scored)
    rows = Counter(row.name for change in changes for row in change.rows)
    click.echo(
        f"{', '.join(causes)}: {len(scored)} of {count} scores change: {gain} rise, {len(scored) - gain} fall."
        + (
            f" {len(changes) - len(scored)} more keep their score; their rows or their maximum change."
            if len(changes) > len(scored)
            else ""
        )
    )
    for name, students in rows.most_common(MAX_CHANGES_SHOWN):
        click.echo(f"  {name}: {count_text(students, 'student')}")
    if len(rows) > MAX_CHANGES_SHOWN:
        click.echo(f"  and {count_text(len(rows) - MAX_CHANGES_SHOWN, 'more row')}")


def score_change(change: StudentChange) -> str:
    before, after = change.before, change.after
    without = {"error": "not graded", "unclear": "not decided"}
    if before.status in without or after.status in without:
        return " → ".join(
            without.get(each.status, f"{points_text(each.score)} of {points_text(each.max_score)}")
            for each in (before, after)
        )
    most = f" of {points_text(before.max_score)}" if before.max_score != after.max_score else ""
    gain = f" ({'+' if change.gain > 0 else '-'}{points_text(abs(change.gain))})" if change.gain else ""
    return f"{points_text(before.score)}{most} → {points_text(after.score)} of {points_text(after.max_score)}{gain}"


def row_change(row: RowChange) -> str:
    """ "03_makemore_steps.dprobs: 0 → 1, wrong value → right", with the message where it is not right now."""
    if row.before is None or row.after is None:
        state, points = row.after or row.before or ("", 0)
        what, status = "new" if row.before is None else "gone", STATE_WORDS.get(state, state)
        return f"{row.name}: {what}, {status}, {points_text(points)}"
    (old, points), (new, points_now) = row.before, row.after
    words = f"{STATE_WORDS[old]} → {STATE_WORDS[new]}" if old != new else STATE_WORDS[new]
    figures = (
        f"{points_text(points)} → {points_text(points_now)}" if points != points_now else f"stays {points_text(points)}"
    )
    decided = " (adjusted by hand)" if row.decided else ""
    return f"{row.name}: {figures}, {words}{decided}" + (f": {row.message}" if row.message and old != new else "")
