"""Reads one submission: a folder, an archive, a notebook or a Python file. Nothing of it is run or trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from grader.intake.notebook.cells import NotebookError
from grader.intake.submissions.absences import (
    may_be_code,
    not_submitted,
    nothing_gradable,
    only_others,
)
from grader.intake.submissions.answer_files import with_answers
from grader.intake.submissions.archive import is_archive, unpacked
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.fitting import hints
from grader.intake.submissions.gathered import TEXTS
from grader.intake.submissions.helper_packages import is_imported
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable, read_file
from grader.intake.submissions.lesson_reading import (
    MAX_LESSON_FILES as MAX_LESSON_FILES,
)
from grader.intake.submissions.lesson_reading import (
    PageRead,
    is_script_of,
    read_lesson,
    read_loose,
    read_page,
    rejected_files,
)
from grader.intake.submissions.places import Inside, innermost, is_gradable, names_lesson
from grader.intake.submissions.recognition import MAX_FILES_NAMED, GuessQuestion, Wanted, has_lesson, recognise
from grader.intake.submissions.unpacking import ArchiveRefused, IncompleteDownload
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.annotations import IntakeRemark
from grader.source.reader import one_submission

MAX_FOLDER_ENTRIES = 10_000


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
    try:
        if path.is_file() and is_archive(path):
            others: list[str] = []
            with unpacked(path, others) as folder:
                return replace(read_folder(folder, student, wanted, (path.name,), others), path=path)
        if path.is_file():
            return read_single(path, student, wanted)
        if path.exists() and not path.is_dir():
            return replace(refused, message=f"{path.name} is no file and no folder. Submit the file itself.")
        return read_folder(path, student, wanted)
    except ArchiveRefused as error:
        fault = str(error) if isinstance(error, IncompleteDownload) else ""
        return replace(refused, message=str(error), fault=fault)
    except OSError as error:
        return replace(refused, message=f"{path.name} cannot be read: {error.strerror or error}.")


def read_folder(
    path: Path, student: str, wanted: Wanted, above: Sequence[str] = (), others: Sequence[str] = ()
) -> Submission:
    """The same for a folder. `above` are the names of archives around it, `others` those of files left out there.

    Raises OSError.
    """
    lessons, inside = wanted.lessons, Inside(path)
    if not inside.entries and not others:
        empty = (
            LessonFiles(each.name, message=f"The folder is empty: expected {each.name}/{BACKWARD_FILE}.", nothing=True)
            for each in lessons
        )
        return Submission(student, path, {each.lesson: each for each in empty})
    if len(inside.entries) > MAX_FOLDER_ENTRIES:
        message = (
            f"{path.name} holds {len(inside.entries):,} files and folders; at most {MAX_FOLDER_ENTRIES:,} are read."
        )
        return Submission(student, path, {}, message=message)
    folder = innermost(path, lessons)
    inside = inside if folder == path else Inside(folder)
    loose = loose_file(inside, lessons)
    if loose is not None:
        return with_answers_in(path, replace(read_place(loose, student, wanted), path=path), wanted)
    submitted = {lesson.name: read_lesson(inside, lesson, len(lessons) == 1) for lesson in lessons}
    read = with_recognised_lessons(path, Submission(student, path, submitted), wanted, above)
    if not has_lesson(read.lessons):
        others = [*others, *(entry.name for entry in inside.entries if entry.is_file() and not is_gradable(entry))]
        archives = [entry.name for entry in inside.gradable if is_archive(entry)]
        if others and not inside.gradable and not inside.folders:
            read = with_other_kinds(read, others)
        elif len(archives) > 1:
            names = ", ".join(archives[:5])
            message = f"{len(archives)} archives were submitted ({names}): submit one with all lessons."
            read = replace(read, lessons={}, message=message)
    return with_answers_in(path, read, wanted)


def with_other_kinds(read: Submission, names: Sequence[str]) -> Submission:
    """What was read of a folder in which only files of other kinds are, with a remark and, perhaps, a question."""
    sentence = only_others(names)
    reason = f"{sentence} Unpack or rename it, and run again."
    is_open = not read.questions and any(map(may_be_code, names))
    questions = (GuessQuestion(tuple(names[:MAX_FILES_NAMED]), {}, (), reason),) if is_open else read.questions
    return replace(read, remarks=(IntakeRemark("unread", sentence), *read.remarks), questions=questions)


def with_answers_in(path: Path, read: Submission, wanted: Wanted) -> Submission:
    """What was read, with the answers to questions that `path`, a folder or a file, contains. Raises OSError."""
    lessons, remarks = with_answers(read.lessons, path, read.student, wanted.lessons, wanted.known_as)
    return replace(read, lessons=lessons, remarks=(*read.remarks, *remarks))


def with_recognised_lessons(path: Path, read: Submission, wanted: Wanted, above: Sequence[str] = ()) -> Submission:
    """What was read, with the lessons that are not where they should be, if files in `path` can be recognised."""
    found = recognise(path, read.lessons, wanted, above)
    remarks, questions = (*read.remarks, *found.remarks), (*read.questions, *found.questions)
    if not found.lessons:
        return replace(read, remarks=remarks, questions=questions)
    absent = {lesson.name: not_submitted(lesson) for lesson in wanted.lessons}
    lessons = {**absent, **read.lessons, **found.lessons}
    return replace(read, lessons=lessons, message=None, remarks=remarks, questions=questions)


def loose_file(inside: Inside, lessons: Sequence[Lesson]) -> Path | None:
    """The only gradable file of a folder without a lesson's folder; None if there is no such file."""
    found = inside.gradable
    alone = len(found) == 1 and found[0].name != BACKWARD_FILE and not inside.holds(lessons)
    if not alone or (len(lessons) > 1 and inside.folders):
        return None
    text = b""
    if inside.folders and suffix_of(found[0]) == ".py":
        with suppress(Unreadable):  # the message comes when it is read
            text = read_file(found[0])
    return None if any(is_imported(each.name, [text]) for each in inside.folders) else found[0]


def read_single(path: Path, student: str, wanted: Wanted) -> Submission:
    """Read a submission that is a single file and no archive, such as a notebook. Raises OSError."""
    if suffix_of(path) in (".py", NOTEBOOK):
        read = with_recognised_lessons(path, read_notebook_or_script(path, student, wanted), wanted)
        return with_answers_in(path, read, wanted)
    expected = f"expected a folder or an archive with NN_name/{BACKWARD_FILE}, a notebook, or a .py file."
    refused = Submission(student, path, {}, message=f"{path.name} cannot be read: {expected}")
    is_text = path.suffix.lower() in TEXTS
    return with_recognised_lessons(path, refused, wanted) if is_text or wanted.decided else refused


def read_notebook_or_script(path: Path, student: str, wanted: Wanted) -> Submission:
    """A notebook or one Python file: for the only lesson, or in the lecture's manner for several."""
    lessons = wanted.lessons
    alone = len(lessons) == 1
    if not alone and (named := [lesson for lesson in lessons if names_lesson(path.stem, lesson)]):
        absent = {lesson.name: not_submitted(lesson) for lesson in lessons}
        return Submission(student, path, absent | {lesson.name: read_loose(path, lesson) for lesson in named})
    try:
        page = read_page(path, path.name, lessons, functions=alone)
    except Unreadable as error:
        if alone:
            return Submission(student, path, {lessons[0].name: rejected_files(lessons[0], error)})
        return Submission(student, path, {}, message=str(error))
    except NotebookError as error:
        if not (suffix_of(path) == ".py" and alone):
            return Submission(student, path, {}, message=f"{path.name} cannot be read: {error}")
        page = PageRead({})
    if suffix_of(path) == ".py":
        named_after = hints([path.name], lessons)
        found = {name: each.in_place if name in named_after else each for name, each in page.lessons.items()}
        page = replace(page, lessons=found)
    if any(each.present for each in page.lessons.values()):
        return Submission(student, path, page.lessons)
    if suffix_of(path) == ".py" and alone:
        name = lessons[0].name
        if page.cells and page.defined.isdisjoint(lessons[0].functions) and is_script_of(lessons[0], read_file(path)):
            return Submission(student, path, page.lessons)
        return Submission(student, path, {name: LessonFiles(name, {BACKWARD_FILE: read_file(path)}, shown=path.name)})
    names = {name for lesson in lessons for name in lesson.functions}
    if suffix_of(path) == ".py" and not (page.cells and page.defined.isdisjoint(names)):
        how = f"with its name, such as {lessons[0].name}.py" if wanted.are_named else "with --lesson"
        message = f"{path.name} is a single file: say which lesson it is for, {how}."
        if page.syntax_error:
            message = (
                f"{path.name} cannot be read as Python: {page.syntax_error}. Correct it and submit the file again."
            )
        return Submission(student, path, {}, message=message)
    faults = {each.message for each in page.lessons.values() if each.rejected}
    if faults or alone:
        return Submission(student, path, page.lessons, message=faults.pop() if faults else None)
    message = nothing_gradable(path.name, page.lessons.values(), page.defined, lessons, wanted.are_named)
    return Submission(student, path, {}, message=message)
