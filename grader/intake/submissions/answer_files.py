"""Finds answers.toml, a student's answers to the questions of a lesson, in a submission: as a file, or inside one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.errors import UserError
from grader.intake.notebook.cells import MARK, answer_texts
from grader.intake.submissions.gathered import Gathered, GatheredFile
from grader.intake.submissions.lesson_files import LessonFiles, Unreadable, read_file
from grader.intake.submissions.lesson_names import is_named
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, MAX_ANSWERS_FILE_BYTES, Answers, read_answers
from grader.questions.question import questions_of, student_key
from grader.results.annotations import IntakeRemark
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader

MAX_ANSWER_FILES = 50
MAX_LOOSE_BYTES = 5 * MAX_ANSWERS_FILE_BYTES
"""Of files that are not in a lesson's folder."""


def with_answers(
    read: dict[str, LessonFiles],
    files: Gathered,
    student: str,
    lessons: Sequence[Lesson],
    known_as: Collection[str] = (),
) -> tuple[dict[str, LessonFiles], tuple[IntakeRemark, ...]]:
    """The lessons with the answers to their questions, and remarks about answers that cannot be right. Raises OSError.

    The file is in the lesson's folder, or elsewhere and says which lesson it is for. Where the submission is a notebook
    or a Python file, its text may be inside. The name in it counts only if it is `student` or in `known_as`,
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

    for file in files.files if len(files.files) == 1 else ():
        for lesson, data in answers_inside(file, lessons):
            add(lesson, data, file.shown)
    for lesson, file in submitted_answers(files.answers, lessons):
        try:
            add(lesson, read_file(file.path, MAX_ANSWERS_FILE_BYTES), file.shown)
        except Unreadable as error:
            remarks.append(IntakeRemark("unread", str(error)))
    return found, tuple(remarks)


def answers_inside(file: GatheredFile, lessons: Sequence[Lesson]) -> Iterator[tuple[Lesson, bytes]]:
    """(lesson, the text of its answers.toml) in a notebook or a Python file, which a process with limits reads."""
    try:
        data = file.source
        texts = source_reader().call(answer_texts, data, file.is_notebook) if MARK.encode() in data else []
    except (Unreadable, ReadingStopped, ReadingFailed):
        return  # the message comes when the code is read
    parts = [text.encode("utf-8", "replace") for text in texts]
    named = [(part, content_of(part).lesson) for part in parts]
    for lesson in [each for each in lessons if questions_of(each)] if parts else ():
        own = [part for part, name in named if is_for(name, lesson)]
        own = own or (parts if len(lessons) == 1 and len(parts) == 1 and not named[0][1] else [])
        if own:
            yield lesson, own[-1]


def submitted_answers(
    answers: Sequence[GatheredFile], lessons: Sequence[Lesson]
) -> Iterator[tuple[Lesson, GatheredFile]]:
    """(lesson, its answers.toml), at most one for each lesson: in its folder, else one that says which it is for."""
    with_questions = [each for each in lessons if questions_of(each)] if answers else []
    loose = within_limits([file for file in answers if not any(is_its_folder(file, each) for each in lessons)])
    named = {file: content_of_file(file.path).lesson for file in loose} if with_questions else {}
    for lesson in with_questions:
        own = [file for file in answers if is_its_folder(file, lesson)]
        own = own or [file for file, name in named.items() if is_for(name, lesson)]
        own = own or (loose if len(lessons) == 1 and len(loose) == 1 and not named[loose[0]] else [])
        if own:
            yield lesson, next((file for file in own if file.path.name.lower() == ANSWERS_FILE), own[-1])


def is_its_folder(file: GatheredFile, lesson: Lesson) -> bool:
    return len(file.parts) > 1 and is_named(file.parts[-2], lesson) > 0


def within_limits(answers: Sequence[GatheredFile]) -> list[GatheredFile]:
    """Up to MAX_LOOSE_BYTES of the files, without those that are too large to be read."""
    found, left = list[GatheredFile](), MAX_LOOSE_BYTES
    for file in answers[:MAX_ANSWER_FILES]:
        size = file.path.lstat().st_size
        left -= size if size <= MAX_ANSWERS_FILE_BYTES else 0
        if left >= 0:
            found.append(file)
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
