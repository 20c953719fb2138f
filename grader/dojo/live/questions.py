"""The questions on the live page, as forms, and the answers that it sends.

answering.py stores and judges the answers, as it does for `dojo answer`.
"""

from __future__ import annotations

import base64
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.dojo.answering import AnswerSheet, known_student, stored_sentence, verdict_words
from grader.errors import GraderFault, UserError
from grader.lesson.lesson import Course, Lesson
from grader.publish.inert import inert
from grader.publish.report.pages import report_templates
from grader.questions.answers_file import plain_text
from grader.questions.code_lines import RunLine
from grader.questions.kinds import KINDS, AnswerError, read_answer
from grader.questions.posing import Posed
from grader.questions.question import WITH_CHOICES, Question, find_question, questions_of

MAX_ANSWERING_NAME = 200
MAX_FIGURE_BYTES = 500_000
HOW = {
    "choice": "Choose one.",
    "multiple": "Choose all that are true.",
    "order": "Move them into order, the first one to the top.",
}
"""How to answer a question whose choices have no letters on the page."""


@dataclass(frozen=True)
class PosedForm:
    """A question as a form: `how` says how to answer it; `figure` is a `data:` address, or ""."""

    posed: Posed
    how: str
    figure: str
    state: str
    outcome: str


class LiveQuestions:
    """The questions of a course's lessons, and the only writer of answers.toml on the page. Safe in several threads."""

    def __init__(self, course: Course, run_line: RunLine) -> None:
        self._course, self._run_line = course, run_line
        self._writing = threading.Lock()
        self._macros: Any = report_templates(inert).get_template("live_questions.html").module

    def posed(self, name: str, student: str) -> dict[str, Any]:
        """The lesson's questions as JSON for live_questions.js; `html` is "" where there are none.

        `given` has the stored answers: a text, or the ids of the choices. Raises KeyError for an unknown lesson.
        """
        lesson = self._course.lessons[name]
        try:
            if not questions_of(lesson):
                return {"html": "", "count": "", "student": "", "given": {}}
            sheet = self._sheet(lesson, student)
            if not sheet.answers.student:
                return {"html": self._macros.name_form(lesson), "count": "", "student": "", "given": {}}
            given = {each.name: self._given(sheet, each) for each in sheet.questions.values()}
            return {
                "html": self._macros.questions(
                    lesson,
                    sheet.answers.student,
                    sheet.is_judged,
                    [self._form(sheet, each) for each in sheet.questions.values()],
                ),
                "count": self._macros.sentence(stored_sentence(sheet)),
                "student": sheet.answers.student,
                "given": {each: value for each, value in given.items() if value is not None},
            }
        except UserError as error:
            return {"html": self._macros.trouble(lesson, str(error)), "count": "", "student": "", "given": {}}

    def answer(self, name: str, student: str, question: str, raw: str) -> dict[str, Any]:
        """Store an answer and return what live_questions.js shows of it. Raises KeyError for an unknown lesson."""
        lesson = self._course.lessons[name]
        try:
            with self._writing:
                sheet = self._sheet(lesson, student)
                if not student or sheet.answers.student != student:
                    return self._refused("The questions on this page have another name's values. Reload the page.")
                found = find_question(sheet.questions, question, f"Lesson {lesson.number}")
                if not raw.strip():
                    return self._refused("There is no answer yet.")
                sheet.record(found, raw)
            state, words = self._outcome(sheet, found)
        except (AnswerError, UserError) as error:
            return self._refused(str(error))
        return {
            "stored": True,
            "outcome": self._macros.outcome(state, words),
            "count": self._macros.sentence(stored_sentence(sheet)),
        }

    def _refused(self, sentence: str) -> dict[str, Any]:
        return {"stored": False, "outcome": self._macros.outcome("failed", f"Not stored. {sentence}"), "count": ""}

    def _sheet(self, lesson: Lesson, student: str) -> AnswerSheet:
        typed = " ".join(student.split())[:MAX_ANSWERING_NAME]
        return AnswerSheet(lesson, typed or known_student([lesson, *self._course.lessons.values()]))

    def _form(self, sheet: AnswerSheet, question: Question) -> PosedForm:
        state, words = self._outcome(sheet, question) if question.name in sheet.answers.given else ("none", "")
        how = HOW.get(question.kind, f"Answer with {KINDS[question.kind].expected}.")
        return PosedForm(sheet.posed(question), how, figure_address(sheet.lesson, question), state, words)

    def _outcome(self, sheet: AnswerSheet, question: Question) -> tuple[str, str]:
        """The class and the words of the verdict on a stored answer."""
        try:
            judged = sheet.judged(question, self._run_line)
        except GraderFault:
            return "none", "Recorded. Your line could not be run now; answer again to run it."
        return judged.status if judged is not None else "none", verdict_words(judged)[0]

    def _given(self, sheet: AnswerSheet, question: Question) -> str | list[str] | None:
        """The stored answer as the form's controls show it; None where there is none that they can show."""
        if question.name not in sheet.answers.given:
            return None
        raw = sheet.answers.given[question.name]
        if question.kind not in WITH_CHOICES:
            return plain_text(raw)
        try:
            value = read_answer(sheet.posed(question), raw)
        except AnswerError:
            return None
        return [value] if isinstance(value, str) else list(value)


def figure_address(lesson: Lesson, question: Question) -> str:
    """A question's drawing as a `data:` address, in which nothing runs; "" where the file is not there or too large."""
    path = lesson.exercise / Path(question.figure).name
    if path.suffix != ".svg" or not path.is_file() or path.stat().st_size > MAX_FIGURE_BYTES:
        return ""
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()
