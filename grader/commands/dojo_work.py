"""The commands of `dojo` about a student's files: list, check, hint, report, reset, verify, start, watch and open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

from rich.console import RenderableType

from grader.commands.command_line import Opened, argument, option
from grader.commands.console import console_for, print_remarks, say
from grader.commands.options import CourseFolder, LessonWords
from grader.dojo.desk import Desk, only_lesson, student_course
from grader.dojo.file import is_untouched, own_file, place_in_own_file, reset_to_stub, shown_path
from grader.dojo.overview import finish_lines, hint_screen, list_screen, next_lines, welcome
from grader.dojo.progress import next_lesson
from grader.dojo.start import make_working_folder
from grader.dojo.work import Work
from grader.errors import UserError
from grader.lesson.lesson import Course
from grader.lesson.paths import WITH_EXERCISES, course_around, has_lessons, nearest_course
from grader.results.wording import count_text, date_text

# What the commands share ----------------------------------------------------------------------------------------------


def show(screen: Iterable[RenderableType]) -> None:
    out = console_for()
    for part in screen:
        out.print(part)


@contextmanager
def desk(course: CourseFolder) -> Iterator[Desk]:
    """A student's desk. Raises UserError."""
    stderr = console_for(stderr=True)
    opened = Desk(
        student_course(course),
        complain=lambda sentence: print_remarks([sentence], "dojo"),
        busy=lambda what: stderr.status(f"{what} …") if stderr.is_terminal else nullcontext(),
    )
    with closing(opened):
        yield opened


AtDesk = Annotated[Desk, Opened(desk)]


@contextmanager
def chosen_work(words: Annotated[tuple[str, ...], argument("[FILE] [LESSON]")], at: AtDesk) -> Iterator[Work]:
    yield Work.chosen(at, words)


ChosenWork = Annotated[Work, Opened(chosen_work)]


# The commands ---------------------------------------------------------------------------------------------------------


def list_lessons(at: AtDesk) -> None:
    """Shows the lessons, how far you are, and what to do next. The same as `dojo` alone.

    Examples:
      dojo list --course ~/kit    the lessons of another folder
    """
    progress = at.all_progress()
    last = at.state_file.read().last
    show(list_screen(progress, last))
    if at.assignment is not None:
        due = at.assignment.due
        say("", f"{at.assignment.title}{f', due on {date_text(due.isoformat())}' if due else ''}")
    mine = next((each for each in progress if each.lesson.name == last and each.has_work), None)
    mine = mine or next_lesson(progress)
    say("")
    if mine is None:
        say("All that can be checked here is right.")
    else:
        show(next_lines(mine, place_in_own_file(mine.lesson, mine.next_row) if mine.next_row else ""))


def check(
    words: Annotated[tuple[str, ...], argument("[FILE] [LESSON[.GRADIENT]]...")],
    problems: Annotated[bool, option("--problems", "A line per mistake, FILE:LINE: MESSAGE, for an editor.")],
    at: AtDesk,
) -> None:
    """Checks your file once: the lecture's row for each gradient, what is wrong, and which mistake it is.

    Without a LESSON, it is the one that you last worked on. The problems are public ones: your grade comes from a
    hidden test suite with others. A notebook or a script is never run as a whole: `dojo` takes the statements that
    assign each gradient, or the lesson's functions.

    Examples:
      dojo check 03                  lesson 03
      dojo check 03.dprobs dh        two rows
      dojo check that.ipynb 03       lesson 03 of a notebook, or of a script in the lecture's style

    Exit status: 0 nothing is wrong (what is not written yet is not wrong), 1 something is wrong,
    2 it could not be checked.
    """
    work, wrong = Work.chosen(at, words, rows=True), False
    for number, lesson in enumerate(work.lessons):
        named = [row for each, row in work.named if each == lesson] or [None]
        rows = [item.name for item in lesson.items if None in named or item.name in named]
        before = at.progress(lesson) if work.remembered else None
        checked = work.check(lesson)
        from grader.dojo.screen import lesson_screen, problem_lines  # torch comes with it: a worker loads it meanwhile

        wrong |= any(row in rows for row in checked.progress.wrong)
        if problems:
            say(*problem_lines(checked))
            continue
        if number:
            say("")
        show(lesson_screen(checked, rows))
        if before is not None and before.has_work and not checked.progress.has_work:
            show(finish_lines(at, checked, by_key=False))
        else:
            show(next_lines(checked.progress, checked.place_of(checked.progress.next_row), work.words(lesson)))
    raise SystemExit(1 if wrong else 0)


def hint(row_name: Annotated[str | None, argument("[GRADIENT]")], at: AtDesk) -> None:
    """Gives a hint, by default for the next row. Each call gives one more, up to three. Hints cost no points.

    Examples:
      dojo hint dprobs        or, if several lessons have a row of that name, 03.dprobs
    """
    lesson, row = at.find(row_name) if row_name else (at.current(), None)
    if row is None:
        progress = at.progress(lesson)
        row = (Work(at).check(lesson).progress if progress.unchecked else progress).next_row
    if row is None:
        raise UserError(f"There is nothing left to do in lesson {lesson.number}: name the row, as in 03.dprobs.")
    show(hint_screen(lesson, row, at.state_file.take_hint(lesson, row)))


def report(
    work: ChosenWork, opened: Annotated[bool, option("--open/--no-open", "Open it in your browser.", default=True)]
) -> None:
    """Checks every lesson that you have begun, and writes the report that your instructor would see: my-report.html.

    Examples:
      dojo report 03                   lesson 03 alone
      dojo report that.ipynb           the lessons in a notebook or a script
    """
    every = work.desk.all_progress() if work.remembered and not work.named else []
    lessons = [each.lesson for each in every if each.begun] or work.lessons
    checks = [work.check(lesson, working=False) for lesson in lessons]
    from grader.dojo.report import open_in_browser, write_report  # torch comes with it

    path = write_report(work.desk, checks, [each for each in every if each.lesson not in lessons])
    say(f"The page: {shown_path(path)}")
    if opened and not open_in_browser(path):
        say("Open it in a browser; none with a window was found here.")


def reset_lesson(lesson_name: Annotated[str, argument("LESSON")], at: AtDesk) -> None:
    """Restores the stub of a lesson. Your file is kept next to it.

    Examples:
      dojo reset 03
    """
    lesson = only_lesson(at.course, lesson_name)
    path = own_file(lesson)
    if path.is_file() and is_untouched(lesson, path.read_bytes()):
        say(f"{shown_path(path)} is the stub already: nothing in it has been changed.")
        return
    kept = reset_to_stub(lesson)
    say(f"{shown_path(path)} is the stub again.{f' Yours is {shown_path(kept)} now.' if kept else ''}")


def verify_own(words: LessonWords, at: AtDesk) -> None:
    """Checks your gradients with the gradient checker that you wrote in lesson 08.

    It shows where your checker and the judge disagree, and which broken copies of right gradients it accepts. Where
    there is either, it ends with exit status 1.

    Examples:
      dojo verify 03      lesson 03; without a lesson, every one that your checker can be used on
    """
    from grader.dojo.verify import run_own_checker, summary  # torch comes with it

    claims = []
    for lesson, verified in run_own_checker(at, [only_lesson(at.course, word) for word in words]):
        say(f"{lesson.number} {lesson.title}: {count_text(sum(not each.what for each in verified), 'gradient')}")
        claims += verified
    show(["", *summary(claims)])
    raise SystemExit(0 if all(each.is_agreed for each in claims) else 1)


def watch(work: ChosenWork) -> None:
    """Checks your file every time you save it. PyTorch stays loaded, so a check takes a tenth of a second.

    Examples:
      dojo watch 03               lesson 03; without a lesson, the one that you last worked on
      dojo watch that.ipynb 05    lesson 05 of a notebook or a script

    Keys: n and p: the next and the previous row to fix or write, and after the last one the next lesson
    with something to do; h a hint; l the list; r the report in your browser; q quits.
    """
    watch_files(work, with_page=False)


def open_page(work: ChosenWork) -> None:
    """Like `dojo watch`, with the report of the latest check as a page in your browser.

    Only programs on your own machine reach the page, and only with the token in its address.

    Examples:
      dojo open 03                lesson 03, and the page in your browser
    """
    watch_files(work, with_page=True)


def watch_files(work: Work, with_page: bool) -> None:
    """Check the file whenever it is saved, until `q` is pressed."""
    at, lesson = work.desk, work.lessons[0]
    at.state_file.set_last_lesson(lesson)
    at.judge.prepare(lesson)
    at.busy = nullcontext  # the screen itself says what is going on
    from grader.dojo.report import LiveServer, open_in_browser  # torch comes with these: a worker loads it meanwhile
    from grader.dojo.session import CheckSession
    from grader.dojo.watch import Watch

    with closing(CheckSession(work)) as session, LiveServer(session) if with_page else nullcontext() as page:
        if page is not None:
            open_in_browser(page.address)
        Watch(session, console_for(), page.address if page else "").run()


def start(
    folder: Annotated[Path | None, argument("[FOLDER]")],
    bare: Annotated[bool, option("--bare", "Empty parentheses: you write what each gradient is computed from.")],
    course: CourseFolder,
) -> None:
    """Makes a folder to work in, with all lessons and an empty backward.py in each.

    Where there is a folder exercises/ already, here or above, you work in that one. The lessons come from the course
    that you are in, or else they are those that were installed with `dojo`.

    Examples:
      dojo start               makes the folder backprop-ninja
      dojo start hard --bare   harder, in a folder of another name
    """
    if (around := course_around()) is not None and (course, folder, bare) == (None, None, False):
        say(f"You work in {shown_path(around / 'exercises')}{os.sep}. A folder of its own: dojo start my-work", "")
        with desk(None) as at:
            show(welcome(at.current()))
        return
    folder = folder or Path("backprop-ninja")
    go_on = ["", f"    cd {folder}", "    dojo"]
    if has_lessons(folder) and not bare and course is None:
        say(f"{folder}{os.sep} is there already, with your work in it. Go on there:", *go_on)
        return
    source = nearest_course(course) or (WITH_EXERCISES if has_lessons(WITH_EXERCISES) else None)
    if source is None:
        raise UserError("no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.")
    loaded = Course(source, secrets=False)
    make_working_folder(loaded, folder, bare)
    say(f"{folder}{os.sep} has {count_text(len(loaded.lessons), 'lesson')}. Next:", *go_on)
