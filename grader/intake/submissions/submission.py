"""Reads one submission: a folder, an archive, a notebook or a Python file. Nothing of it is run or trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from types import MappingProxyType

from grader.intake.lesson_files import LessonFiles
from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.answer_files import with_answers
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.file_kinds import IncompleteDownload, Unreadable
from grader.intake.submissions.fitting import naming, says_lesson
from grader.intake.submissions.gathered import Gathered, GatheredFile, gathered
from grader.intake.submissions.intake_csv import IntakeLine
from grader.intake.submissions.lesson_finder import FileReading, LessonFinder
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import IntakeRemark
from grader.results.wording import listed_as_code
from grader.source.reader import one_submission


@dataclass(frozen=True)
class Submission(Arrival):
    """What one student submitted: an arrival whose files are read.

    Attributes:
        lessons: {lesson's name: its files}.
        message: why nothing is graded.
        fault: the same where the reason is not the student's; there is no score then, instead of 0.
        remarks: how it was read, and which of several submissions counts, where that is not obvious.
        questions: what a person should decide, for intake.csv.
    """

    lessons: dict[str, LessonFiles]
    message: str | None = None
    _: KW_ONLY
    questions: tuple[IntakeLine, ...] = ()
    fault: str = ""

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of its files or folders in the platform's download."""
        return tuple(place.name for place in self.places)

    @property
    def full_message(self) -> str | None:
        """`message` and the remarks, for the results."""
        parts = (self.message, *(remark.message for remark in self.remarks))
        return " ".join(part for part in parts if part) or None

    @property
    def sha256(self) -> str:
        """A digest of everything that is graded: lessons, file names and bytes."""
        total = hashlib.sha256()
        for lesson, submitted in sorted(self.lessons.items()):
            for name, source in sorted(submitted.files.items()):
                for part in (lesson.encode(), os.fsencode(name), source):
                    total.update(len(part).to_bytes(8, "big") + part)
            if submitted.origin is not None:
                total.update(submitted.origin.fingerprint)
            if submitted.answers is not None:
                total.update(b"answers" + submitted.answers + submitted.answers_name.encode())
        return total.hexdigest()


def read_submission(
    arrival: Arrival,
    lessons: Sequence[Lesson],
    course: Sequence[Lesson] = (),
    decided: Mapping[str, str] = MappingProxyType({}),
    known_as: Sequence[str] = (),
) -> Submission:
    """Reads a folder of lessons, an archive of one, a notebook, or a Python file.

    See LessonFinder for `course` (by default `lessons`) and `decided`, with_answers for `known_as`. Raises LessonError
    where a lesson's questions cannot be read.
    """
    nothing, path = Submission(**vars(arrival), lessons={}), arrival.path
    if path.is_symlink():
        return replace(nothing, message=f"{path.name} is a link. Submit the folder or file itself.")
    if path.exists() and not path.is_file() and not path.is_dir():
        return replace(nothing, message=f"{path.name} is no file and no folder. Submit the file itself.")
    try:
        with one_submission(), gathered(path) as files:
            read = read_gathered(nothing, files, lessons, course or lessons, decided)
            answered, remarks = with_answers(read.lessons, files, arrival.student, lessons, known_as)
            return replace(read, lessons=answered, remarks=(*read.remarks, *remarks))
    except (Unreadable, IncompleteDownload) as error:
        fault = str(error) if isinstance(error, IncompleteDownload) else ""
        return replace(nothing, message=str(error), fault=fault)
    except OSError as error:
        return replace(nothing, message=f"{path.name} cannot be read: {error.strerror or error}.")


def read_one_file(path: Path, shown: str, lessons: Sequence[Lesson], course: Sequence[Lesson]) -> Submission:
    """Reads a notebook or a Python file that is called `shown` in messages. Raises Unreadable."""
    files = Gathered([GatheredFile(path, shown, is_alone=True)])
    with one_submission():
        return read_gathered(Submission("", path, {}), files, lessons, course, {})


def read_gathered(
    nothing: Submission,
    files: Gathered,
    wanted: Sequence[Lesson],
    course: Sequence[Lesson],
    decided: Mapping[str, str],
) -> Submission:
    """The submission with the lessons that are found in its files, or with the reason why there are none."""
    finder = LessonFinder(files, wanted, course, decided, nothing.student)
    lessons, message = finder.lessons, None
    # the only Python file or notebook, unless a folder around it mentions a lesson
    only = finder.readings[0] if len(finder.readings) == 1 else None
    only = None if only and any(says_lesson(part, course) for part in only.file.parts[:-1]) else only
    if not lessons and only is not None:
        message, lessons = why_not_read(only)
    else:
        page = only.chains and only.pages() if only and len(wanted) > 1 and not files.refused else {}
        found = {each.name: lessons.get(each.name) or page.get(each.name) for each in wanted}
        lessons = {each.name: found[each.name] or not_found(each, files, wanted) for each in wanted}
    if files.others and not files.files:
        shown = listed_as_code([name[:80] for name in files.others], 3)
        finder.remarks.insert(0, IntakeRemark("unread", f"Submitted {shown} and no Python file."))
    remarks, questions = (*nothing.remarks, *finder.remarks), tuple(finder.questions)
    return replace(nothing, lessons=lessons, message=message, remarks=remarks, questions=questions)


def why_not_read(only: FileReading) -> tuple[str, dict[str, LessonFiles]]:
    """(why no lesson is found in the only file of a submission, what is said about each lesson)."""
    shown = only.file.shown
    try:
        page, error = only.pages(), only.file.outline.syntax_error
    except Unreadable as unreadable:
        return str(unreadable), {}
    except NotebookError as unreadable:
        return f"{shown} cannot be read: {unreadable}", {}
    if error:
        return f"{shown} cannot be read as Python: {error}. Correct it and submit the file again.", {}
    if faults := [each.message or "" for each in page.values() if each.rejected]:
        return faults[0], page
    if attempts := [each.message for each in page.values() if each.message and not each.nothing]:
        return attempts[0], {}
    where = " in its code cells" if only.file.is_notebook else ""
    return (
        f"{shown} holds nothing that can be graded: no gradient of a lesson that is graded here is assigned{where}, as "
        f"in `dlogprobs = ...`, and no function of one is defined. Submit the exercise's notebook, or its "
        f"{BACKWARD_FILE}."
    ), {}


def not_found(lesson: Lesson, files: Gathered, wanted: Sequence[Lesson]) -> LessonFiles:
    """A lesson that no file of a submission is: what there is in its place."""
    folder = max(files.folders, key=lambda each: naming(each.rpartition("/")[2], lesson), default="")
    is_there = naming(folder.rpartition("/")[2], lesson) > 0
    here = folder if is_there else files.files[0].folder if files.files else ""
    near = [each.path.name for each in files.files if each.folder == here]
    if not is_there and not (len(wanted) == 1 and near):
        is_empty = not (files.files or files.answers or files.folders or files.others or files.refused)
        what = "The folder is empty" if is_empty else f"No folder {lesson.name} was submitted"
        message = f"{what}: expected {lesson.name}/{BACKWARD_FILE}."
        return LessonFiles(lesson.name, message=message, nothing=True)
    found = f"; found {', '.join(near[:5])}. Submit one file for the lesson: {BACKWARD_FILE}, or a notebook."
    place = f"{here}/{BACKWARD_FILE}".removeprefix("/")
    message = f"{place} is missing{found if near else ', and there is no Python file next to it.'}"
    return LessonFiles(lesson.name, message=message)
