"""The rows of a lesson's questions: a student's answers.toml, judged by the keys. Lines of code run in workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.calling.protocol import CallFailed
from grader.errors import UserError
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.questions.answers_file import ANSWERS_FILE, Answers, read_answers
from grader.questions.code_lines import LINE_FUNCTION, Results, RunLine, module_of
from grader.questions.kinds import answer_text, judge
from grader.questions.question import answer_keys_of, no_question, pose_question, questions_of, seed_of
from grader.results import Answered, Row
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student

MAX_UNKNOWN_NAMES, MAX_UNKNOWN_NAME_CHARACTERS = 5, 80
"""Names of unknown questions that a message shows."""


def question_rows(
    lesson: Lesson, submitted: LessonFiles, student: str, run_line: RunLine
) -> tuple[list[Row], str | None]:
    """A row for each question, without points, and a message about the file. Nothing where it was not submitted.

    Raises LessonError for questions that cannot be used, and ZygoteDied.
    """
    questions = questions_of(lesson)
    if submitted.answers is None or not questions:
        return [], None
    shown, message = submitted.answers_shown or ANSWERS_FILE, ""
    try:
        answers = read_answers(submitted.answers, shown)
    except UserError as error:
        answers, message = Answers(), str(error)
    keys, seed = answer_keys_of(lesson), seed_of(lesson, submitted.answers_name or student)
    rows = []
    for question in questions.values():
        row = Row(question.row, "todo", 0, 0, file=shown)
        if message:
            row.status, row.message = "error", message
        elif question.name in answers.given:
            posed, raw = pose_question(question, seed), answers.given[question.name]
            judged = judge(posed, keys[question.name], raw, run_line)
            row.status, row.message = judged.status, judged.message
            row.answer = Answered(posed.text, answer_text(posed, raw), judged.share, judged.status == "todo")
        rows.append(row)
    unknown = [name[:MAX_UNKNOWN_NAME_CHARACTERS] for name in answers.given if name not in questions]
    others = (f"{shown}: {no_question(questions, name, 'the lesson')}" for name in unknown[:MAX_UNKNOWN_NAMES])
    return rows, message or " ".join(others) or None


def line_runner(zygote: ZygoteProcess, seconds: float | None = None) -> RunLine:
    """Runs a student's lines in workers of the zygote, like any code of a student; with `seconds`, all of them."""
    account = None if seconds is None else zygote.account(seconds)

    def run_line(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        names = list(inputs[0])
        student = Student(zygote, {BACKWARD_FILE: module_of(line, names).encode()}, account=account)
        try:
            target = RemoteTarget(student)
            return [target.call(LINE_FUNCTION, *(each[name] for name in names)) for each in inputs]
        except CallFailed as error:
            return f"Your line has no value: {error}"
        finally:
            student.close()

    return run_line
