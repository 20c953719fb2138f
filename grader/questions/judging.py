"""Is an answer right, and if not, why is it tempting? The same comparison decides about the key and known mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.questions.code_lines import Results, RunLine, line_inputs
from grader.questions.kinds import KINDS, AnswerError, read_answer
from grader.questions.posing import Posed, pose_question
from grader.questions.question import AnswerKey, Question

DRAWN_FOR = 20
"""Students for whom a question is drawn, to see whether they have different right answers."""
NOT_ALL_RIGHT = (
    "Your choices are not exactly the true ones. Which of them are wrong, and why, is in the model answers that your "
    "course gives out after the due date."
)
"""Of several choices: a sentence about one of them would give the key to the next attempt."""
WAITS = "A person reads this answer and gives the points."

QuestionStatus = Literal["passed", "failed", "error", "todo"]


@dataclass(frozen=True)
class Judged:
    """The verdict on an answer. `share` are the points from 0 to 1; the message never contains the key."""

    status: QuestionStatus
    share: float
    message: str | None = None


def judge(posed: Posed, secret: AnswerKey, raw: object, run_line: RunLine) -> Judged:
    """Judge an answer. `run_line` runs a student's line of code. Raises LessonError for an invalid key."""
    try:
        answer = read_answer(posed, raw)
    except AnswerError as error:
        return Judged("error", 0, str(error))
    kind = posed.question.kind
    if kind == "text":
        return Judged("todo", 0, WAITS)
    results: Results = []
    if kind == "code":
        results = run_line(answer, line_inputs(posed.question))
        if isinstance(results, str):
            return Judged("error", 0, results)
    assert secret.key is not None
    is_same = KINDS[kind].is_same
    if is_same(posed, answer, secret.key, secret, results):
        return Judged("passed", 1)
    if kind == "multiple":
        return Judged("failed", 0, NOT_ALL_RIGHT)
    named = (why for wrong, why in secret.why.items() if is_same(posed, answer, wrong, secret, results))
    return Judged("failed", 0, posed.fill_in(next(named, secret.otherwise)))


def is_drawn(question: Question, secret: AnswerKey) -> bool:
    """Whether the right answer is another one for other students: False where a drawn question's key is always 0.

    Raises LessonError for a question that cannot be drawn.
    """
    computed = KINDS[question.kind].computed
    if computed is None or not question.draw:
        return False
    posed = (pose_question(question, f"student {number}") for number in range(DRAWN_FOR))
    return len({computed(str(secret.key), each.values) for each in posed}) > 1
