"""`grade defence`: asks students about their own code, on paper."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from grader.commands.command_line import argument, option
from grader.commands.console import ProgressBar, console_for, print_remarks, say
from grader.commands.decisions import store, student_called
from grader.commands.out_folder import OutFolder, OutToWrite
from grader.errors import UserError
from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.database import Gradebook
from grader.gradebook.defence_sheets import Defended, Sheet, SheetBook, decision_about, is_excused, stored_work
from grader.gradebook.files import output_errors, write_pages
from grader.gradebook.guarded import rendered
from grader.lesson.lesson import Lesson
from grader.publish.instructor_pages import defence_page
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.dojo.check import LocalJudge

UNLOCKED = "this machine cannot lock workers in, so no student's code is run: see docs/security.md."


def defence(
    given: Annotated[tuple[str, ...], argument("[STUDENT]...")],
    lesson_name: Annotated[str | None, option("--lesson L", "The lesson that is defended.")],
    paper: Annotated[bool, option("--paper", "Write a sheet per student and a key sheet.")],
    enter: Annotated[bool, option("--enter", "Store what students wrote, a line per sheet.")],
    out: OutToWrite,
) -> None:
    """Asks students about their own code.

    The code is what the gradebook has, of everybody or of the STUDENTs who are named. The gradebook keeps questions,
    keys and results, so a sheet that is printed can be entered later (docs/defence.md).

    Examples:
      grade defence --lesson 03 --paper -o hw2    hw2/defence/03_makemore_steps/papers.html and keys.html
      grade defence --enter -o hw2                then a line per sheet: its code and the answers, - for none
    """
    if paper == enter:
        raise UserError("give one of --paper and --enter.")
    if enter:
        enter_answers(out)
    elif lesson_name is None:
        raise UserError("name the lesson, such as `grade defence --lesson 03 --paper`.")
    else:
        lesson = out.required_course().find(lesson_name)
        works = list(defended_works(out.gradebook, given, lesson))
        write_sheets(make_sheets(works, SheetBook(out.gradebook), lesson), out.path)


def defended_works(gradebook: Gradebook, names: Sequence[str], lesson: Lesson) -> Iterator[tuple[str, Defended | str]]:
    """(student, what they defend, or why there is nothing to ask about), of those who are named, or of all."""
    chosen = {student_called(gradebook, name) for name in names}
    excused = set() if names else {each.student for each in gradebook.current() if is_excused(each, lesson.name)}
    for student, attempts in sorted(gradebook.by_student(), key=lambda pair: pair[0].lower()):
        if student in excused:
            yield student, "excused, so there are no questions. They are made for a student who is named."
        elif student in chosen or not chosen:
            missing = f"there is no file of lesson {lesson.number}."
            yield student, stored_work(gradebook, attempts, student, lesson.name) or missing


def make_sheets(works: Sequence[tuple[str, Defended | str]], book: SheetBook, lesson: Lesson) -> list[Sheet]:
    """A sheet per student with enough right lines, stored under its code. Raises UserError where nobody has one."""
    from grader.dojo.check import LocalJudge  # torch comes with it

    sheets = list[Sheet]()
    with closing(LocalJudge()) as judge, ProgressBar(console_for(stderr=True)) as bar:
        for student, work in bar.track(works, description="questions"):
            sheet = work if isinstance(work, str) else sheet_for(work, judge, book, lesson)
            if isinstance(sheet, str):
                print_remarks([f"{student}: {sheet}"])
                continue
            book.keep(sheet)
            sheets.append(sheet)
    if not sheets:
        raise UserError("there are no questions to ask: see the sentences above.")
    return sheets


def sheet_for(work: Defended, judge: LocalJudge, book: SheetBook, lesson: Lesson) -> Sheet | str:
    """The student's sheet: what was printed once stays. Or a sentence that says why there is none.

    The file runs in a worker. No question is about a row that was graded wrong, also where the public check finds
    nothing wrong with it.
    """
    from grader.defence.generate import generate  # torch comes with it
    from grader.dojo.file import HERE

    code, kept = book.own_code(work.student, lesson.name, work.sha256)
    if kept:
        return kept
    if judge.zygote.isolation.level == "none":
        raise UserError(UNLOCKED)
    rows = judge.judge(lesson, work.files).rows
    right = [row.name for row in rows if row.status in ("passed", HERE) and row.name not in work.wrong]
    made = generate(lesson, work.files.files, right, judge.zygote, f"{book.seed}/{work.student}")
    if judge.zygote.isolation.level == "none":  # it could before
        raise UserError(UNLOCKED)
    if made.reason and not made.is_oral:
        return f"no questions. {made.reason}"
    title = f"{lesson.number} {lesson.title}"
    return Sheet(code, work.student, lesson.name, title, made.questions, made.reason)


def write_sheets(sheets: Sequence[Sheet], out: Path) -> None:
    """Write the pages to be printed, and print where they are."""
    folder, left_out, pages = out / "defence" / sheets[0].lesson, set[str](), dict[str, str]()
    for kind in ("papers", "keys"):
        page = partial(defence_page, kind)
        pages[f"{kind}.html"] = rendered(page, sheets, on_fault=lambda each, _: left_out.add(each.student))
    print_remarks(f"{who} is left out, for a fault of the grader: ask them in person." for who in sorted(left_out))
    with output_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_pages(folder, pages.items())
    say(*(f"{count_text(len(sheets) - len(left_out), 'student')}: {folder / name}" for name in pages))
    say(f"Keep keys.html to yourself. After the defence: grade defence --enter -o {out}")
    most = max(len(sheet.questions) for sheet in sheets)
    for sheet in sheets:
        if sheet.oral or len(sheet.questions) < most:
            questions = count_text(len(sheet.questions), "question")
            reason = sheet.oral or f"{questions}: the file has no more lines to ask about."
            print_remarks([f"{sheet.student}: {reason}"])


def enter_answers(out: OutFolder) -> None:
    """Store the answers of sheets, from lines of standard input. All of them, or none. Raises UserError."""
    if sys.stdin.isatty():
        say("A line per sheet: its code, then an answer per question, - for none. An empty line ends it.")
    decisions, book = [], SheetBook(out.gradebook)
    for number, line in enumerate(iter(sys.stdin.readline, ""), 1):
        if not (words := line.split()):
            break
        try:
            decisions.append(decision_about(book.find(words[0]), words[1:]))
        except UserError as error:
            raise UserError(f"line {number}: {error}") from error
    if not decisions:
        raise UserError("no answers were given: type a line such as `K7QFB a c -3 bd (2,1) -`.")
    new = not_yet_made(decisions, out.gradebook.decisions())
    for each in new:
        say(f"{each.student}: {each.text}")
    store(out, new)
    if len(new) < len(decisions):
        say(f"{len(decisions) - len(new)} of {len(decisions)} were stored already.")
