"""OUT for the commands after a run: its gradebook, its course, and its pages, which a decision changes.

It may change pages of the term's other gradebooks as well, where it frees or spends free late days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import click

from grader.commands.command_line import Opened
from grader.commands.console import ProgressBar, console_for, print_remarks
from grader.commands.live import what_failed, what_is_plain
from grader.commands.options import CourseFolder, Out
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
def open_gradebook(out: Path, to_write: bool = False) -> Iterator[Gradebook]:
    """The gradebook in `out`, to be read; or to be written, while no other command does. Raises UserError."""
    path = out / GRADEBOOK
    if not path.is_file():
        raise UserError(f"{out} holds no gradebook: name the folder that `grade run -o` wrote, with -o.")
    with lock_output(out) if to_write else nullcontext(), closing(Gradebook(path, read_only=not to_write)) as gradebook:
        yield gradebook


class OutFolder:
    """OUT with its open gradebook.

    Attributes:
        course: the one that --course names, or that of the latest run if this package is a part of it; else None. A
            gradebook may come from another machine: a folder that it alone names is no course whose code runs here.
    """

    def __init__(self, path: Path, gradebook: Gradebook, named: Path | None, is_certain: bool = True) -> None:
        """The course `named` counts if `is_certain`, or if the latest run used it. Raises UserError."""
        self.path, self.gradebook = path, gradebook
        self._graded_with = gradebook.about().get("course", "unknown")
        candidates = [named if is_certain else None, *filter(self._is_of_run, (named, installed_course()))]
        root = next(filter(None, candidates), None)
        self.course = None if root is None else Course(root)

    def _is_of_run(self, course: Path | None) -> bool:
        return course is not None and Path(self._graded_with).resolve() == course.resolve()

    def required_course(self) -> Course:
        """The course. Raises UserError where there is none."""
        if self.course is None:
            raise UserError(f"{self._course_to_name()}.")
        return self.course

    def _course_to_name(self) -> str:
        where = f"the gradebook's course ({self._graded_with})"
        return f"{where} is not the one that `grade` is a part of: name it with --course"

    def publish(self, students: Collection[str]) -> None:
        """Write every page that is out of date, and those of `students` in the term's other gradebooks."""
        self.write_pages()
        write_other_gradebooks(self.path, students, self.course.root if self.course else None)

    def write_pages(self) -> None:
        """Write every page that is out of date, and print which files still are. Raises UserError."""
        lessons = [] if self.course is None else list(self.course.lessons.values())
        views, stale = Views(self.path, self.gradebook, Reporter(lessons)), self.gradebook.stale()
        plain = dict[str, str]()
        if self.course is None and stale:
            count = count_text(len(stale), "report is", "reports are")
            reports = first_names([str(self.path / student / "report.html") for student in stale], 5)
            print_remarks([f"{self._course_to_name()}. Until then {count} out of date: {reports}."])
        elif stale:
            with ProgressBar(console_for(stderr=True)) as bar:
                for student in bar.track(stale, description="reports"):
                    folder = self.path / student
                    formats = [name for name, (file, _) in EXPORT_FILES.items() if (folder / file).is_file()]
                    views.write_student(student)  # which removes these files
                    plain |= write_formats(self.path, [student], formats)
        views.write_class(lessons)
        faults = what_failed(self.gradebook.unread, len(self.gradebook.students()))
        print_remarks([*faults, *what_is_plain({**plain, **views.plain})])
        exported = [name for name in EXPORTS if (self.path / name).exists()]
        print_remarks(f"{name} was exported before: export it again." for name in exported)


@contextmanager
def out_to_read(out: Out, course: CourseFolder) -> Iterator[OutFolder]:
    with open_gradebook(out) as gradebook:
        yield OutFolder(out, gradebook, course)


@contextmanager
def out_to_write(out: Out, course: CourseFolder) -> Iterator[OutFolder]:
    with open_gradebook(out, to_write=True) as gradebook:
        yield OutFolder(out, gradebook, course)


OutToRead = Annotated[OutFolder, Opened(out_to_read)]
OutToWrite = Annotated[OutFolder, Opened(out_to_write)]


def write_other_gradebooks(out: Path, students: Collection[str], course: Path | None) -> None:
    """Write the pages of these students in the gradebooks that share free late days with `out`, where they changed.

    `course` is that of `out`; it counts for those that were graded with it. A gradebook that cannot be written now is
    named, with what to do.
    """
    with open_gradebook(out) as gradebook:
        others = gradebook.others_of_term()
    for other in others:
        try:
            with open_gradebook(other, to_write=True) as gradebook:
                known = {*students} & {*gradebook.students()}
                results = gradebook.current() if len(known) > FEW else map(gradebook.current_of, known)
                current = [each for each in results if each.student in known]
                changed = [each.student for each in current if reported_in(other / each.student) not in (None, each)]
                if changed:
                    gradebook.mark_stale(changed)
                    count = count_text(len(changed), "result changes", "results change")
                    click.echo(f"{other.name}: {count} with the term's free late days.", err=True)
                    OutFolder(other, gradebook, course, is_certain=False).write_pages()
        except UserError as error:
            what = f"{other.name} may show free late days that are now used elsewhere"
            print_remarks([f"{what}: {error} Run any command on {other.name} again."])
