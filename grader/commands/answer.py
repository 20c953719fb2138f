"""`dojo answer`: asks a lesson's questions in the terminal and stores the answers."""

from __future__ import annotations

import contextlib
import select
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from grader.commands.dojo_desk import console, desk, show
from grader.commands.lesson_param import LessonParam, course_option
from grader.dojo.answering import AnswerSheet, answers_screen, ask_questions, due_questions, known_student
from grader.dojo.desk import Desk
from grader.errors import UserError
from grader.questions.code_lines import Results

EPILOG = """\b
Examples:
  dojo answer 03             asks the questions that you have not answered yet
  dojo answer 03 zeros       asks one question again
  dojo answer 03 --list      your answers so far

\b
Enter skips a question, q stops. Your answers are in answers.toml, next to backward.py: submit it.
"""


@click.command(epilog=EPILOG)
@click.argument("lesson_name", type=LessonParam(), metavar="LESSON")
@click.argument("names", nargs=-1, metavar="[QUESTION]...")
@click.option("--list", "listed", is_flag=True, help="Shows your answers and asks nothing.")
@click.option("--student", metavar="NAME", help="The name that your course knows. Your numbers are drawn from it.")
@course_option
def answer(lesson_name: str, names: tuple[str, ...], listed: bool, student: str | None, course: Path | None) -> None:
    """Asks the questions of a lesson. Each student gets other numbers."""
    with desk(course) as at:
        before, _, name = lesson_name.partition(".")
        lesson = at.find_lesson(before)
        names = (name, *names) if name else names
        known = student or known_student([lesson, *at.course.lessons.values()])
        sheet = AnswerSheet(lesson, known)
        if student and sheet.answers.student != student:
            raise UserError(
                f"The answers in {sheet.path.name} are {sheet.answers.student}'s, with numbers drawn from that name. "
                "Delete the file to answer under another name."
            )

        def run_line(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
            return at.judge.run_line(line, inputs)  # torch is loaded only for a question that needs it

        if listed:
            show(answers_screen(sheet, run_line))
            return
        due = due_questions(sheet, names, run_line)
        if not due:
            show(answers_screen(sheet, run_line))
            click.echo(f"\nAll questions are answered. `dojo answer {lesson.number} QUESTION` asks one again.")
            return
        if not sheet.answers.student:
            sheet = AnswerSheet(lesson, ask_name(at))
        out = console()
        for part in ask_questions(sheet, due, read_input_line, run_line):
            out.print(part)


def ask_name(at: Desk) -> str:
    """The student's name, typed. Raises UserError where nobody types."""
    click.echo("Your name or ID, as your course knows you (the numbers in the questions depend on it):")
    name = " ".join((read_input_line() or "").split())
    if not name:
        raise UserError("no name was given: type it, or use --student NAME.")
    return name


def read_line_within(seconds: float | None) -> str | None:
    """One line of input; None at its end. Raises TimeoutError after so many seconds, where the system can tell."""
    if seconds is None or not sys.stdin.isatty():
        return read_input_line()
    Console(highlight=False).print("> ", end="")
    try:
        ready, _, _ = select.select([sys.stdin], [], [], max(seconds, 0.0))
    except (OSError, ValueError):  # Windows: only sockets can be waited for
        ready = [sys.stdin]
    if not ready:
        with contextlib.suppress(ImportError, OSError):
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed is not for the shell
        raise TimeoutError
    return typed_line()


def read_input_line() -> str | None:
    """One line of input, after a prompt in a terminal; None at its end."""
    if sys.stdin.isatty():
        Console(highlight=False).print("> ", end="")
    return typed_line()


def typed_line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
