"""`dojo defend`: questions about your own code, to practise a defence."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from grader.commands.answer import read_line_within
from grader.commands.dojo_desk import console, desk
from grader.commands.lesson_param import LessonParam, course_option, selected_work
from grader.dojo.file import HERE
from grader.errors import UserError

EPILOG = """\b
Examples:
  dojo defend 03                 six questions about your own lines of lesson 03
  dojo defend 03 --seed 4711     the same questions again, as long as your file is the same
  dojo defend 03 --minutes 10    with a time limit, and no verdict before the end
  dojo defend homework.ipynb 03  about a notebook or a script, which may have several lessons

\b
The questions are about gradients that are right. Enter leaves a question out, q stops.
"""


@click.command(epilog=EPILOG)
@click.argument("words", nargs=-1, required=True, type=LessonParam(), metavar="[FILE] [LESSON]")
@click.option("--seed", metavar="TEXT", help="The same seed and file give the same questions.  [default: new ones]")
@click.option("--questions", "count", type=click.IntRange(1, 12), default=6, show_default=True, help="How many.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="A time limit, as in an exam.")
@course_option
def defend(words: tuple[str, ...], seed: str | None, count: int, minutes: float | None, course: Path | None) -> None:
    """Asks about your own code, as a defence does.

    Every question is made from your file. Each time you get other questions.
    """
    from grader.defence.generate import generate
    from grader.dojo.defending import Round, verdict_screen

    with desk(course) as at:
        work, parts = selected_work(at, words)
        if len(parts) != 1:
            raise UserError(
                f"a defence is about one lesson, and {len(parts)} were found: name one, "
                f"as in `dojo defend {words[0]} 03`."
            )
        lesson, _ = parts[0]
        submitted = work.read(lesson)
        checked = at.check(lesson, submitted)
        right = [row.name for row in checked.judged.rows if row.status in ("passed", HERE)]
        chosen = seed or str(secrets.randbelow(9000) + 1000)
        with at.busy("making questions from your file"):
            defence = generate(lesson, submitted.files, right, at.judge.zygote, chosen, count)
        if defence.reason:
            raise UserError(defence.reason)
        out = console()
        held = Round(defence.questions, shows_verdicts=minutes is None, minutes=minutes)
        for part in held.screens(read_line_within):
            out.print(part)
        if minutes is not None:
            for number, (question, answer) in enumerate(zip(held.questions, held.answers, strict=True), 1):
                out.print(f"Question {number}, {question.row}:")
                for part in verdict_screen(question, answer):
                    out.print(part)
            out.print(f"{held.right} of {len(held.questions)} right.")
        click.echo(f"The same questions again: dojo defend {work.words(lesson)} --seed {chosen}")
