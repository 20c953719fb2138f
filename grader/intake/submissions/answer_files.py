"""Finds answers.toml, a student's answers to the questions of a lesson, in a submission: as a file, or inside one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.errors import UserError
from grader.intake.notebook.cells import MARK, MAX_READ_NOTEBOOK_BYTES, answer_texts
from grader.intake.submissions.file_kinds import NOTEBOOK, suffix_of
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable, read_file
from grader.intake.submissions.places import Inside, innermost, visible
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, MAX_ANSWERS_FILE_BYTES, Answers, read_answers
from grader.questions.posing import student_key
from grader.questions.question import questions_of
from grader.results.annotations import IntakeRemark
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader

ANSWER_FILE_NAME = re.compile(r"answers.*\.toml", re.IGNORECASE)
"""Also answers (1).toml and answers-1.toml, as browsers and platforms number files."""
MAX_ANSWER_FILES = 50
MAX_LOOSE_BYTES = 5 * MAX_ANSWERS_FILE_BYTES
"""Of files that are not in a lesson's folder."""


def with_answers(
    read: dict[str, LessonFiles],
    folder: Path,
    student: str,
    lessons: Sequence[Lesson],
    known_as: Collection[str] = (),
) -> tuple[dict[str, LessonFiles], tuple[IntakeRemark, ...]]:
    """The lessons with the answers to their questions, and remarks about answers that cannot be right. Raises OSError.

    The file is in the lesson's folder, or next to the other files and says which lesson it is for. Where `folder` is a
    notebook or a Python file, its text may be inside. The name in it counts only if it is `student` or in `known_as`,
    whatever its capitals and punctuation: a student who could choose a name would choose the questions' values.
    """
    found, remarks = dict(read), list[IntakeRemark]()
    own, others = student_key(student), {student_key(name) for name in known_as} - {""}

    def add(lesson: Lesson, data: bytes, shown: str) -> None:
        submitted = found.get(lesson.name) or LessonFiles(lesson.name)
        name = content_of(data).student
        other = name if student_key(name) in others - {own} else ""
        found[lesson.name] = replace(submitted, answers=data, answers_shown=shown, answers_name=other, nothing=False)
        if name and not other and student_key(name) != own:
            sentence = (
                f"{shown} was written for `{name}`, which is no known name, id or address of this student: the "
                f"questions have the values of `{student}`. If it is one, add it to the roster."
            )
            remarks.append(IntakeRemark("answers", sentence))

    if folder.is_file():
        for lesson, data in answers_inside(folder, lessons):
            add(lesson, data, folder.name)
        return found, tuple(remarks)
    for lesson, path in submitted_answers(folder, lessons) if has_entries(folder) else ():
        if not questions_of(lesson):
            continue
        try:
            add(lesson, read_file(path, MAX_ANSWERS_FILE_BYTES), path.relative_to(folder).as_posix())
        except Unreadable as error:
            remarks.append(IntakeRemark("unread", str(error)))
    return found, tuple(remarks)


def answers_inside(path: Path, lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, bytes]]:
    """(lesson, the text of its answers.toml) in a notebook or a Python file, which a process with limits reads."""
    is_notebook = suffix_of(path) == NOTEBOOK
    try:
        data = read_file(path, MAX_READ_NOTEBOOK_BYTES) if is_notebook else read_file(path)
        texts = source_reader().call(answer_texts, data, is_notebook) if MARK.encode() in data else []
    except (Unreadable, ReadingStopped, ReadingFailed):
        return  # the message comes when the code is read
    parts = [text.encode("utf-8", "replace") for text in texts]
    named = [(part, content_of(part).lesson) for part in parts]
    for lesson in [each for each in lessons if questions_of(each)] if parts else ():
        own = [part for part, name in named if is_for(name, lesson)]
        own = own or (parts if len(lessons) == 1 and len(parts) == 1 and not named[0][1] else [])
        if own:
            yield lesson, own[-1]


def has_entries(folder: Path) -> bool:
    """Whether something is in the folder. Most of a class's empty folders cost one system call."""
    with os.scandir(folder) as entries:
        return next(entries, None) is not None


def submitted_answers(folder: Path, lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, Path]]:
    """(lesson, its answers.toml), at most one for each lesson."""
    folder = innermost(folder, lessons)
    inside = Inside(folder)
    loose = loose_answers(inside)
    named = {path: content_of_file(path).lesson for path in loose}
    for lesson in lessons:
        place = inside.lesson_folder(lesson)
        own = [path for path in visible(place) if ANSWER_FILE_NAME.fullmatch(path.name)] if place is not None else []
        own = own or [path for path, name in named.items() if is_for(name, lesson)]
        own = own or (loose if len(lessons) == 1 and len(loose) == 1 and not named[loose[0]] else [])
        if own:
            yield lesson, next((path for path in own if path.name.lower() == ANSWERS_FILE), own[-1])


def loose_answers(inside: Inside) -> list[Path]:
    """The files that are called like answers.toml, up to MAX_LOOSE_BYTES of those that can be read. Raises OSError."""
    found, left = list[Path](), MAX_LOOSE_BYTES
    for path in [path for path in inside.entries if ANSWER_FILE_NAME.fullmatch(path.name)][:MAX_ANSWER_FILES]:
        size = path.lstat().st_size
        left -= size if size <= MAX_ANSWERS_FILE_BYTES else 0
        if left >= 0:
            found.append(path)
    return found


def is_for(name: str, lesson: Lesson) -> bool:
    return bool(name) and (name in (lesson.name, lesson.number) or (name.isdigit() and name.zfill(2) == lesson.number))


def content_of_file(path: Path) -> Answers:
    try:
        return content_of(read_file(path, MAX_ANSWERS_FILE_BYTES))
    except Unreadable:
        return Answers()


def content_of(data: bytes) -> Answers:
    """The file's contents; empty where it cannot be read, which the lesson's results say."""
    try:
        return read_answers(data)
    except UserError:
        return Answers()
