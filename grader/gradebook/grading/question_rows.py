"""The rows of a lesson's questions: a student's answers.toml, judged by the keys. Lines of code run in workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grader.calling.protocol import CallFailed
from grader.errors import UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.questions.answers_file import ANSWERS_FILE, Answers, read_answers
from grader.questions.code_lines import LINE_FUNCTION, Results, RunLine, module_of
from grader.questions.kinds import answer_text, judge
from grader.questions.question import Question, answer_keys_of, no_question, pose_question, questions_of, seed_of
from grader.results import Answered, Row
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import StudentFile
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
    shown = submitted.answers_shown or ANSWERS_FILE
    try:
        answers, message = read_answers(submitted.answers, shown), None
    except UserError as error:
        answers, message = Answers(), str(error)
    unknown = [name[:MAX_UNKNOWN_NAME_CHARACTERS] for name in answers.given if name not in questions][
        :MAX_UNKNOWN_NAMES
    ]
    messages = [message] if message else [f"{shown}: {no_question(questions, each, 'the lesson')}" for each in unknown]
    rows = judged_rows(lesson, questions, answers, submitted.answers_name or student, run_line)
    for row in rows:
        row.file = shown
        if message:
            row.status, row.message = "error", message
    return rows, " ".join(messages) or None


def judged_rows(
    lesson: Lesson, questions: Mapping[str, Question], answers: Answers, student: str, run_line: RunLine
) -> list[Row]:
    keys, seed = answer_keys_of(lesson), seed_of(lesson, student)
    rows = []
    for question in questions.values():
        if question.name not in answers.given:
            rows.append(Row(question.row, "todo", 0, 0))
            continue
        posed, raw = pose_question(question, seed), answers.given[question.name]
        judged = judge(posed, keys[question.name], raw, run_line)
        answered = Answered(posed.text, answer_text(posed, raw), judged.share, judged.status == "todo")
        rows.append(Row(question.row, judged.status, 0, 0, message=judged.message, answer=answered))
    return rows


def line_runner(zygote: ZygoteProcess, seconds: float | None = None) -> RunLine:
    """Runs a student's lines in workers of the zygote, like any code of a student; with `seconds`, all of them."""
    time = None if seconds is None else zygote.account(seconds)

    def run_line(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        names = list(inputs[0])
        student = Student(
            zygote, StudentFile({BACKWARD_FILE: module_of(line, names).encode()}, BACKWARD_FILE), time=time
        )
        try:
            target = RemoteTarget(student)
            return [target.call(LINE_FUNCTION, *(each[name] for name in names)) for each in inputs]
        except CallFailed as error:
            return f"Your line has no value: {error}"
        finally:
            student.close()

    return run_line
