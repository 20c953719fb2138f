"""The live page's text: the page itself once, a board for each check, one gradient of it at a time, and the questions.

answering.py stores and judges the answers to questions, as it does for `dojo answer`.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from grader.dojo.answering import AnswerSheet, known_student, stored_sentence, verdict_words
from grader.dojo.desk import Checked
from grader.dojo.file import outline_of_text
from grader.dojo.live.gradient import gradient_view
from grader.dojo.report import graded_checks
from grader.dojo.screen import tally
from grader.dojo.view import View
from grader.errors import GraderFault, UserError
from grader.intake.submissions.lesson_files import MAIN
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import TEMPLATES
from grader.publish.inert import inert
from grader.publish.report.drawings import layouts_of
from grader.publish.report.excerpt import excerpt
from grader.publish.report.layout import Layout
from grader.publish.report.pages import report_templates
from grader.publish.report.reading import LessonPart, arrange_lesson
from grader.questions.answers_file import plain_text
from grader.questions.code_lines import RunLine
from grader.questions.posing import Posed
from grader.questions.question import WITH_CHOICES, Question, find_question, questions_of
from grader.questions.reading import EXPECTED, AnswerError, read_answer
from grader.sandbox.isolation.probe import Isolation

MOST_NODES = 200
"""Boxes of a graph that show what they know when the pointer is on them."""
MOST_FORWARD = 6
"""Lines of the forward pass next to a gradient."""

drawings_of = cache(layouts_of)


@dataclass(frozen=True)
class Board:
    """A check as the page shows it. Everything is computed at most once, when the page first asks for it."""

    view: View
    number: int
    isolation: Isolation
    at: float = field(default_factory=time.time)

    @property
    def checked(self) -> Checked | None:
        return self.view.checked

    @cached_property
    def part(self) -> LessonPart | None:
        if self.checked is None:
            return None
        graded = graded_checks([self.checked], self.isolation)
        return arrange_lesson(graded.results.lessons[0], self.view.lesson, graded, self.checked.source)

    @property
    def drawings(self) -> tuple[Layout, ...]:
        return drawings_of(self.view.lesson) if self.view.lesson.gradients else ()

    @property
    def time(self) -> str:
        return time.strftime("%H:%M:%S", time.localtime(self.at))


class LivePage:
    """Renders what a browser asks for. Every text passes `inert` and Jinja's escaping, as in the report."""

    def __init__(self) -> None:
        templates = report_templates(inert)
        self._frame = templates.get_template("live.html")
        self._parts = templates.get_template("live_parts.html").module
        names = ("live.js", "live_questions.js", "report.js")
        script = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)
        self._script = Markup(script.replace('"use strict";', ""))

    def frame(self, nonce: str) -> str:
        """The page without any content; only scripts and styles with `nonce` may run in it."""
        return self._frame.render(nonce=nonce, script=self._script, most_nodes=MOST_NODES)

    def board(self, board: Board) -> dict[str, Any]:
        """What a check found, as JSON for live.js; texts that begin with `<` are HTML."""
        view, part, checked = board.view, board.part, board.checked
        macros: Any = self._parts
        runs = checked is not None and checked.judged.runs
        counts = tally(checked.progress) if checked is not None and runs else ""
        share = 100 * len(checked.progress.reached) / len(checked.progress.items) if checked is not None and runs else 0
        found = {
            "number": board.number,
            "lesson": view.lesson.name,
            "title": f"{view.lesson.number} {counts.partition(' · ')[0] or view.lesson.title} · Backprop Ninja",
            "words": "Checked" if runs else "The file does not run. Checked",
            "time": board.time,
            "rows": [],
            "message": "",
            "top": macros.top(view.lesson, view.file, counts, round(share, 1)),
            "graph": "",
            "table": "",
        }
        if part is None or checked is None:
            return found | {"words": "Nothing is checked yet: opened"}
        found["graph"] = macros.graph(part, board.drawings)
        if not runs:
            return found | {"message": macros.broken(part)}
        found["table"] = macros.rows(part)
        found["rows"] = [{"name": each.row.name, "word": each.word, "anchor": each.anchor} for each in part.lines]
        return found

    def gradient(self, board: Board, row: str, place: tuple[int, int] | None, in_chain: bool) -> str:
        """One row of the check. Raises KeyError where there is no such row."""
        part, checked = board.part, board.checked
        if part is None or checked is None or not checked.judged.runs:
            raise KeyError(row)
        lines = {line.row.name: (number, line) for number, line in enumerate(part.lines, 1)}
        number, line = lines[row]
        item = line.item
        assert item is not None
        source = checked.text_of(line.row)
        at = line.row.line
        function = at or outline_of_text(checked.submitted.files[MAIN]).line(item)
        macros: Any = self._parts
        return str(
            macros.gradient(
                part,
                line,
                number,
                len(lines),
                gradient_view(checked, item, place, in_chain),
                line.excerpt or excerpt(source, item.function, function),
                at,
                forward_lines(board.view.lesson, item.target)[:MOST_FORWARD] if item.target else [],
            )
        )


def news_of_view(view: View, board: Mapping[str, Any] | None) -> dict[str, Any]:
    """One event for live.js: what is going on, and the board if the browser does not have it yet."""
    return {"running": view.running, "trouble": view.trouble, "focus": view.focus, "board": board}


MOST_NAME = 200
MOST_FIGURE_BYTES = 500_000
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
        typed = " ".join(student.split())[:MOST_NAME]
        return AnswerSheet(lesson, typed or known_student([lesson, *self._course.lessons.values()]))

    def _form(self, sheet: AnswerSheet, question: Question) -> PosedForm:
        state, words = self._outcome(sheet, question) if question.name in sheet.answers.given else ("none", "")
        how = HOW.get(question.kind, f"Answer with {EXPECTED[question.kind]}.")
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
    if path.suffix != ".svg" or not path.is_file() or path.stat().st_size > MOST_FIGURE_BYTES:
        return ""
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()
