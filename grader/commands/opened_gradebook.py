"""OUT's gradebook for the commands after a run, and its pages, written anew when a decision changes them.

So are those of the other gradebooks of a term, in which a decision frees or spends free late days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from grader.commands.console import console_for, print_remarks, progress_bar
from grader.commands.live import what_failed, what_is_plain
from grader.errors import UserError
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output
from grader.gradebook.grading.views import Views, reported_in
from grader.lesson.lesson import Course
from grader.lesson.paths import installed_course
from grader.publish.export.formats import EXPORT_FILES, write_formats
from grader.publish.report.pages import Reporter
from grader.results.wording import count_text, first_names

EXPORTS = ("canvas.csv", "moodle.csv", "mailmerge.csv", "canvas-feedback.zip", "moodle-feedback.zip", "feedback")
"""What `grade export` and `grade feedback` write into the folder unless they are given another name."""
FEW = 20
"""Up to so many students are read one by one; of more, the whole class is read at once."""


@contextmanager
def open_gradebook(out: Path) -> Iterator[Gradebook]:
    """The gradebook in `out`, while no other command writes there. Raises UserError."""
    path = gradebook_in(out)
    with lock_output(out), closing(Gradebook(path)) as gradebook:
        yield gradebook


@contextmanager
def read_gradebook(out: Path) -> Iterator[Gradebook]:
    """The gradebook in `out`, to be read only; another command may write it meanwhile. Raises UserError."""
    with closing(Gradebook(gradebook_in(out), read_only=True)) as gradebook:
        yield gradebook


def gradebook_in(out: Path) -> Path:
    if not (out / GRADEBOOK).is_file():
        raise UserError(f"{out} holds no gradebook: name the folder that `grade run -o` wrote, with -o.")
    return out / GRADEBOOK


def course_of(gradebook: Gradebook, given: Path | None) -> Course | None:
    """The course `given`, or that of the latest run if this package is a part of it; else None. Raises UserError.

    A gradebook may come from another machine: a folder that it alone names is no course whose code runs here.
    """
    installed = installed_course()
    root = given or (installed if was_graded_with(gradebook, installed) else None)
    return None if root is None else Course(root)


def required_course(gradebook: Gradebook, given: Path | None) -> Course:
    """As course_of. Raises UserError where there is none."""
    if (course := course_of(gradebook, given)) is None:
        raise UserError(f"{course_to_name(gradebook)}.")
    return course


def was_graded_with(gradebook: Gradebook, course: Path | None) -> bool:
    """Whether the latest run used the course in this folder."""
    root = gradebook.about().get("course")
    return course is not None and root is not None and Path(root).resolve() == course.resolve()


def course_to_name(gradebook: Gradebook) -> str:
    """What to do where there is no course."""
    root = gradebook.about().get("course", "unknown")
    return f"the gradebook's course ({root}) is not the one that `grade` is a part of: name it with --course"


def write_views(out: Path, gradebook: Gradebook, course: Course | None) -> None:
    """Write every page in `out` that is out of date, and print which files still are. Raises UserError."""
    lessons = [] if course is None else list(course.lessons.values())
    plain, views, stale = dict[str, str](), Views(out, gradebook, Reporter(lessons)), gradebook.stale()
    if course is None and stale:
        count = count_text(len(stale), "report is", "reports are")
        reports = first_names([str(out / student / "report.html") for student in stale], 5)
        print_remarks([f"{course_to_name(gradebook)}. Until then {count} out of date: {reports}."])
    elif stale:
        formats = {  # before the old files go
            student: [name for name, (file, _) in EXPORT_FILES.items() if (out / student / file).is_file()]
            for student in stale
        }
        console = console_for(stderr=True)
        with progress_bar(console, live=console.is_terminal) as progress:
            task = progress.add_task("reports", total=len(stale))
            views.write_stale(lambda: progress.advance(task))
        for student, names in formats.items():
            plain |= write_formats(out, [student], names)
    views.write_whole_class(lessons)
    print_remarks([*what_failed(gradebook.unread, len(gradebook.students())), *what_is_plain({**plain, **views.plain})])
    print_remarks(f"{name} was exported before: export it again." for name in EXPORTS if (out / name).exists())


def write_other_gradebooks(out: Path, students: Collection[str], course: Path | None) -> None:
    """Write the pages of these students in the gradebooks that share free late days with `out`, where they changed.

    `course` is the one that was named for `out`; it counts for those that were graded with it. A gradebook that cannot
    be written now is named, with what to do.
    """
    with read_gradebook(out) as gradebook:
        others = gradebook.others_of_term()
    for other in others:
        try:
            with open_gradebook(other) as gradebook:
                known = {*students} & {*gradebook.students()}
                results = gradebook.current() if len(known) > FEW else map(gradebook.current_of, known)
                current = [each for each in results if each.student in known]
                changed = [each.student for each in current if reported_in(other / each.student) not in (None, each)]
                if changed:
                    gradebook.mark_stale(changed)
                    count = count_text(len(changed), "result changes", "results change")
                    click.echo(f"{other.name}: {count} with the term's free late days.", err=True)
                    named = course if was_graded_with(gradebook, course) else None
                    write_views(other, gradebook, course_of(gradebook, named))
        except UserError as error:
            what = f"{other.name} may show free late days that are now used elsewhere"
            print_remarks([f"{what}: {error} Run any command on {other.name} again."])
