"""Finds answers.toml, a student's answers to the questions of a lesson, in a submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from grader.errors import UserError
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.file_kinds import Unreadable, read_file
from grader.intake.submissions.fitting import naming
from grader.intake.submissions.gathered import Gathered, GatheredFile
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
    chosen: dict[str, tuple[tuple[bool, bool], str, bytes, Answers]] = {}
    for file, data, answers in read_answer_files(files, remarks):
        folder, number = file.folder.rpartition("/")[2], answers.lesson.zfill(2)
        own_folder = [each for each in lessons if naming(folder, each)]
        named = [each for each in lessons if number in (each.number, each.name)]
        is_for = own_folder or named or ([] if answers.lesson or len(lessons) > 1 else lessons)
        rank = bool(own_folder), file.path.name.lower() == ANSWERS_FILE
        for lesson in filter(questions_of, is_for):
            if lesson.name not in chosen or chosen[lesson.name][0] <= rank:
                chosen[lesson.name] = rank, file.shown, data, answers
    own, others = student_key(student), {student_key(name) for name in known_as} - {""}
    for lesson_name, (_, shown, data, answers) in chosen.items():
        name = answers.student
        other = name if student_key(name) in others - {own} else ""
        submitted = found.get(lesson_name) or LessonFiles(lesson_name)
        found[lesson_name] = replace(submitted, nothing=False, answers=data, answers_shown=shown, answers_name=other)
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
