"""Questions in the terminal: a lesson's, for `dojo answer`, and those about own code, for `dojo defend`.

Answers to a lesson's questions are stored after each question in answers.toml. With the answer keys (in a checkout of
the course) an answer is judged; in a student's kit it is recorded.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

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
from grader.questions.kinds import KINDS, WAITS, Judged, answer_trouble, judge, read_answer
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
INDENT = 4

ReadLine = Callable[[], str | None]
"""Reads one line; None where there is no more input."""


class AnswerSheet:
    """A student's answers.toml in a lesson's folder: who the `student` is, and the answers `given`, {question: answer}.

    It `is_judged` where the answer keys are there.
    """

    def __init__(self, lesson: Lesson, lessons: Iterable[Lesson], run_line: RunLine) -> None:
        """A new file gets the student's name from the answers to one of the `lessons`, "" where none has it.

        Raises UserError for a lesson without questions and a file that is damaged.
        """
        self.lesson, self.path, self._run_line = lesson, lesson.exercise / ANSWERS_FILE, run_line
        self.questions, self._keys = questions_of(lesson), answer_keys_of(lesson)
        if not self.questions:
            raise UserError(f"Lesson {lesson.number} has no questions.")
        stored = stored_answers(lesson)
        self.student, self.given = stored.student or known_student(lessons), dict(stored.given)
        self.is_judged = bool(self._keys)

    def posed(self, question: Question) -> Posed:
        return pose_question(question, seed_of(self.lesson, self.student))

    def judged(self, question: Question) -> Judged | None:
        """The verdict on the stored answer; None where there are no keys to an answer that has its form."""
        posed, raw = self.posed(question), self.given[question.name]
        if self.is_judged:
            return judge(posed, self._keys[question.name], raw, self._run_line)
        trouble = answer_trouble(posed, raw)
        return None if trouble is None else Judged("error", 0, trouble)

    def due(self, names: Sequence[str]) -> list[Question]:
        """The questions of these `names`; without names those without an answer, or with a wrong one. UserError."""
        wanted = [name.removeprefix(QUESTION_PREFIX) for name in names]
        for name in wanted:
            if name not in self.questions:
                raise UserError(no_question(self.questions, name, f"Lesson {self.lesson.number}"))

        def is_due(question: Question) -> bool:
            judged = self.judged(question) if question.name in self.given else Judged("failed", 0)
            return judged is not None and judged.status in ("failed", "error")

        chosen = [self.questions[name] for name in wanted]
        return chosen or [question for question in self.questions.values() if is_due(question)]

    def record(self, question: Question, raw: str) -> None:
        """Store an answer; choices by their ids. Raises AnswerError for one of another form, and UserError."""
        value, kept = read_answer(self.posed(question), raw), raw.strip()
        if question.kind in WITH_CHOICES:
            ids = [value] if question.kind == "choice" else sorted(value) if question.kind == "multiple" else value
            kept = ", ".join(ids)
        self.given[question.name] = kept
        answers = Answers(self.lesson.name, self.student, self.given)
        with write_errors(shown_path(self.path)):
            write_whole(self.path, answers.to_text(self.lesson.number), str(os.getpid()))


def stored_answers(lesson: Lesson) -> Answers:
    """What the student has answered in this lesson so far. Raises UserError for a file that cannot be read."""
    path = lesson.exercise / ANSWERS_FILE
    return read_answers(path.read_bytes(), shown_path(path)) if path.is_file() else Answers()


def known_student(lessons: Iterable[Lesson]) -> str:
    """The name in the answers to any lesson, because `dojo` asks for it only once; "" if there is none."""
    for lesson in lessons:
        with contextlib.suppress(UserError):
            if name := stored_answers(lesson).student:
                return name
    return ""


def ask_question(posed: Posed, title: str, name: str, ask: ReadLine) -> Generator[RenderableType, None, str | None]:
    """Show a question, and ask until the answer has its form: return it, "" for Enter, None where somebody stops."""
    question = posed.question
    yield Text.assemble((title, "bold"), (f"  {name}", "dim"))
    for line in posed.text.split("\n"):
        is_code = line.startswith("    ")
        yield Paragraph(line.strip(), "cyan" if is_code else "", INDENT * (1 + is_code), 2 * is_code) if line else ""
    for letter, each in posed.letters.items():
        yield Paragraph(f"{letter})  {posed.choices[each]}", indent=INDENT, hang=len(letter) + 3)
    if question.given:
        given = ", ".join(f"{each} ({shape})" for each, shape in question.given.items())
        yield Paragraph(f"Given: {given}.", "dim", INDENT)
    if question.figure:
        yield Paragraph(f"Figure: {question.figure}, in the lesson's folder.", "dim", INDENT)
    yield Paragraph(f"Answer with {KINDS[question.kind].expected}.", "dim", INDENT)
    while (raw := ask()) is not None and raw.strip().lower() != STOP:
        trouble = answer_trouble(posed, raw) if raw.strip() else None
        if trouble is None:
            return raw.strip()
        yield Paragraph(f"{trouble} Try again, or press Enter to skip.", "red")
    return None


def ask_questions(sheet: AnswerSheet, due: Sequence[Question], ask: ReadLine) -> Iterator[RenderableType]:
    """Ask one question after another, and store each answer."""
    names = list(sheet.questions)
    if not sheet.is_judged:
        yield Paragraph("Only your course has the answer key: here your answers are recorded, not judged.", "bold")
        yield ""
    for question in due:
        title = f"Question {names.index(question.name) + 1} of {len(names)}"
        raw = yield from ask_question(sheet.posed(question), title, question.name, ask)
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
    answered = sum(name in sheet.given for name in names)
    stored = f"stored in {shown_path(sheet.path)}. Submit it with your files."
    what = f"answered, {stored}" if sheet.given else "answered: nothing is stored yet."
    yield Paragraph(f"{answered} of {len(names)} {what}", "bold")
    if answered < len(names):
        yield Paragraph(f"dojo answer {sheet.lesson.number} goes on.", "dim")


def practise(questions: Sequence[DefenceQuestion], ask: ReadLine) -> Iterator[RenderableType]:
    """Ask questions about own code one after another, and say why each answer is right or wrong."""
    right = 0
    for number, question in enumerate(questions, 1):
        raw = yield from ask_question(question.posed, f"Question {number} of {len(questions)}", question.row, ask)
        if raw is None:
            break
        if raw and (judged := question.judged(raw)).status == "passed":
            right += 1
            yield Paragraph(f"✓ Right. {question.model}", "green")
        elif raw:
            yield Paragraph(f"✗ {judged.message or 'Not right.'}", "bold red")
            yield Paragraph(f"The answer is {question.key_text}. {question.model}", "dim", INDENT)
        yield ""
    yield Text(f"{right} of {len(questions)} right.", "bold")
