"""Reads one submission: a folder, an archive, a notebook or a Python file. Nothing of it is run or trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from grader.intake.notebook.cells import NotebookError
from grader.intake.notebook.outline import outlines_limited
from grader.intake.submissions.absences import may_be_code, not_found, nothing_gradable, only_others
from grader.intake.submissions.answer_files import with_answers
from grader.intake.submissions.gathered import TEXTS, Gathered, GatheredFile, gathered
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable
from grader.intake.submissions.lesson_finder import MAX_FILES_NAMED, GuessQuestion, LessonFinder, Wanted
from grader.intake.submissions.lesson_names import says_lesson
from grader.intake.submissions.lesson_reading import read_page
from grader.intake.submissions.unpacking import ArchiveRefused, IncompleteDownload
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark
from grader.source.reader import one_submission


@dataclass(frozen=True)
class Submission:
    """What one student submitted.

    Attributes:
        lessons: {lesson's name: its files}.
        message: why nothing is graded.
        fault: the same where the reason is not the student's; there is no score then, instead of 0.
        submitted: when it was submitted, with a time zone, if the platform or a file of times says so.
        time_source: the place in a file that says so, "times.csv, line 3"; "" for the platform.
        platform: "late" or "on time", where the platform itself says so; else "".
        remarks: how it was read, and which of several submissions counts, where that is not obvious.
        questions: what a person should decide, for intake.csv.
    """

    student: str
    path: Path
    lessons: dict[str, LessonFiles]
    message: str | None = None
    submitted: datetime | None = None
    remarks: tuple[IntakeRemark, ...] = ()
    questions: tuple[GuessQuestion, ...] = ()
    time_source: str = ""
    fault: str = ""
    platform: str = ""

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
    path: Path,
    student: str,
    lessons: Sequence[Lesson],
    course: Sequence[Lesson] = (),
    decided: Mapping[str, str] = MappingProxyType({}),
    known_as: Sequence[str] = (),
) -> Submission:
    """Reads a folder of lessons, an archive of one, a notebook, or a Python file.

    See Wanted for `course` (by default `lessons`), `decided` and `known_as`. Raises LessonError where a lesson's
    questions cannot be read, and Unreadable where a single file changes while it is read.
    """
    with one_submission():
        return read_place(path, student, Wanted(lessons, course or lessons, decided, known_as))


def read_place(path: Path, student: str, wanted: Wanted) -> Submission:
    """The same."""
    refused = Submission(student, path, {})
    if path.is_symlink():
        return replace(refused, message=f"{path.name} is a link. Submit the folder or file itself.")
    if path.exists() and not path.is_file() and not path.is_dir():
        return replace(refused, message=f"{path.name} is no file and no folder. Submit the file itself.")
    try:
        with gathered(path) as files:
            above = (path.name,) if path.is_file() and not files.is_one_file else ()
            read = read_gathered(Submission(student, path, {}), files, wanted, above)
            lessons, remarks = with_answers(read.lessons, files, student, wanted.lessons, wanted.known_as)
            return replace(read, lessons=lessons, remarks=(*read.remarks, *remarks))
    except (ArchiveRefused, Unreadable) as error:
        fault = str(error) if isinstance(error, IncompleteDownload) else ""
        return replace(refused, message=str(error), fault=fault)
    except OSError as error:
        return replace(refused, message=f"{path.name} cannot be read: {error.strerror or error}.")


def read_one_file(path: Path, shown: str, lessons: Sequence[Lesson], course: Sequence[Lesson]) -> Submission:
    """Reads a notebook or a Python file that is called `shown` in messages."""
    file = Gathered([GatheredFile(path, shown)], is_one_file=True)
    with one_submission():
        return read_gathered(Submission("", path, {}), file, Wanted(lessons, course), ())


def read_gathered(nothing: Submission, files: Gathered, wanted: Wanted, above: Sequence[str]) -> Submission:
    """The submission with the lessons that are found in its files, or with the reason why there are none."""
    only = files.files[0] if len(files.files) == 1 and files.has_code else None
    if only is not None and any(says_lesson(part, wanted.course) for part in only.parts[:-1]):
        only = None
    if files.is_one_file and not files.has_code:
        is_read = wanted.decided or nothing.path.suffix.lower() in TEXTS
        expected = f"expected a folder or an archive with NN_name/{BACKWARD_FILE}, a notebook, or a .py file."
        nothing = replace(nothing, message=f"{nothing.path.name} cannot be read: {expected}")
        if not is_read:
            return nothing
    finder = LessonFinder(files, wanted, above)
    finder.find()
    remarks, questions = finder.remarks, finder.questions
    if not has_lesson(finder.lessons):
        remarks += finder.not_of_this_run()
        questions += finder.unread()
    if not finder.lessons and only is not None:
        message, lessons = why_not_read(only, wanted)
        return replace(nothing, lessons=lessons, message=message, remarks=(*remarks,), questions=(*questions,))
    if not finder.lessons and files.is_one_file:
        return replace(nothing, remarks=(*remarks,), questions=(*questions,))
    if not has_lesson(finder.lessons) and not files.has_code and files.others:
        sentence = only_others(files.others)
        remarks.insert(0, IntakeRemark("unread", sentence))
        if not questions and any(map(may_be_code, files.others)):
            reason = f"{sentence} Unpack or rename it, and run again."
            questions.append(GuessQuestion(tuple(files.others[:MAX_FILES_NAMED]), {}, (), reason))
    page = finder.page(only) if only is not None and len(wanted.lessons) > 1 and not files.refused else {}
    lessons = {
        each.name: finder.lessons.get(each.name) or page.get(each.name) or not_found(each, files, wanted)
        for each in wanted.lessons
    }
    return replace(nothing, lessons=lessons, message=None, remarks=(*remarks,), questions=(*questions,))


def has_lesson(read: Mapping[str, LessonFiles]) -> bool:
    return any(each.present or each.rejected for each in read.values())


def why_not_read(file: GatheredFile, wanted: Wanted) -> tuple[str | None, dict[str, LessonFiles]]:
    """(why no lesson is found in the only file of a submission, what is said about each lesson)."""
    shown = file.shown
    try:
        (outline,) = outlines_limited([(file.source, file.is_notebook)])
        page = read_page(file.source, shown, wanted.lessons, False, file.is_notebook)
    except Unreadable as error:
        return str(error), {}
    except NotebookError as error:
        return f"{shown} cannot be read: {error}", {}
    if outline.syntax_error:
        return f"{shown} cannot be read as Python: {outline.syntax_error}. Correct it and submit the file again.", {}
    faults = {each.message for each in page.values() if each.rejected}
    if faults:
        return faults.pop(), page
    defined = {name for name, each in outline.functions.items() if each[-1].first}
    return nothing_gradable(shown, page.values(), defined, wanted.lessons), {}
