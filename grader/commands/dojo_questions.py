"""`dojo answer` and `dojo defend`: questions in the terminal, about a lesson and about own code."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

from rich.console import Console

from grader.commands.command_line import argument
from grader.commands.console import say
from grader.commands.dojo_work import AtDesk, ChosenWork, show
from grader.dojo.answering import AnswerSheet, ask_questions, practise
from grader.dojo.desk import lesson_and_rest
from grader.errors import UserError


def answer(
    lesson_name: Annotated[str, argument("LESSON")],
    names: Annotated[tuple[str, ...], argument("[QUESTION]...")],
    at: AtDesk,
) -> None:
    """Asks the questions of a lesson that you have not answered yet. Where numbers are drawn, each student has others.

    Enter skips a question, q stops. Your answers are in answers.toml, next to backward.py: submit it.

    Examples:
      dojo answer 03             asks the questions that are open
      dojo answer 03 zeros       asks one question again
    """
    lesson, name = lesson_and_rest(at.course, lesson_name)
    # torch is loaded only for a question that needs it
    sheet = AnswerSheet(lesson, at.course.lessons.values(), lambda line, inputs: at.judge.run_line(line, inputs))
    due = sheet.due((name, *names) if name else names)
    if not due:
        say(f"All questions are answered. `dojo answer {lesson.number} QUESTION` asks one again.")
        return
    if not sheet.student:
        say("Your name or ID, as your course knows you (the numbers in the questions depend on it):")
        sheet.student = " ".join((read_input_line() or "").split())
        if not sheet.student:
            raise UserError("no name was given: type it, then Enter.")
    show(ask_questions(sheet, due, read_input_line))


def read_input_line() -> str | None:
    """One line of input, after a prompt in a terminal; None at its end."""
    if sys.stdin.isatty():
        Console(highlight=False).print("> ", end="")
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def defend(work: ChosenWork) -> None:
    """Asks about your own code, as a defence does. Every question is made from gradients in your file that are right.

    Enter leaves a question out, q stops.

    Examples:
      dojo defend 03                 six questions about your own lines of lesson 03
      dojo defend homework.ipynb 03  about a notebook or a script, which may have several lessons
    """
    lesson, *others = work.lessons
    if others:
        raise UserError(
            f"a defence is about one lesson, and {len(others) + 1} were found: name one, "
            f"as in `dojo defend {work.words(lesson)}`."
        )
    from grader.defence.generate import generate  # torch comes with it

    at, checked = work.desk, work.check(lesson)
    files, right = checked.submitted.files, checked.progress.reached
    with at.busy("making questions from your file"):
        defence = generate(lesson, files, right, at.judge.zygote, secrets.token_hex(4))
    if defence.reason:
        hint = "" if right else f" `dojo check {lesson.number}` shows what is missing."
        raise UserError(defence.reason + hint)
    show(practise(defence.questions, read_input_line))
