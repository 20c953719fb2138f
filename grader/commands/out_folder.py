"""OUT for the commands after a run: its gradebook, its course, and its pages, which a decision changes.

It may change pages of the term's other gradebooks as well, where it frees or spends free late days.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from grader.commands.command_line import EXISTING_FOLDER, Opened, argument
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


@contextmanager
def open_gradebook(out: Out, to_write: bool = False) -> Iterator[Gradebook]:
    """The gradebook in `out`, to be read; or to be written, while no other command does. Raises UserError."""
    path = out / GRADEBOOK
    if not path.is_file():
        raise UserError(f"{out} holds no gradebook: name the folder that `grade run -o` wrote.")
    with lock_output(out) if to_write else nullcontext(), closing(Gradebook(path, read_only=not to_write)) as gradebook:
        yield gradebook


def gradebook_so_far(out: Path) -> AbstractContextManager[Gradebook]:
    """The gradebook in `out`, to be read; an empty one where there is none yet."""
    return open_gradebook(out) if (out / GRADEBOOK).is_file() else closing(Gradebook(Path(":memory:")))


def course_of_run(gradebook: Gradebook, *known: Path | None) -> Course | None:
    """That of the `known` courses which the latest run used.

    A gradebook may come from another machine: a folder that it alone names is no course whose code runs here.
    """
    used = Path(gradebook.about().get("course", "unknown")).resolve()
    return next((Course(each) for each in known if each is not None and each.resolve() == used), None)


@dataclass
class OutFolder:
    """OUT with its open gradebook; `course` is None if neither --course names one nor this package is a part of it."""

    path: Path
    gradebook: Gradebook
    course: Course | None = None

    def required_course(self) -> Course:
        """The course. Raises UserError where there is none."""
        if self.course is None:
            raise UserError(f"{self._course_to_name()}.")
        return self.course

    def _course_to_name(self) -> str:
        where = f"the gradebook's course ({self.gradebook.about().get('course', 'unknown')})"
        return f"{where} is not the one that `grade` is a part of: name it with --course"

    def publish(self, students: Collection[str]) -> None:
        """Write every page that is out of date, and those of `students` in the term's other gradebooks."""
        self.write_pages()
        self.write_other_gradebooks(students)

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

    def write_other_gradebooks(self, students: Collection[str]) -> None:
        """Write the pages of these students in the gradebooks that share free late days with this one, if they changed.

        A gradebook that cannot be written now is named, with what to do.
        """
        for folder in self.gradebook.others_of_term():
            try:
                with open_gradebook(folder, to_write=True) as gradebook:
                    known = [student for student in gradebook.students() if student in students]
                    pairs = ((reported_in(folder / student), gradebook.current_of(student)) for student in known)
                    changed = [current.student for reported, current in pairs if reported not in (None, current)]
                    if changed:
                        gradebook.mark_stale(changed)
                        count = count_text(len(changed), "result changes", "results change")
                        print_remarks([f"{folder.name}: {count} with the term's free late days."])
                        own = self.course.root if self.course else None
                        OutFolder(folder, gradebook, course_of_run(gradebook, own, installed_course())).write_pages()
            except UserError as error:
                what = f"{folder.name} may show free late days that are now used elsewhere"
                print_remarks([f"{what}: {error} Run any command on {folder.name} again."])


@contextmanager
def out_to_read(out: Out, course: CourseFolder, to_write: bool = False) -> Iterator[OutFolder]:
    with open_gradebook(out, to_write) as gradebook:
        named = None if course is None else Course(course)
        yield OutFolder(out, gradebook, named or course_of_run(gradebook, installed_course()))


def out_to_write(out: Out, course: CourseFolder) -> AbstractContextManager[OutFolder]:
    return out_to_read(out, course, to_write=True)


@contextmanager
def graded_folder(graded: Annotated[Path, argument("OUT", EXISTING_FOLDER)]) -> Iterator[OutFolder]:
    with open_gradebook(graded) as gradebook:
        yield OutFolder(graded, gradebook)


BookToRead = Annotated[Gradebook, Opened(open_gradebook)]
OutToRead = Annotated[OutFolder, Opened(out_to_read)]
OutToWrite = Annotated[OutFolder, Opened(out_to_write)]
GradedOut = Annotated[OutFolder, Opened(graded_folder)]
"""OUT as a word of the command line, for commands that need no course."""
