"""Finds answers.toml, a student's answers to the questions of a lesson, in a submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from grader.errors import UserError
from grader.intake.submissions.file_kinds import Unreadable, read_file
from grader.intake.submissions.fitting import is_named
from grader.intake.submissions.gathered import Gathered, GatheredFile
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, MAX_ANSWERS_FILE_BYTES, Answers, read_answers
from grader.questions.question import questions_of, student_key
from grader.results import IntakeRemark

MAX_ANSWER_FILES = 50
MAX_ANSWER_BYTES = 5 * MAX_ANSWERS_FILE_BYTES
"""Of all files together: Python's TOML reader may take quadratic time."""


def with_answers(
    read: dict[str, LessonFiles],
    files: Gathered,
    student: str,
    lessons: Sequence[Lesson],
    known_as: Collection[str] = (),
) -> tuple[dict[str, LessonFiles], tuple[IntakeRemark, ...]]:
    """The lessons with the answers to their questions, and remarks about answers that cannot be right. Raises OSError.

    The file is in the lesson's folder, or elsewhere and says which lesson it is for. The name in it counts only if it
    is `student` or in `known_as`, whatever its capitals and punctuation: a student who could choose a name would choose
    the questions' values.
    """
    found, remarks = dict(read), list[IntakeRemark]()
    own, others = student_key(student), {student_key(name) for name in known_as} - {""}
    texts = list(read_answer_files(files, remarks))
    folders = {file.shown: file.folder.rpartition("/")[2] for file, _, _ in texts}
    loose = [each for each in texts if not any(is_named(folders[each[0].shown], lesson) for lesson in lessons)]
    for lesson in [each for each in lessons if questions_of(each)] if texts else ():
        possible = [each for each in texts if is_named(folders[each[0].shown], lesson)]
        possible = possible or [each for each in loose if each[2].lesson.zfill(2) in (lesson.number, lesson.name)]
        if not possible and len(lessons) == len(loose) == 1 and not loose[0][2].lesson:
            possible = loose
        if not possible:
            continue
        exact = [each for each in possible if each[0].path.name.lower() == ANSWERS_FILE]
        file, data, answers = (exact or possible)[-1]
        name, shown = answers.student, file.shown
        other = name if student_key(name) in others - {own} else ""
        files_of_lesson = found.get(lesson.name) or LessonFiles(lesson.name)
        found[lesson.name] = replace(
            files_of_lesson, answers=data, answers_shown=shown, answers_name=other, nothing=False
        )
        if name and not other and student_key(name) != own:
            sentence = (
                f"{shown} was written for `{name}`, which is not known as a name, id or address of this student: the "
                f"questions have the values of `{student}`. If it is one, add it to the roster."
            )
            remarks.append(IntakeRemark("answers", sentence))
    return found, tuple(remarks)


def read_answer_files(files: Gathered, remarks: list[IntakeRemark]) -> Iterator[tuple[GatheredFile, bytes, Answers]]:
    """(file, its bytes, what it says), up to MAX_ANSWER_BYTES; adds a remark for one that cannot be read.

    What a file says is empty where it is no answers.toml, which the lesson's results say.
    """
    left = MAX_ANSWER_BYTES
    for file in files.answers[:MAX_ANSWER_FILES]:
        try:
            data = read_file(file.path, MAX_ANSWERS_FILE_BYTES)
        except Unreadable as error:
            remarks.append(IntakeRemark("unread", str(error)))
            continue
        left -= len(data)
        if left >= 0:
            answers = Answers()
            with suppress(UserError):
                answers = read_answers(data)
            yield file, data, answers
