"""Finds answers.toml, a student's answers to the questions of a lesson, in a submission: as a file, or inside one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from grader.errors import UserError
from grader.intake.notebook.cells import MARK, answer_texts
from grader.intake.submissions.file_kinds import Unreadable, read_file
from grader.intake.submissions.gathered import Gathered, GatheredFile
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.lesson_names import is_named
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, MAX_ANSWERS_FILE_BYTES, Answers, read_answers
from grader.questions.question import questions_of, student_key
from grader.results import IntakeRemark
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader

MAX_ANSWER_FILES = 50
MAX_ANSWER_BYTES = 5 * MAX_ANSWERS_FILE_BYTES
"""Of all files together: Python's TOML reader may take quadratic time."""


class AnswerText(NamedTuple):
    """A text that may be a lesson's answers, with what it contains; `is_file`: it is a file of its own."""

    file: GatheredFile
    data: bytes
    answers: Answers
    is_file: bool

    def is_for(self, lesson: Lesson) -> bool:
        """Whether it says that it is for the lesson, by its name or number."""
        name = self.answers.lesson
        return name in (lesson.name, lesson.number) or (name.isdigit() and name.zfill(2) == lesson.number)

    def is_next_to(self, lesson: Lesson) -> bool:
        return self.is_file and is_named(self.file.folder.rpartition("/")[2], lesson) > 0


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
    texts = [*texts_inside(files), *texts_of_files(files, remarks)]
    loose = [each for each in texts if not any(each.is_next_to(lesson) for lesson in lessons)]
    for lesson in [each for each in lessons if questions_of(each)] if texts else ():
        alone = loose if len(lessons) == len(loose) == 1 and not loose[0].answers.lesson else []
        possible = [each for each in texts if each.is_next_to(lesson)]
        possible = possible or [each for each in loose if each.is_for(lesson)] or alone
        if not possible:
            continue
        chosen = max(reversed(possible), key=lambda each: (each.is_file, each.file.path.name.lower() == ANSWERS_FILE))
        name, shown = chosen.answers.student, chosen.file.shown
        other = name if student_key(name) in others - {own} else ""
        files_of_lesson = found.get(lesson.name) or LessonFiles(lesson.name)
        found[lesson.name] = replace(
            files_of_lesson, answers=chosen.data, answers_shown=shown, answers_name=other, nothing=False
        )
        if name and not other and student_key(name) != own:
            sentence = (
                f"{shown} was written for `{name}`, which is not known as a name, id or address of this student: the "
                f"questions have the values of `{student}`. If it is one, add it to the roster."
            )
            remarks.append(IntakeRemark("answers", sentence))
    return found, tuple(remarks)


def texts_inside(files: Gathered) -> Iterator[AnswerText]:
    """The texts in the only notebook or Python file of a submission, which a process with limits reads."""
    for file in files.files if len(files.files) == 1 else ():
        try:
            if MARK.encode() in file.source:
                for text in source_reader().call(answer_texts, file.source, file.is_notebook):
                    data = text.encode("utf-8", "replace")
                    yield AnswerText(file, data, content_of(data), False)
        except (Unreadable, ReadingStopped, ReadingFailed):
            return  # the message comes when the code is read


def texts_of_files(files: Gathered, remarks: list[IntakeRemark]) -> Iterator[AnswerText]:
    """The answers files, up to MAX_ANSWER_BYTES; adds a remark for one that cannot be read."""
    left = MAX_ANSWER_BYTES
    for file in files.answers[:MAX_ANSWER_FILES]:
        try:
            data = read_file(file.path, MAX_ANSWERS_FILE_BYTES)
        except Unreadable as error:
            remarks.append(IntakeRemark("unread", str(error)))
            continue
        left -= len(data)
        if left >= 0:
            yield AnswerText(file, data, content_of(data), True)


def content_of(data: bytes) -> Answers:
    """The file's contents; empty where it cannot be read, which the lesson's results say."""
    try:
        return read_answers(data)
    except UserError:
        return Answers()
