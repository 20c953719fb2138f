"""The `dojo` command: what a student types about their own work. Every error is a sentence on standard error."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.commands.console import ReportingGroup
from grader.commands.dojo_desk import LessonParam, desk, exercises_option, lessons_in_file_option, selected_work, show
from grader.commands.dojo_questions import answer, defend
from grader.commands.dojo_servers import assistant, lsp
from grader.commands.dojo_watch import open_live, start_command, watch
from grader.commands.options import FILE_PATH
from grader.commands.train import train
from grader.dojo.file import is_untouched, own_file, read_own, reset_to_stub, shown_path
from grader.dojo.naming import only_lesson
from grader.dojo.overview import assignment_screen, hint_screen, list_screen, next_lines
from grader.dojo.progress import next_lesson
from grader.errors import UserError
from grader.lesson.lesson import Lesson

EXIT_ALL_RIGHT, EXIT_SOMETHING_WRONG = 0, 1

DOJO_EPILOG = """\b
Examples:
  dojo                    the lessons, how far you are, what to do next
  dojo watch 03           checks lesson 03 whenever you save
  dojo open 03            the same, and a live page in your browser
  dojo check              once, for the lesson you last worked on
  dojo check 03.dprobs    one row of it
  dojo check that.ipynb   the lecture's notebook, or one with the functions in it
  dojo hint dprobs        a hint, and one more each time
  dojo answer 03          the questions of lesson 03
  dojo defend 03          questions about your own code, to practise a defence
  dojo report             the whole page, in your browser
  dojo train              trains a network with your gradients
  dojo verify             checks your gradients with the checker that you wrote in lesson 08
  dojo start              a new folder to work in
  dojo mcp                for an AI assistant: verdicts and hints, no answers

\b
Shell completion: eval "$(_DOJO_COMPLETE=bash_source dojo)"   (or zsh_source, fish_source)
"""


@click.group(
    cls=ReportingGroup,
    program="dojo",
    epilog=DOJO_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="backprop-ninja")
@click.pass_context
def main(context: click.Context) -> None:
    """Checks your backpropagation exercises. It runs your files as if you ran them: check only code that you trust."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no ✓ shows a ?
    if context.invoked_subcommand is None:
        context.invoke(list_lessons)


LIST_EPILOG = """\b
Examples:
  dojo                     the same
  dojo list --course ~/kit the lessons of another folder
"""


@main.command("list", epilog=LIST_EPILOG)
@exercises_option
def list_lessons(course: Path | None = None) -> None:
    """Shows the lessons, how far you are, and what to do next. The same as `dojo` alone."""
    with desk(course) as at:
        progress = at.all_progress()
        last = at.state_file.read().last
        show(list_screen(progress, last))
        if at.assignment is not None:
            show(assignment_screen(at.assignment, progress))
        mine = next((each for each in progress if each.lesson.name == last and each.has_work), None)
        other = next_lesson(progress)
        if mine is None or (other is not None and mine.is_assigned(mine.next_row) < other.is_assigned(other.next_row)):
            todo = other
        else:
            todo = mine
        click.echo()
        if todo is None:
            click.echo("All that can be checked here is right.")
            return
        row = todo.next_row
        show(next_lines(todo, at.place_of(todo.lesson, row) if row else ""))


CHECK_EPILOG = """\b
Examples:
  dojo check                  the lesson you last worked on, else the first unfinished one
  dojo check 03               lesson 03
  dojo check 03.dprobs dh     two rows
  dojo check that.ipynb       a notebook, or a script in the lecture's style: the lessons found in it
  dojo check that.ipynb 03    lesson 03 of it

\b
A notebook or a script is never run as a whole. `dojo` takes the statements that assign each gradient, or
the lesson's functions, as `grade run` does. The list that `dojo` prints counts only exercises/.

\b
Exit status: 0 nothing checked is wrong (what is still to do is not wrong), 1 something is wrong,
2 it could not be checked (the message says why).
"""


@main.command(epilog=CHECK_EPILOG)
@click.argument("words", nargs=-1, type=LessonParam(rows=True), metavar="[FILE] [LESSON[.GRADIENT]]...")
@lessons_in_file_option
@click.option("--problems", is_flag=True, help="One line per mistake, FILE:LINE: MESSAGE, for an editor or `make`.")
@exercises_option
def check(words: tuple[str, ...], named: tuple[str, ...], problems: bool, course: Path | None) -> None:
    """Checks your file once.

    You see the lecture's row for each gradient, what is wrong, and which mistake it is.

    It uses public problems. Your grade comes from a hidden test suite with different problems.
    """
    with desk(course) as at:
        work, parts = selected_work(at, (*words, *named), rows=True)
        rows_by_lesson: dict[Lesson, list[str]] = {}
        for lesson, row in parts or [(at.current(), None)]:
            rows = rows_by_lesson.setdefault(lesson, [])
            rows += [row] if row else [item.name for item in lesson.items]
        wrong = False
        for number, (lesson, rows) in enumerate(rows_by_lesson.items()):
            before = at.progress(lesson) if work.remembered else None
            checked = at.check(lesson, work.read(lesson))
            if work.remembered:
                at.state_file.keep(checked)
            wrong |= any(row in rows for row in checked.progress.wrong)
            if problems:
                from grader.dojo.remarks import problem_lines  # torch comes with it

                click.echo("".join(f"{line}\n" for line in problem_lines(checked)), nl=False)
                continue
            from grader.dojo.lesson_end import finish_lines
            from grader.dojo.screen import lesson_screen, scope_note  # torch comes with it

            if number:
                click.echo()
            show(lesson_screen(checked, rows))
            show([scope_note(lesson)] if checked.judged.runs else [])
            elsewhere = work.elsewhere(lesson, checked.progress.next_row)
            if before is not None and before.next_row is not None and checked.progress.next_row is None:
                show(finish_lines(at, checked, by_key=False))
            else:
                show(next_lines(checked.progress, checked.next_place, work.words(lesson), elsewhere))
    raise SystemExit(EXIT_SOMETHING_WRONG if wrong else EXIT_ALL_RIGHT)


HINT_EPILOG = """\b
Examples:
  dojo hint dprobs        a hint for dprobs; each call gives one more
  dojo hint 02.dW2        if several lessons have a row of that name
  dojo hint               a hint for the next row
"""


@main.command(epilog=HINT_EPILOG)
@click.argument("row_name", required=False, type=LessonParam(rows=True), metavar="[GRADIENT]")
@exercises_option
def hint(row_name: str | None, course: Path | None) -> None:
    """Gives a hint. Each call gives one more, up to three. Hints are free: they cost no points."""
    with desk(course) as at:
        lesson, row = at.find(row_name) if row_name else (at.current(), None)
        if row is None:
            progress = at.progress(lesson)
            if progress.unchecked:
                checked = at.check(lesson, read_own(lesson))
                at.state_file.keep(checked)
                progress = checked.progress
            row = progress.next_row or next(iter(progress.taught_later), None)
        if row is None:
            raise UserError(f"There is nothing left to do in lesson {lesson.number}: name the row, as in 03.dprobs.")
        show(hint_screen(lesson, row, at.state_file.take_hint(lesson, row)))


REPORT_EPILOG = """\b
Examples:
  dojo report                      every lesson that you have begun
  dojo report 03 --no-open         lesson 03; only prints where the page is
  dojo report that.ipynb           the lessons in a notebook or a script
"""


@main.command(epilog=REPORT_EPILOG)
@click.argument("words", nargs=-1, type=LessonParam(), metavar="[FILE] [LESSON]...")
@click.option(
    "--open/--no-open", "opened", default=True, help="Open the report in your browser, or not.  [default: open]"
)
@click.option("-o", "--out", type=FILE_PATH, metavar="FILE", help="[default: my-report.html]")
@exercises_option
def report(words: tuple[str, ...], opened: bool, out: Path | None, course: Path | None) -> None:
    """Writes the report that your instructor would see.

    The report contains the graph, your mistakes, and hints. The command checks your work first, and opens the report.
    """
    with desk(course) as at:
        work, parts = selected_work(at, words)
        every = [] if parts else at.all_progress()
        lessons = [lesson for lesson, _ in parts] or [each.lesson for each in every if each.begun] or [at.current()]
        checks = [at.check(lesson, work.read(lesson)) for lesson in dict.fromkeys(lessons)]
        for checked in checks if work.remembered else ():
            at.state_file.keep(checked, working=False)
        not_begun = [each for each in every if each.lesson not in lessons]
        from grader.dojo.report import REPORT_FILE, open_in_browser, write_report

        path = out or at.course.root / REPORT_FILE
        write_report(checks, at.judge.isolation, path, not_begun)
        click.echo(f"The page: {shown_path(path)}")
        if opened and not open_in_browser(path):
            click.echo("Open it in a browser; none with a window was found here.")


RESET_EPILOG = """\b
Examples:
  dojo reset 03            the stub again; your work is kept in a copy next to it
"""


@main.command("reset", epilog=RESET_EPILOG)
@click.argument("lesson_name", type=LessonParam(), metavar="LESSON")
@exercises_option
def reset_lesson(lesson_name: str, course: Path | None) -> None:
    """Restores the stub of a lesson. Your file is kept next to it."""
    with desk(course) as at:
        lesson = only_lesson(at.course, lesson_name)
        path = own_file(lesson)
        if path.is_file() and is_untouched(lesson, path.read_bytes()):
            click.echo(f"{shown_path(path)} is the stub already: nothing in it has been changed.")
            return
        kept = reset_to_stub(lesson)
        click.echo(
            f"{shown_path(own_file(lesson))} is the stub again."
            + (f" Yours is {shown_path(kept)} now." if kept else "")
        )


VERIFY_EPILOG = """\b
Examples:
  dojo verify         every lesson that your checker can be used on
  dojo verify 03      lesson 03

\b
Exit status: 0 your checker agrees with the judge everywhere and rejects every broken copy, 1 it does not,
2 it could not be used (the message says why).
"""


@main.command("verify", epilog=VERIFY_EPILOG)
@click.argument("words", nargs=-1, type=LessonParam(), metavar="[LESSON]...")
@exercises_option
def verify_own(words: tuple[str, ...], course: Path | None) -> None:
    """Checks your gradients with the gradient checker that you wrote in lesson 08.

    For each gradient it shows what your checker says, what the judge says, and how many broken copies of the right
    gradient your checker rejects. At the end it lists what your checker gets wrong.
    """
    with desk(course) as at:
        from grader.dojo.verify import OwnChecker, lesson_part, summary

        rows, checker = [], OwnChecker(at)
        for checked, verified in checker.verify([only_lesson(at.course, word) for word in words]):
            show(lesson_part(checked, verified))
            show([""])
            rows += verified
        show(summary(rows, checker.function))
    raise SystemExit(EXIT_SOMETHING_WRONG if any(row.faults for row in rows) else EXIT_ALL_RIGHT)


for command in (start_command, answer, defend, assistant, train, watch, open_live, lsp):
    main.add_command(command)


if __name__ == "__main__":
    main()
