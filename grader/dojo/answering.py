"""Questions in the terminal: a lesson's, for `dojo answer`, and those about own code, for `dojo defend`.

Answers to a lesson's questions are stored after each question in answers.toml. With the answer keys (in a checkout of
the course) an answer is judged; in a student's kit it is recorded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial

from rich.console import RenderableType
from rich.text import Text

from grader.defence.question import DefenceQuestion
from grader.dojo.file import shown_path
from grader.dojo.overview import Paragraph
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.lesson.lesson import Lesson
from grader.questions.answers_file import ANSWERS_FILE, Answers, read_answers
from grader.questions.code_lines import RunLine
from grader.questions.kinds import KINDS, WAITS, Judged, answer_text, answer_trouble, judge, read_answer
from grader.questions.question import (
    QUESTION_PREFIX,
    WITH_CHOICES,
    Posed,
    Question,
    answer_keys_of,
    no_question,
    pose_question,
    questions_of,
    seed_of,
)

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

    def __init__(self, lesson: Lesson, student: str, run_line: RunLine) -> None:
        """`student` is for a new file. Raises UserError for a lesson without questions and a file that is damaged."""
        self.lesson, self.path, self._run_line = lesson, lesson.exercise / ANSWERS_FILE, run_line
        self.questions, self._keys = questions_of(lesson), answer_keys_of(lesson)
        if not self.questions:
            raise UserError(f"Lesson {lesson.number} has no questions.")
        stored = stored_answers(lesson)
        self.answers = replace(stored, lesson=lesson.name, student=stored.student or student)

    @property
    def is_judged(self) -> bool:
        """Whether the answer keys are there."""
        return bool(self._keys)

    @property
    def count(self) -> int:
        """How many questions are answered."""
        return sum(name in self.answers.given for name in self.questions)

    def posed(self, question: Question) -> Posed:
        return pose_question(question, seed_of(self.lesson, self.answers.student))

    def judged(self, question: Question) -> Judged | None:
        """The verdict on the stored answer; None for a question without an answer, or where there are no keys."""
        if question.name not in self.answers.given:
            return None
        raw = self.answers.given[question.name]
        if self._keys:
            return judge(self.posed(question), self._keys[question.name], raw, self._run_line)
        trouble = answer_trouble(self.posed(question), raw)
        return None if trouble is None else Judged("error", 0, trouble)

    def due(self, names: Sequence[str]) -> list[Question]:
        """The questions of these `names`; without names those without an answer, or with a wrong one. UserError."""
        wanted = [name.removeprefix(QUESTION_PREFIX) for name in names]
        for name in wanted:
            if name not in self.questions:
                raise UserError(no_question(self.questions, name, f"Lesson {self.lesson.number}"))
        if wanted:
            return [self.questions[name] for name in wanted]
        fine = ("passed", "todo") if self.is_judged else ()
        pairs = [(each, self.judged(each)) for each in self.questions.values()]
        given = self.answers.given
        return [each for each, judged in pairs if each.name not in given or (judged and judged.status not in fine)]

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


def ask_questions(sheet: AnswerSheet, due: Sequence[Question], ask: ReadLine) -> Iterator[RenderableType]:
    """Ask one question after another. Repeat it if the answer has another form; skip it if the answer is empty."""
    places = list(sheet.questions)
    if not sheet.is_judged:
        yield Paragraph("Only your course has the answer key: here your answers are recorded, not judged.", "bold")
        yield ""
    for question in due:
        posed = sheet.posed(question)
        yield question_heading(places.index(question.name) + 1, len(places), question.name)
        yield Paragraph(posed.text, indent=ANSWER_INDENT)
        yield from answer_help(posed)
        raw = yield from readable_answer(ask, partial(answer_trouble, posed), "skip")
        if raw is None:
            break
        if raw:
            sheet.record(question, raw)
            judged = sheet.judged(question)
            if judged is not None and judged.status == "passed":
                yield Text("Right.", "bold green")
            elif judged is None or judged.message == WAITS:
                yield Paragraph(f"Recorded. {WAITS if judged else ''}", "green")
            else:
                yield Paragraph(f"Not right. {judged.message}", "red")
        yield ""
    stored = f"stored in {shown_path(sheet.path)}. Submit it with your files."
    count = f"{sheet.count} of {len(sheet.questions)} answered"
    yield Paragraph(f"{count}, {stored}" if sheet.count else f"{count}: nothing is stored yet.", "bold")
    if sheet.count < len(sheet.questions):
        yield Paragraph(f"dojo answer {sheet.lesson.number} goes on; --list shows what you have answered.", "dim")


def question_heading(number: int, of: int, name: str) -> Text:
    return Text.assemble((f"Question {number} of {of}", "bold"), (f"  {name}", "dim"))


def answer_help(posed: Posed) -> Iterator[RenderableType]:
    """The choices, what is given, and the form of an answer."""
    question = posed.question
    for letter, each in posed.letters.items():
        yield Paragraph(f"{letter})  {posed.choices[each]}", indent=ANSWER_INDENT, hang=len(letter) + 3)
    if question.given:
        shapes = ", ".join(f"{name} ({shape})" if shape else f"{name} ()" for name, shape in question.given.items())
        yield Paragraph(f"Given: {shapes}.", "dim", ANSWER_INDENT)
    if question.figure:
        yield Paragraph(f"Figure: {question.figure}, in the lesson's folder.", "dim", ANSWER_INDENT)
    yield Paragraph(f"Answer with {KINDS[question.kind].expected}.", "dim", ANSWER_INDENT)


def answers_screen(sheet: AnswerSheet) -> Iterator[RenderableType]:
    """Every question with the student's answer, and where there are keys the verdict."""
    title = f"Lesson {sheet.lesson.number}: {sheet.count} of {len(sheet.questions)} questions answered"
    yield Text(title, "bold")
    if sheet.answers.student:
        yield Paragraph(f"The values are drawn for {sheet.answers.student}.", "dim")
    yield ""
    for number, question in enumerate(sheet.questions.values(), 1):
        judged, raw = sheet.judged(question), sheet.answers.given.get(question.name)
        mark, style = ANSWER_MARKS[judged.status] if judged else (" ", "dim") if raw is None else ("·", "")
        text = "not answered" if raw is None else answer_text(sheet.posed(question), raw)
        shown = text if len(text) <= ANSWER_WIDTH else text[: ANSWER_WIDTH - 1].rstrip() + "…"
        yield Text(f"{mark} {number:>2} {question.name:<{QUESTION_NAME_WIDTH}} {shown}", style)
        if judged and judged.status in ("failed", "error"):
            yield Paragraph(judged.message or "", "dim", ANSWER_INDENT + 1)


def practise(questions: Sequence[DefenceQuestion], ask: ReadLine) -> Iterator[RenderableType]:
    """Ask questions about own code one after another, and say why each answer is right or wrong."""
    right = 0
    for number, question in enumerate(questions, 1):
        yield question_heading(number, len(questions), question.row)
        for part in question.text.split("\n\n"):
            lines = part.split("\n")
            is_code = all(line.startswith("    ") for line in lines)
            style, indent, hang = ("cyan", 2 * ANSWER_INDENT, 2) if is_code else ("", ANSWER_INDENT, 0)
            yield from (Paragraph(line.strip(), style, indent, hang) for line in lines)
        yield from answer_help(question.posed)
        raw = yield from readable_answer(ask, partial(answer_trouble, question.posed), "leave it out")
        if raw is None:
            break
        if raw:
            judged = question.judged(raw)
            mark, style = ANSWER_MARKS[judged.status]
            if judged.status == "passed":
                right += 1
                yield Paragraph(f"{mark} Right. {question.model}", style)
            else:
                yield Paragraph(f"{mark} {judged.message or 'Not right.'}", style)
                yield Paragraph(f"The answer is {question.key_text}. {question.model}", "dim", ANSWER_INDENT)
        yield ""
    yield Text(f"{right} of {len(questions)} right.", "bold")
