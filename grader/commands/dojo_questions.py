"""`dojo answer` and `dojo defend`: questions in the terminal, about a lesson and about own code."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import click
from rich.console import Console

from grader.commands.command_line import argument, option
from grader.commands.console import console_for
from grader.commands.dojo_work import desk, selected_work
from grader.commands.options import ExercisesFolder
from grader.dojo.answering import AnswerSheet, ask_questions, known_student, practise
from grader.dojo.desk import lesson_and_rest
from grader.dojo.file import HERE
from grader.errors import UserError
from grader.questions.code_lines import Results


def answer(
    lesson_name: Annotated[str, argument("LESSON")],
    names: Annotated[tuple[str, ...], argument("[QUESTION]...")],
    student: Annotated[str | None, option("--student NAME", "From which your numbers are drawn.")],
    course: ExercisesFolder,
) -> None:
    """Asks the questions of a lesson that you have not answered yet. Where numbers are drawn, each student has others.

    Enter skips a question, q stops. Your answers are in answers.toml, next to backward.py: submit it.

    Examples:
      dojo answer 03             asks the questions that are open
      dojo answer 03 zeros       asks one question again
    """
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
        due = sheet.due(names)
        if not due:
            click.echo(f"All questions are answered. `dojo answer {lesson.number} QUESTION` asks one again.")
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


def defend(
    words: Annotated[tuple[str, ...], argument("[FILE] [LESSON]", required=True)],
    seed: Annotated[str | None, option("--seed TEXT", "The same questions again.")],
    course: ExercisesFolder,
) -> None:
    """Asks about your own code, as a defence does. Every question is made from gradients in your file that are right.

    Enter leaves a question out, q stops.

    Examples:
      dojo defend 03                 six questions about your own lines of lesson 03
      dojo defend homework.ipynb 03  about a notebook or a script, which may have several lessons
    """
    from grader.defence.generate import generate  # torch comes with it

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
            defence = generate(lesson, submitted.files, right, at.judge.zygote, chosen)
        if defence.reason:
            hint = "" if right else f" `dojo check {lesson.number}` shows what is missing."
            raise UserError(defence.reason + hint)
        out = console_for()
        for part in practise(defence.questions, read_input_line):
            out.print(part)
        click.echo(f"The same questions again: dojo defend {work.words(lesson)} --seed {chosen}")
