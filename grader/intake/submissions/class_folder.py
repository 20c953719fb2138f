"""Recognises what a path of the command line is: one submission, a class's folder, or a class's archive."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path

from grader.intake.submissions.archives import read_archives
from grader.intake.submissions.arrival import Arrival, NewFolder, SubmissionError
from grader.intake.submissions.file_kinds import (
    IncompleteDownload,
    Unreadable,
    is_archive,
    is_clutter,
    is_code,
    is_folder,
    is_gradable,
    may_be_submitted,
    stem_of,
)
from grader.intake.submissions.fitting import is_only_lesson, naming
from grader.intake.submissions.people import is_reserved
from grader.intake.submissions.platforms import DOWNLOADS, METADATA, MOODLE_NAME
from grader.intake.submissions.roster import Roster
from grader.intake.submissions.roster_matching import matches_a_member
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

LESSON_NAME = re.compile(r"\d\d(_[a-z]|$)")
KIT = "exercises"
RESULTS_MARKER = "gradebook.sqlite"
"""What makes a folder one that `grade run -o` wrote, such as `grades` next to the submissions that were graded."""
CLASS_SUFFIXES = (".csv", ".toml", ".yml", ".yaml")
CLASS_STEMS = ("readme", "license", "requirements", "makefile", "dockerfile")
"""Tables, settings and texts about a class's folder, which are the instructor's."""


@dataclass(frozen=True)
class ClassReader:
    """Finds the submissions at a path.

    Attributes:
        lessons: all lessons of the course.
        new_folder: makes a folder for what is unpacked or copied.
        roster: the class's list, if there is one.
        remarks: sentences for the instructor.
    """

    lessons: Sequence[Lesson]
    new_folder: NewFolder
    roster: Roster | None = None
    remarks: list[str] = field(default_factory=list)

    def arrivals_at(self, given: Path, is_only: bool) -> list[Arrival]:
        """The submissions at `given`. Raises SubmissionError, OSError.

        An archive may be a class only if it is the only path given. Of several archives each is one student's, who
        could otherwise choose, by the names inside, under whose name it is graded. For the same reason, a folder or an
        archive that has a member's name is that member's alone.
        """
        if not given.exists():
            raise SubmissionError(
                f"{given} does not exist: give a submission, or a folder that holds one for each student."
            )
        path = given.resolve()  # the command line may name a link; a submission that is a link is refused
        if holds_results(path):
            raise SubmissionError(
                f"{given} contains the results of an earlier run, not submissions: name the folder or the archive with "
                "the submissions, and the results' folder after -o."
            )
        name = path.name if given.name in ("", ".", "..") else given.name
        student = name if path.is_dir() else stem_of(Path(name))
        is_member = self.roster is not None and matches_a_member(self.roster, student)
        arrivals = list[Arrival]()
        if path.is_dir() and not is_member and not is_one_submission(path, self.lessons):
            arrivals = self._in_class(path)
            if not arrivals:
                expected = f"expected a folder for each student, with NN_name/{BACKWARD_FILE} inside"
                raise SubmissionError(f"{given} holds no submissions: {expected}.")
        elif is_only and path.is_file() and is_archive(path) and not is_member:
            arrivals = self._in_archive(given, path)
        return arrivals or [Arrival(student, path, given=True)]

    def _in_class(self, folder: Path) -> list[Arrival]:
        """The submissions of a class: by a platform's naming if every name fits it, else one per entry.

        Only names directly inside count: below that, students choose the names. A file of another kind is somebody's,
        and has a row that says why it has 0; next to a submission of the same name it is a note in that one.
        """
        entries = visible(folder)
        found = next(filter(None, (read(folder, entries, self.new_folder) for read in DOWNLOADS)), None)
        found = found or one_per_entry(entries)
        known = {path for arrival in found for path in (arrival.path, *arrival.sources)}
        at = {arrival.student: number for number, arrival in enumerate(found)}
        for path in entries if found else ():
            is_the_class_s = path.suffix.lower() in CLASS_SUFFIXES or path.stem.lower() in CLASS_STEMS
            if path in known or may_be_submitted(path) or is_the_class_s or is_reserved(path.name):
                continue
            arrival = Arrival.of_entry(path)
            if (number := at.setdefault(arrival.student, len(found))) < len(found):
                found[number] = found[number].with_remark("unread", f"`{path.name}` next to it is not read.")
            else:
                found.append(arrival)
        return found

    def _in_archive(self, given: Path, path: Path) -> list[Arrival]:
        """The submissions in a class's archive; none if it is one student's, or cannot be unpacked. Raises OSError.

        It is a class's if a platform wrote its names, or if it holds lessons or archives of several students.
        """
        folder = self.new_folder()
        try:
            unpacked = read_archives({"": path}, folder, of_class=True)
        except (Unreadable, IncompleteDownload):
            return []  # as one submission, it is refused with the same sentence
        while len(inside := [each for each in visible(folder) if is_folder(each)]) == 1:
            is_class_here = any(is_gradable(each) or each.name == METADATA for each in visible(folder))
            if is_class_here or MOODLE_NAME.fullmatch(inside[0].name):
                break
            (folder,) = inside
        if unpacked.refused or is_one_submission(folder, self.lessons):
            return []
        if unpacked.strange_name:
            self.remarks.append(
                f"Some names in {given.name} are not in UTF-8, such as `{unpacked.strange_name[:80]}`: if they are "
                "wrong, unpack it and give the folder."
            )
        arrivals = self._in_class(folder)
        students = [each for each in visible(folder) if is_archive(each) or self._holds_lesson_below(each)]
        return arrivals if any(each.account for each in arrivals) or len(students) > 1 else []

    def _holds_lesson_below(self, folder: Path) -> bool:
        names = (path.name for path in folder.rglob("*") if path.is_dir())
        return is_folder(folder) and any(is_only_lesson(name, self.lessons) for name in names)


def visible(folder: Path) -> list[Path]:
    """What is inside, without hidden entries, clutter and the results of an earlier run."""
    paths = [folder / name for name in sorted(os.listdir(folder)) if not is_clutter(name)]
    return [path for path in paths if not holds_results(path)]


def holds_results(folder: Path) -> bool:
    """Whether `grade run` wrote the folder, and nothing below it may be submitted.

    The name alone decides nothing: a student may submit a `gradebook.sqlite`. A folder that may not be read counts as
    a submission: the message comes when the submission is read.
    """
    with suppress(OSError):
        return (folder / RESULTS_MARKER).is_file() and not any(map(is_work, folder.rglob("*")))
    return False


def is_work(path: Path) -> bool:
    """Whether somebody may submit a file of this name. `grade feedback` writes archives next to the results."""
    is_answers = fnmatch(path.name.lower(), "answers*.toml")
    return is_answers or is_code(path) or (is_archive(path) and not path.match("*-feedback.zip"))


def one_per_entry(entries: Sequence[Path]) -> list[Arrival]:
    """One submission per entry of a folder: a folder, an archive or a file with the student's name."""
    found = [Arrival.of_entry(path) for path in entries if may_be_submitted(path)]
    count = Counter(each.student for each in found)
    # ada/ and ada.zip may be two students', and nothing says which counts
    return [each if count[each.student] == 1 else replace(each, student=each.path.name) for each in found]


def is_one_submission(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a folder is one submission: it or its exercises/ holds a lesson, or all names in it say only lessons."""
    if holds_a_lesson(folder, lessons) or holds_a_lesson(folder / KIT, lessons):
        return True
    entries = [path for path in visible(folder) if may_be_submitted(path) and not path.is_symlink()]
    if any(path.name.isdigit() and holds_lessons(path) for path in entries):
        return False
    names = [path.name if path.is_dir() else stem_of(path) for path in entries if path.is_dir() or not is_archive(path)]
    return 0 < len(names) == len(entries) and all(is_only_lesson(name, lessons) for name in names)


def holds_a_lesson(folder: Path, lessons: Sequence[Lesson]) -> bool:
    """Whether a lesson's folder or a backward.py is directly inside.

    A folder called by a number alone may be a student's, called by an id: then lessons' folders are in it.
    """
    with suppress(OSError):
        named = [path for path in visible(folder) if any(naming(path.name, each) for each in lessons)]
        is_lessons = any(is_folder(path) and not (path.name.isdigit() and holds_lessons(path)) for path in named)
        return is_lessons or (folder / BACKWARD_FILE).is_file()
    return False


def holds_lessons(folder: Path) -> bool:
    """Whether folders inside are called NN_name or NN, as the lessons of any course are."""
    with suppress(OSError):  # a student's folder that may not be read: the message comes when it is graded
        return any(LESSON_NAME.match(path.name.lower()) and is_folder(path) for path in visible(folder))
    return False
