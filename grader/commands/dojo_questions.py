"""`dojo answer` and `dojo defend`: questions in the terminal, about a lesson and about own code."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from grader.commands.console import console_for
from grader.commands.dojo_desk import LessonParam, desk, exercises_option, selected_work, show
from grader.dojo.answering import AnswerSheet, answers_screen, ask_questions, known_student, practise
from grader.dojo.file import HERE
from grader.dojo.naming import lesson_and_rest
from grader.errors import UserError
from grader.questions.code_lines import Results

DOJO_ANSWER_EPILOG = """\b
Examples:
  dojo answer 03             asks the questions that you have not answered yet
  dojo answer 03 zeros       asks one question again
  dojo answer 03 --list      your answers so far

\b
Enter skips a question, q stops. Your answers are in answers.toml, next to backward.py: submit it.
"""


@click.command(epilog=DOJO_ANSWER_EPILOG)
@click.argument("lesson_name", type=LessonParam(), metavar="LESSON")
@click.argument("names", nargs=-1, metavar="[QUESTION]...")
@click.option("--list", "listed", is_flag=True, help="Shows your answers and asks nothing.")
@click.option("--student", metavar="NAME", help="The name that your course knows. Your numbers are drawn from it.")
@exercises_option
def answer(lesson_name: str, names: tuple[str, ...], listed: bool, student: str | None, course: Path | None) -> None:
    """Asks the questions of a lesson. Where numbers are drawn, each student gets other ones."""
    with desk(course) as at:
        lesson, name = lesson_and_rest(at.course, lesson_name)
        names = (name, *names) if name else names
        known = student or known_student([lesson, *at.course.lessons.values()])

        def run_line(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
            return at.judge.run_line(line, inputs)  # torch is loaded only for a question that needs it

        sheet = AnswerSheet(lesson, known, run_line)
        if student and sheet.answers.student != student:
            raise UserError(
                f"The answers in {sheet.path.name} are {sheet.answers.student}'s, with numbers drawn from that name. "
                "Delete the file to answer under another name."
            )
        due = [] if listed else sheet.due(names)
        if not due:
            show(answers_screen(sheet))
            if not listed:
                click.echo(f"\nAll questions are answered. `dojo answer {lesson.number} QUESTION` asks one again.")
            return
        if not sheet.answers.student:
            sheet = AnswerSheet(lesson, ask_name(), run_line)
        out = console_for()
        for part in ask_questions(sheet, due, read_input_line):
            out.print(part)


def ask_name() -> str:
    """The student's name, typed. Raises UserError where nobody types."""
    click.echo("Your name or ID, as your course knows you (the numbers in the questions depend on it):")
    name = " ".join((read_input_line() or "").split())
    if not name:
        raise UserError("no name was given: type it, or use --student NAME.")
    return name


def read_input_line() -> str | None:
    """One line of input, after a prompt in a terminal; None at its end."""
    if sys.stdin.isatty():
        Console(highlight=False).print("> ", end="")
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


DEFEND_EPILOG = """\b
Examples:
  dojo defend 03                 six questions about your own lines of lesson 03
  dojo defend 03 --seed 4711     the same questions again, as long as your file is the same
  dojo defend homework.ipynb 03  about a notebook or a script, which may have several lessons

\b
The questions are about gradients that are right. Enter leaves a question out, q stops.
"""


@click.command(epilog=DEFEND_EPILOG)
@click.argument("words", nargs=-1, required=True, type=LessonParam(), metavar="[FILE] [LESSON]")
@click.option("--seed", metavar="TEXT", help="The same seed and file give the same questions.  [default: new ones]")
@click.option("--questions", "count", type=click.IntRange(1, 12), default=6, show_default=True, help="How many.")
@exercises_option
def defend(words: tuple[str, ...], seed: str | None, count: int, course: Path | None) -> None:
    """Asks about your own code, as a defence does.

    Every question is made from your file. Each time you get other questions.
    """
    from grader.defence.generate import generate

    with desk(course) as at:
        work, parts = selected_work(at, words)
        lesson, *others = dict.fromkeys(lesson for lesson, _ in parts)
        if others:
            raise UserError(
                f"a defence is about one lesson, and {len(others) + 1} were found: name one, "
                f"as in `dojo defend {work.words(lesson)}`."
            )
        submitted = work.read(lesson)
        checked = at.check(lesson, submitted)
        right = [row.name for row in checked.judged.rows if row.status in ("passed", HERE)]
        chosen = seed or str(secrets.randbelow(9000) + 1000)
        with at.busy("making questions from your file"):
            defence = generate(lesson, submitted.files, right, at.judge.zygote, chosen, count)
        if defence.reason:
            raise UserError(f"{defence.reason} {defence.for_student}".strip())
        out = console_for()
        for part in practise(defence.questions, read_input_line):
            out.print(part)
        click.echo(f"The same questions again: dojo defend {work.words(lesson)} --seed {chosen}")
