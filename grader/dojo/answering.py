"""A lesson's questions in the terminal, for `dojo answer`. Answers are stored after each question in answers.toml.

With the answer keys (in a checkout of the course) an answer is judged; in a student's kit it is recorded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.file import shown_path
from grader.dojo.overview import Paragraph
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, Answers, read_answers
from grader.questions.code_lines import RunLine
from grader.questions.judging import WAITS, Judged, judge
from grader.questions.kinds import KINDS, AnswerError, answer_text, read_answer
from grader.questions.posing import Posed, pose_question, seed_of
from grader.questions.question import WITH_CHOICES, Question, answer_keys_of, find_question, questions_of

STOP = "q"
ANSWER_INDENT = 4
QUESTION_NAME_WIDTH, ANSWER_WIDTH = 24, 46
ANSWER_MARKS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "bold red"),
    "error": ("✗", "bold red"),
    "todo": ("…", "cyan"),
}

ReadLine = Callable[[], str | None]
"""Reads one line; None where there is no more input."""


class AnswerSheet:
    """A student's answers.toml in a lesson's folder."""

    def __init__(self, lesson: Lesson, student: str = "") -> None:
        """`student` is for a new file. Raises UserError for a lesson without questions and a file that is damaged."""
        self.lesson, self.path = lesson, lesson.exercise / ANSWERS_FILE
        self.questions, self._keys = questions_of(lesson), answer_keys_of(lesson)
        if not self.questions:
            raise UserError(f"Lesson {lesson.number} has no questions.")
        stored = stored_answers(lesson)
        self.answers = replace(stored, lesson=lesson.name, student=stored.student or student)

    @property
    def is_judged(self) -> bool:
        """Whether the answer keys are there."""
        return bool(self._keys)

    def posed(self, question: Question) -> Posed:
        return pose_question(question, seed_of(self.lesson, self.answers.student))

    def judged(self, question: Question, run_line: RunLine) -> Judged | None:
        """The verdict on the stored answer; None for a question without an answer, or where there are no keys."""
        if question.name not in self.answers.given:
            return None
        raw = self.answers.given[question.name]
        if self._keys:
            return judge(self.posed(question), self._keys[question.name], raw, run_line)
        trouble = self.trouble(question, raw)
        return None if trouble is None else Judged("error", 0, trouble)

    def trouble(self, question: Question, raw: str) -> str | None:
        """Why an answer cannot be read, in a sentence; None where it can."""
        try:
            read_answer(self.posed(question), raw)
        except AnswerError as error:
            return str(error)
        return None

    def record(self, question: Question, raw: str) -> None:
        """Store an answer; choices by their ids. Raises AnswerError for one of another form, and UserError."""
        value = read_answer(self.posed(question), raw)
        kept = raw.strip()
        if question.kind in WITH_CHOICES:
            ids = [value] if question.kind == "choice" else sorted(value) if question.kind == "multiple" else value
            kept = ", ".join(ids)
        self.answers = replace(self.answers, given={**self.answers.given, question.name: kept})
        with write_errors(shown_path(self.path)):
            write_whole(self.path, self.answers.to_text(self.lesson.number), str(os.getpid()))


def stored_answers(lesson: Lesson) -> Answers:
    """What the student has answered in this lesson so far. Raises UserError for a file that cannot be read."""
    path = lesson.exercise / ANSWERS_FILE
    return read_answers(path.read_bytes(), shown_path(path)) if path.is_file() else Answers()


def known_student(lessons: Sequence[Lesson]) -> str:
    """The name in the answers to any lesson, because `dojo` asks for it only once; "" if there is none."""
    for lesson in lessons:
        with contextlib.suppress(UserError):
            if name := stored_answers(lesson).student:
                return name
    return ""


def due_questions(sheet: AnswerSheet, names: Sequence[str], run_line: RunLine) -> list[Question]:
    """The questions of these `names`; without names those that are not answered, or not rightly. Raises UserError."""
    if names:
        return [find_question(sheet.questions, name, f"Lesson {sheet.lesson.number}") for name in names]
    fine = ("passed", "todo") if sheet.is_judged else ()
    pairs = [(each, sheet.judged(each, run_line)) for each in sheet.questions.values()]
    return [each for each, judged in pairs if is_open(sheet, each) or (judged and judged.status not in fine)]


def is_open(sheet: AnswerSheet, question: Question) -> bool:
    return question.name not in sheet.answers.given


def readable_answer(
    ask: ReadLine, trouble: Callable[[str], str | None], otherwise: str
) -> Generator[RenderableType, None, str | None]:
    """Ask until `trouble` has no sentence about an answer, or it is empty: return it, or None where somebody stops."""
    while True:
        raw = ask()
        if raw is None or raw.strip().lower() == STOP:
            return None
        found = trouble(raw) if raw.strip() else None
        if found is None:
            return raw.strip()
        yield Paragraph(f"{found} Try again, or press Enter to {otherwise}.", "red")


def ask_questions(
    sheet: AnswerSheet, due: Sequence[Question], ask: ReadLine, run_line: RunLine
) -> Iterator[RenderableType]:
    """Ask one question after another. Repeat it if the answer has another form; skip it if the answer is empty."""
    places = list(sheet.questions)
    if not sheet.is_judged:
        yield Paragraph("Only your course has the answer key: here your answers are recorded, not judged.", "bold")
        yield ""
    for question in due:
        posed = sheet.posed(question)
        yield from question_screen(posed, places.index(question.name) + 1, len(places))
        raw = yield from readable_answer(ask, partial(sheet.trouble, question), "skip")
        if raw is None:
            break
        if raw:
            sheet.record(question, raw)
            yield Paragraph(*verdict_words(sheet.judged(question, run_line)))
        yield ""
    yield from stop_screen(sheet)


def question_screen(posed: Posed, number: int, of: int) -> Iterator[RenderableType]:
    question = posed.question
    yield Text.assemble((f"Question {number} of {of}", "bold"), (f"  {question.name}", "dim"))
    yield Paragraph(posed.text, indent=ANSWER_INDENT)
    yield from choice_lines(posed)
    if question.given:
        shapes = ", ".join(f"{name} ({shape})" if shape else f"{name} ()" for name, shape in question.given.items())
        yield Paragraph(f"Given: {shapes}.", "dim", ANSWER_INDENT)
    if question.figure:
        yield Paragraph(f"Figure: {question.figure}, in the lesson's folder.", "dim", ANSWER_INDENT)
    yield Paragraph(f"Answer with {KINDS[question.kind].expected}.", "dim", ANSWER_INDENT)


def choice_lines(posed: Posed) -> Iterator[RenderableType]:
    for letter, each in posed.letters.items():
        yield Paragraph(f"{letter})  {posed.choices[each]}", indent=ANSWER_INDENT, hang=len(letter) + 3)


def verdict_words(judged: Judged | None) -> tuple[str, str]:
    """What a student reads about an answer that was just stored, and its style in the terminal."""
    if judged is None:
        return "Recorded.", "green"
    if judged.status == "passed":
        return "Right.", "bold green"
    if judged.message == WAITS:
        return f"Recorded. {WAITS}", "green"
    return f"Not right. {judged.message}", "red"


def stored_sentence(sheet: AnswerSheet) -> str:
    """How many questions are answered, and where the answers are."""
    count = f"{count_answered(sheet)} of {len(sheet.questions)} answered"
    if not count_answered(sheet):
        return f"{count}: nothing is stored yet."
    return f"{count}, stored in {shown_path(sheet.path)}. Submit it with your files."


def stop_screen(sheet: AnswerSheet) -> Iterator[RenderableType]:
    yield Paragraph(stored_sentence(sheet), "bold")
    if count_answered(sheet) < len(sheet.questions):
        yield Paragraph(f"dojo answer {sheet.lesson.number} goes on; --list shows what you have answered.", "dim")


def count_answered(sheet: AnswerSheet) -> int:
    return sum(not is_open(sheet, each) for each in sheet.questions.values())


def answers_screen(sheet: AnswerSheet, run_line: RunLine) -> Iterator[RenderableType]:
    """Every question with the student's answer, and where there are keys the verdict."""
    lesson, count = sheet.lesson, count_answered(sheet)
    yield Text(f"Lesson {lesson.number}: {count} of {len(sheet.questions)} questions answered", "bold")
    if sheet.answers.student:
        yield Paragraph(f"The values are drawn for {sheet.answers.student}.", "dim")
    yield ""
    for number, question in enumerate(sheet.questions.values(), 1):
        judged = sheet.judged(question, run_line)
        is_given = not is_open(sheet, question)
        mark, style = ANSWER_MARKS[judged.status] if judged else ("·", "") if is_given else (" ", "dim")
        text = answer_text(sheet.posed(question), sheet.answers.given[question.name]) if is_given else "not answered"
        shown = text if len(text) <= ANSWER_WIDTH else text[: ANSWER_WIDTH - 1].rstrip() + "…"
        yield Text(f"{mark} {number:>2} {question.name:<{QUESTION_NAME_WIDTH}} {shown}", style)
        if judged and judged.status in ("failed", "error"):
            yield Paragraph(judged.message or "", "dim", ANSWER_INDENT + 1)
