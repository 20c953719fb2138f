"""`dojo grade` and `dojo verify`: other judges than `dojo check`, the hidden suite and the student's own checker."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from grader.commands.dojo_desk import LessonParam, desk, exercises_option, show
from grader.dojo.desk import Desk
from grader.dojo.file import read_own, shown_path
from grader.dojo.state_file import verdict_digest
from grader.errors import UserError
from grader.lesson.course_modules import installed_copy, require_named
from grader.lesson.lesson import Lesson

DEFAULT_GRADES_FOLDER = "my-grades"
DOJO_GRADE_EPILOG = """\b
Examples:
  dojo grade 07             lesson 07, as an instructor grades it
  dojo grade 03 04          two lessons
  dojo grade --no-open      the lesson you last worked on; only prints where the report is

\b
This needs the course's repository with solutions/. A student's kit has no hidden suite.
Exit status: 0 full marks, 1 less, 2 it could not be graded (the message says why).
"""


@click.command("grade", epilog=DOJO_GRADE_EPILOG)
@click.argument("words", nargs=-1, type=LessonParam(), metavar="[LESSON]...")
@click.option("--open/--no-open", "opened", default=True, help="Whether a browser opens the report.  [default: open]")
@click.option("--seed", type=int, help="The same hidden problems again.  [default: new ones]")
@exercises_option
def grade_own(words: tuple[str, ...], opened: bool, seed: int | None, course: Path | None) -> None:
    """Grades your lesson with the hidden test suite.

    Your code runs in locked-in processes. At the end the report opens.
    """
    with desk(course) as at:
        lessons = list(dict.fromkeys(at.find_lesson(word) for word in words)) or [at.current()]
        for lesson in lessons:
            if not lesson.solution.is_dir():
                raise UserError(
                    f"solutions/{lesson.name} with the hidden suite is not here: only your course can grade lesson "
                    f"{lesson.number}. `dojo check {lesson.number}` checks what can be checked without it."
                )
        digests = {lesson.name: verdict_digest(lesson, read_own(lesson).files) for lesson in lessons}
        report = graded_report(at, lessons, digests, seed)
        click.echo(f"The report: {shown_path(report)}")
        if opened:
            from grader.dojo.report import open_page

            if not open_page(report):
                click.echo("Open it in a browser; none with a window was found here.")
        grades = at.grades()
        full = all(grades[lesson.name][0] >= grades[lesson.name][1] for lesson in lessons)
    raise SystemExit(0 if full else 1)


def graded_report(at: Desk, lessons: list[Lesson], digests: dict[str, str], seed: int | None) -> Path:
    """Run `grade run` on exercises/, show and store the results, and return the report's path. Raises UserError."""
    from grader.commands.run import OWN_WORK, run
    from grader.dojo.screen import graded_screen
    from grader.results import read_results

    out, exercises = at.course.root / DEFAULT_GRADES_FOLDER, at.course.root / "exercises"
    for lesson in lessons:
        require_named(lesson.suite)
    course = installed_copy(lessons[0].suite).parents[2]  # without solutions/NN_name/test_name.py
    arguments = [str(exercises), "-o", str(out), "--course", str(course), "--quiet", "--fresh", "--only-these"]
    arguments += ["--same-course", "--jobs", "1", *(word for lesson in lessons for word in ("--lesson", lesson.name))]
    arguments += [] if seed is None else ["--seed", str(seed)]
    with at.busy("the hidden suite runs"):
        run.main(arguments, prog_name="dojo grade", standalone_mode=False, obj=OWN_WORK)
    results = read_results(out / exercises.name)
    if results is None:
        raise UserError(f"{shown_path(out / exercises.name)} has no results: nothing was graded.")
    for lesson in lessons:
        result = next(each for each in results.lessons if each.name == lesson.name)
        show(graded_screen(lesson, result))
        at.state_file.keep_grade(lesson, digests[lesson.name], result.score, result.max_score)
    return out / exercises.name / "report.html"


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
        from grader.dojo.verify import nothing_to_verify, verify_lessons
        from grader.dojo.verify_screen import agrees_everywhere, lesson_part, summary

        function, found = verify_lessons(at, [at.find_lesson(word) for word in words])
        rows, lessons = [], []
        with contextlib.closing(found):
            for checked, verified in found:
                show(lesson_part(checked, verified))
                show([""])
                rows += verified
                lessons.append(checked.lesson)
        if not any(row.said for row in rows):
            raise UserError(nothing_to_verify(lessons))
        show(summary(rows, function))
    raise SystemExit(AGREES if agrees_everywhere(rows) else DISAGREES)
