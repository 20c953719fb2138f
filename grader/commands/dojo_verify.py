"""`dojo verify`: the student's own gradient checker, used on all of their gradients."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.dojo_desk import LessonParam, desk, exercises_option, show

AGREES, DISAGREES = 0, 1

DOJO_VERIFY_EPILOG = """\b
Examples:
  dojo verify         every lesson that your checker can be used on
  dojo verify 03      lesson 03

\b
Exit status: 0 your checker agrees with the judge everywhere and misses nothing, 1 it does not,
2 it could not be used (the message says why).
"""


@click.command("verify", epilog=DOJO_VERIFY_EPILOG)
@click.argument("words", nargs=-1, type=LessonParam(), metavar="[LESSON]...")
@exercises_option
def verify_own(words: tuple[str, ...], course: Path | None) -> None:
    """Checks your gradients with your own gradient checker.

    This is the checker that you write in lesson 08.

    For each gradient it shows what your checker says, what the judge says, and how many broken copies of the right
    gradient your checker rejects. At the end it lists what your checker would have missed.
    """
    with desk(course) as at:
        from grader.dojo.verify import agrees_everywhere, checker_lesson, lesson_part, summary, verify_lessons

        rows = []
        for checked, verified in verify_lessons(at, [at.find_lesson(word) for word in words]):
            show(lesson_part(checked, verified))
            show([""])
            rows += verified
        show(summary(rows, checker_lesson(at).config.verification.function))
    raise SystemExit(AGREES if agrees_everywhere(rows) else DISAGREES)
