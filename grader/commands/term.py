"""The other gradebooks of a term: a command that frees or spends free late days changes their pages too."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click

from grader.commands.opened_gradebook import FEW, course_of, open_gradebook, read_gradebook, write_views
from grader.errors import UserError
from grader.gradebook.database import Gradebook


def write_other_gradebooks(out: Path, students: Collection[str]) -> None:
    """Write the pages of these students in the gradebooks that share free late days with `out`, where they changed.

    A gradebook that cannot be written now is named, with what to do.
    """
    with read_gradebook(out) as gradebook:
        others = gradebook.others_of_term()
    for other in others:
        try:
            with open_gradebook(other) as gradebook:
                changed = changed_reports(other, gradebook, students)
                if changed:
                    gradebook.mark_stale(changed)
                    click.echo(f"{other.name}: {len(changed)} results change with the term's free late days.", err=True)
                    write_views(other, gradebook, course_of(gradebook, None))
        except UserError as error:
            click.echo(
                f"grade: {other.name} may show free late days that are now used elsewhere: {error} Run any command on "
                f"{other.name} again.",
                err=True,
            )


def changed_reports(out: Path, gradebook: Gradebook, students: Collection[str]) -> list[str]:
    """Those of the students whose report in `out` is not what the gradebook says now."""
    from grader.gradebook.grading.earlier_reports import reported_in

    known = sorted(set(students) & set(gradebook.students()))
    if len(known) > FEW:
        current = {each.student: each for each in gradebook.current() if each.student in students}
    else:
        current = {student: gradebook.current_of(student) for student in known}
    reported = {student: reported_in(out / student) for student in current}
    return [who for who, results in reported.items() if results is not None and results != current[who]]
