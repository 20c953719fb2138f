"""The commands of `dojo` about a student's files: list, check, hint, report, reset, verify, start, watch and open."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console, RenderableType

from grader.commands.command_line import STOPPED, argument, fail, option
from grader.commands.console import console_for
from grader.commands.options import ExercisesFolder, FileAndLesson, LessonWords
from grader.dojo.desk import Desk, only_lesson, student_course
from grader.dojo.file import (
    Work,
    is_file,
    is_untouched,
    own_file,
    place_in_own_file,
    read_own,
    reset_to_stub,
    shown_path,
    work_in,
)
from grader.dojo.overview import finish_lines, hint_screen, list_screen, next_lines, welcome
from grader.dojo.progress import next_lesson
from grader.dojo.start import make_working_folder
from grader.errors import UserError
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import WITH_EXERCISES, course_around, has_lessons, nearest_course
from grader.publish.report.decisions import date_text
from grader.results.wording import count_text

# What the commands share ----------------------------------------------------------------------------------------------


def show(screen: Iterable[RenderableType]) -> None:
    out = console_for()
    for part in screen:
        out.print(part)


@contextlib.contextmanager
def desk(course: Path | None) -> Iterator[Desk]:
    """A student's desk. Ctrl-C ends the command with a sentence. Raises UserError."""
    stderr = Console(stderr=True)
    try:
        opened = Desk(
            student_course(course),
            complain=lambda sentence: click.echo(f"dojo: {sentence}", err=True),
            busy=lambda what: stderr.status(f"{what} …") if stderr.is_terminal else contextlib.nullcontext(),
        )
        with contextlib.closing(opened):
            yield opened
    except KeyboardInterrupt:
        if stderr.is_terminal:
            click.echo(err=True)  # the terminal has written ^C
        fail("stopped.", STOPPED, "dojo")


def selected_work(at: Desk, words: Sequence[str], rows: bool = False) -> tuple[Work, list[tuple[Lesson, str | None]]]:
    """What is to be checked, and which lessons of it, or `rows` (None for all); nothing where nobody has said it."""
    files = [word for word in words if is_file(word)]
    if len(files) > 1:
        raise UserError(f"One file at a time: {' and '.join(files)} are {len(files)}.")
    named = list[tuple[Lesson, str | None]]()
    for word in words:
        if word in files:
            continue
        if Path(word).is_file():
            raise UserError(f"{word} is not a Python file or a notebook: name a .py or .ipynb file, or a lesson.")
        before = named[-1][0] if named else None
        named.append(at.find(word, before) if rows else (only_lesson(at.course, word), None))
    if not files:
        return Work(at.course), named
    work, inside = work_in(Path(files[0]), at.course, bool(named))
    return work, named or [(lesson, None) for lesson in inside]


# The commands ---------------------------------------------------------------------------------------------------------


def list_lessons(course: ExercisesFolder) -> None:
    """Shows the lessons, how far you are, and what to do next. The same as `dojo` alone.

    Examples:
      dojo list --course ~/kit    the lessons of another folder
    """
    with desk(course) as at:
        progress = at.all_progress()
        last = at.state_file.read().last
        show(list_screen(progress, last))
        if at.assignment is not None:
            due = at.assignment.due
            click.echo(f"\n{at.assignment.title}{f', due on {date_text(due.isoformat())}' if due else ''}")
        mine = next((each for each in progress if each.lesson.name == last and each.has_work), None)
        mine = mine or next_lesson(progress)
        click.echo()
        if mine is None:
            click.echo("All that can be checked here is right.")
        else:
            show(next_lines(mine, place_in_own_file(mine.lesson, mine.next_row) if mine.next_row else ""))


def check(
    words: Annotated[tuple[str, ...], argument("[FILE] [LESSON[.GRADIENT]]...")],
    problems: Annotated[
        bool, option("--problems", "One line per mistake, FILE:LINE: MESSAGE, for an editor or `make`.")
    ],
    course: ExercisesFolder,
) -> None:
    """Checks your file once: the lecture's row for each gradient, what is wrong, and which mistake it is.

    It uses public problems. Your grade comes from a hidden test suite with different problems. A notebook or a script
    is never run as a whole: `dojo` takes the statements that assign each gradient, or the lesson's functions.

    Examples:
      dojo check                  the lesson you last worked on, else the first unfinished one
      dojo check 03               lesson 03
      dojo check 03.dprobs dh     two rows
      dojo check that.ipynb 03    lesson 03 of a notebook, or of a script in the lecture's style

    Exit status: 0 nothing checked is wrong (what is still to do is not wrong), 1 something is wrong,
    2 it could not be checked (the message says why).
    """
    with desk(course) as at:
        work, parts = selected_work(at, words, rows=True)
        rows_by_lesson: dict[Lesson, list[str]] = {}
        for lesson, row in parts or [(at.current(), None)]:
            rows_by_lesson.setdefault(lesson, []).extend([row] if row else [item.name for item in lesson.items])
        wrong = False
        for number, (lesson, rows) in enumerate(rows_by_lesson.items()):
            before = at.progress(lesson) if work.remembered else None
            checked = at.check(lesson, work.read(lesson))
            from grader.dojo.screen import (  # torch comes with it: a worker loads it meanwhile
                lesson_screen,
                problem_lines,
            )

            if work.remembered:
                at.state_file.keep(checked)
            wrong |= any(row in rows for row in checked.progress.wrong)
            if problems:
                click.echo("".join(f"{line}\n" for line in problem_lines(checked)), nl=False)
                continue
            if number:
                click.echo()
            show(lesson_screen(checked, rows))
            if before is not None and before.has_work and not checked.progress.has_work:
                show(finish_lines(at, checked, by_key=False))
            else:
                show(next_lines(checked.progress, checked.place_of(checked.progress.next_row), work.words(lesson)))
    raise SystemExit(1 if wrong else 0)


def hint(row_name: Annotated[str | None, argument("[GRADIENT]")], course: ExercisesFolder) -> None:
    """Gives a hint. Each call gives one more, up to three. Hints are free: they cost no points.

    Examples:
      dojo hint dprobs        a hint for dprobs
      dojo hint 02.dW2        if several lessons have a row of that name
      dojo hint               a hint for the next row
    """
    with desk(course) as at:
        lesson, row = at.find(row_name) if row_name else (at.current(), None)
        if row is None:
            progress = at.progress(lesson)
            if progress.unchecked:
                checked = at.check(lesson, read_own(lesson))
                at.state_file.keep(checked)
                progress = checked.progress
            row = progress.next_row
        if row is None:
            raise UserError(f"There is nothing left to do in lesson {lesson.number}: name the row, as in 03.dprobs.")
        show(hint_screen(lesson, row, at.state_file.take_hint(lesson, row)))


def report(
    words: FileAndLesson,
    opened: Annotated[bool, option("--open/--no-open", "Open it in your browser.", default=True)],
    course: ExercisesFolder,
) -> None:
    """Checks your work, and writes the report that your instructor would see: my-report.html.

    Examples:
      dojo report                      every lesson that you have begun
      dojo report 03 --no-open         lesson 03; only prints where the page is
      dojo report that.ipynb           the lessons in a notebook or a script
    """
    with desk(course) as at:
        work, parts = selected_work(at, words)
        every = [] if parts else at.all_progress()
        lessons = [lesson for lesson, _ in parts] or [each.lesson for each in every if each.begun] or [at.current()]
        checks = [at.check(lesson, work.read(lesson)) for lesson in dict.fromkeys(lessons)]
        for checked in checks if work.remembered else ():
            at.state_file.keep(checked, working=False)
        from grader.dojo.report import REPORT_FILE, open_in_browser, write_report  # torch comes with it

        path = at.course.root / REPORT_FILE
        write_report(checks, at.judge.isolation, path, [each for each in every if each.lesson not in lessons])
        click.echo(f"The page: {shown_path(path)}")
        if opened and not open_in_browser(path):
            click.echo("Open it in a browser; none with a window was found here.")


def reset_lesson(lesson_name: Annotated[str, argument("LESSON")], course: ExercisesFolder) -> None:
    """Restores the stub of a lesson. Your file is kept next to it.

    Examples:
      dojo reset 03
    """
    with desk(course) as at:
        lesson = only_lesson(at.course, lesson_name)
        path = own_file(lesson)
        if path.is_file() and is_untouched(lesson, path.read_bytes()):
            click.echo(f"{shown_path(path)} is the stub already: nothing in it has been changed.")
            return
        kept = reset_to_stub(lesson)
        yours = f" Yours is {shown_path(kept)} now." if kept else ""
        click.echo(f"{shown_path(own_file(lesson))} is the stub again.{yours}")


def verify_own(words: LessonWords, course: ExercisesFolder) -> None:
    """Checks your gradients with the gradient checker that you wrote in lesson 08.

    It shows where your checker and the judge disagree, and how many broken copies of right gradients it rejects.

    Examples:
      dojo verify 03      lesson 03; without a lesson, every one that your checker can be used on

    Exit status: 0 your checker agrees with the judge everywhere and rejects every broken copy, 1 it does not,
    2 it could not be used (the message says why).
    """
    with desk(course) as at:
        from grader.dojo.verify import run_own_checker, summary  # torch comes with it

        rows = []
        for lesson, verified in run_own_checker(at, [only_lesson(at.course, word) for word in words]):
            click.echo(f"{lesson.number} {lesson.title}: {count_text(len(verified), 'gradient')}")
            rows += verified
        show(["", *summary(rows)])
    raise SystemExit(1 if any(row.faults for row in rows) else 0)


def watch(words: FileAndLesson, course: ExercisesFolder) -> None:
    """Checks your file every time you save it. PyTorch stays loaded, so a check takes a tenth of a second.

    Examples:
      dojo watch                  the lesson you last worked on, else the first unfinished one
      dojo watch 03               lesson 03
      dojo watch that.ipynb 05    lesson 05 of a notebook or a script

    Keys: n and p: the next and the previous row to fix or write, and after the last one the next lesson
    with something to do; h a hint; l the list; r the report in your browser; q quits.
    """
    watch_files(words, course)


def open_page(
    words: FileAndLesson,
    port: Annotated[
        int, option("--port", "The page's port.  [default: a free one]", click.IntRange(1024, 65535), default=0)
    ],
    course: ExercisesFolder,
) -> None:
    """Like `dojo watch`, with the report of the latest check as a page in your browser.

    Only programs on your own machine reach the page, and only with the token in its address.

    Examples:
      dojo open 03                lesson 03, and the page in your browser
      dojo open 03 --port 8000    on a remote machine: ssh -L 8000:127.0.0.1:8000 there
    """
    watch_files(words, course, port)


def watch_files(words: Sequence[str], course: Path | None, port: int | None = None) -> None:
    """Check the file whenever it is saved, until `q` is pressed; with a `port`, 0 for a free one, with a live page."""
    with desk(course) as at, contextlib.ExitStack() as stack:
        work, parts = selected_work(at, words)
        lessons = list(dict.fromkeys(lesson for lesson, _ in parts)) or [at.current()]
        at.state_file.set_last_lesson(lessons[0])
        at.judge.prepare(lessons[0])
        at.busy = contextlib.nullcontext  # the screen itself says what is going on
        from grader.dojo.report import (  # torch comes with these: a worker loads it meanwhile
            LiveServer,
            open_in_browser,
        )
        from grader.dojo.watch import Watch

        page = None
        if port is not None:
            page = stack.enter_context(LiveServer(at.judge.isolation, port))
            open_in_browser(page.address)
        Watch(at, lessons[0], console_for(), work, lessons, page).run()


def start(
    folder: Annotated[Path | None, argument("[FOLDER]")],
    bare: Annotated[bool, option("--bare", "Empty parentheses: you write what each gradient is computed from.")],
    course: ExercisesFolder,
) -> None:
    """Makes a folder to work in, with all lessons and an empty backward.py in each.

    Where there is a folder exercises/ already, here or above, you work in that one, and the command says where to
    begin. The lessons come from the course that you are in, or else they are those that were installed with `dojo`.

    Examples:
      dojo start               makes the folder backprop-ninja
      dojo start hard --bare   harder, in a folder of another name
    """
    around = course_around() if course is None else None
    if around is not None and folder is None and not bare:
        if around != Path.cwd() or not is_working_folder(around):
            click.echo(f"You work in {exercises_in(around)}. For a folder of its own: dojo start my-work\n")
        with desk(None) as at:
            show(welcome(at.current()))
        return
    folder = folder or Path("backprop-ninja")
    if is_working_folder(folder) and not bare and course is None:
        click.echo(
            f"{folder}{os.sep} is there already, with your work in it. Go on there:\n\n    cd {folder}\n    dojo"
        )
        return
    source = nearest_course(course) or (WITH_EXERCISES if has_lessons(WITH_EXERCISES) else None)
    if source is None:
        raise UserError("no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.")
    loaded = Course(source, secrets=False)
    make_working_folder(loaded, folder, bare)
    click.echo(f"{folder}{os.sep} has {count_text(len(loaded.lessons), 'lesson')}. Next:\n\n    cd {folder}\n    dojo")
    if around is not None:
        click.echo(f"\n{exercises_in(around)} is another folder: `dojo` counts the one that you are in.")


def exercises_in(folder: Path) -> str:
    return shown_path(folder / "exercises") + os.sep


def is_working_folder(folder: Path) -> bool:
    """Whether students work here: it has lessons and no answers."""
    return has_lessons(folder) and not (folder / "solutions").is_dir()
