"""`dojo predict`: asks what code will do, then runs it and shows the result."""

from __future__ import annotations

import random
from pathlib import Path

import click

from grader.commands.answer import read_input_line
from grader.commands.dojo_desk import console, desk
from grader.commands.lesson_param import LessonParam, course_option

EPILOG = """\b
Examples:
  dojo predict 03             what happens if one of your lines loses its sum? how large is db1?
  dojo predict                about the lesson you last worked on
  dojo predict 03 --seed 7    the same questions again

\b
Enter shows the result without an answer, q stops. Nothing is stored, and nothing is graded.
"""
SEEDS = 1_000


@click.command(epilog=EPILOG)
@click.argument("lesson_name", required=False, type=LessonParam(), metavar="[LESSON]")
@click.option("--seed", type=int, default=None, help="Chooses the questions.  [default: new ones each time]")
@course_option
def predict(lesson_name: str | None, seed: int | None, course: Path | None) -> None:
    """Asks what your code would do, then runs it and shows you.

    Which rows would turn red? Which shape would come out? How large is this gradient? The questions are about your own
    lines if they are right, and otherwise about the forward pass. Your file is not changed.
    """
    with desk(course) as at:
        lesson = at.find_lesson(lesson_name) if lesson_name else at.current()
        at.judge.prepare(lesson)
        from grader.dojo.predicting.session import ask_predictions, predictions_for  # torch comes with it

        chosen = random.randrange(SEEDS) if seed is None else seed
        with at.busy(f"running lesson {lesson.number}"):
            predictions = predictions_for(at, lesson, chosen)
        out = console()
        for part in ask_predictions(predictions, read_input_line):
            out.print(part)
        again = f"dojo predict {lesson.number} --seed {chosen}"
        click.echo(f"`dojo predict {lesson.number}` asks new questions, `{again}` asks these again.")
