"""`grade defence`: asks students about their own code, on paper."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from grader.commands.checks import open_course
from grader.commands.class_files import ClassFiles
from grader.commands.console import console_for, print_remarks, printable
from grader.commands.decisions import store, student_names
from grader.commands.opened_gradebook import open_gradebook, recorded_course
from grader.defence.generate import generate
from grader.dojo.check import LocalJudge
from grader.dojo.file import HERE
from grader.errors import UserError
from grader.gradebook.assignment.in_force import not_yet_made
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.defence_sheets import (
    Defended,
    Sheet,
    decision_about,
    find_sheet,
    is_excused,
    keep_sheet,
    newest_results,
    own_code,
    stored_work,
)
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.guarded import rendered
from grader.gradebook.lookup import find_student
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.tables import read_table
from grader.lesson.lesson import Lesson
from grader.publish.defence_pages import keys_page, papers_page
from grader.publish.progress_bar import progress_bar
from grader.results.wording import count_text

PAPERS_FILE, KEYS_FILE = "papers.html", "keys.html"
SEED = "defence seed"
UNLOCKED = "this machine cannot lock workers in, so no student's code is run: see docs/security.md."


def defence(
    given: Sequence[Path],
    lesson_name: str | None,
    out: Path,
    paper: bool,
    enter: bool,
    minutes: float | None,
    count: int,
    seed: str | None,
    roster_file: Path | None,
    course: Path | None,
) -> None:
    """Write sheets about the code of the students or submissions that are `given`, or of everybody; or store answers.

    Raises UserError.
    """
    if paper == enter:
        raise UserError("give one of --paper and --enter.")
    if enter:
        enter_answers(given, out, course)
        return
    if lesson_name is None:
        raise UserError("name the lesson, such as `grade defence --lesson 03 --paper`.")
    is_stored, on_disk = (out / GRADEBOOK).is_file(), [path for path in given if path.exists()]
    loaded, (lesson,) = open_course(recorded_course(out, course) if is_stored else course, [lesson_name], on_disk)
    if on_disk and len(on_disk) < len(given):
        raise UserError(f"give paths of submissions or names of students, not both: {given[0]} and {given[-1]}.")
    if given and not on_disk and not is_stored:
        raise UserError(f"{given[0]} does not exist, and {out} holds no gradebook with a student of this name.")
    found = None
    if on_disk:
        found = find(on_disk, [lesson], list(loaded.lessons.values()), ClassFiles(out, roster_file).roster)
    with closing(LocalJudge()) as judge, open_gradebook(out, new=bool(on_disk)) as gradebook:
        if judge.isolation.level == "none":
            raise UserError(UNLOCKED)
        chosen = seed or gradebook.kept(SEED) or secrets.token_hex(16)
        gradebook.keep(SEED, chosen)
        if "course" not in gradebook.about():
            gradebook.describe({"course": str(loaded.root.resolve())})
        works = list(defended_works(gradebook, found, list(map(str, given)), lesson))
        sheets = make_sheets(works, judge, gradebook, lesson, chosen, count)
    write_sheets(sheets, out, minutes)


def defended_works(
    gradebook: Gradebook, submitted: FoundSubmissions | None, names: Sequence[str], lesson: Lesson
) -> Iterator[tuple[str, Defended | str]]:
    """(student, what they defend, or why there is nothing to ask about). Raises UserError.

    Of the submissions on disk, or else of the gradebook's students who are named, or of all where no name is given.
    """
    missing = f"there is no file of lesson {lesson.number}."
    if submitted is not None:
        for submission in submitted:
            results = newest_results(gradebook, submission.student, lesson.name)
            work = Defended.of(submission.student, submission, lesson.name, results)
            yield submission.student, work or missing
        return
    chosen = {find_student(name, *student_names(gradebook)) for name in names}
    excused = set() if names else {each.student for each in gradebook.current() if is_excused(each, lesson.name)}
    for student, attempts in sorted(gradebook.by_student(), key=lambda pair: pair[0].lower()):
        if student in excused:
            yield student, "excused, so there are no questions. They are made for a student who is named."
        elif student in chosen or not chosen:
            yield student, stored_work(gradebook, attempts, student, lesson.name) or missing


def make_sheets(
    works: Sequence[tuple[str, Defended | str]],
    judge: LocalJudge,
    gradebook: Gradebook,
    lesson: Lesson,
    seed: str,
    count: int,
) -> list[Sheet]:
    """A sheet per student with enough right lines, stored under its code. Raises UserError where nobody has one."""
    sheets, console = list[Sheet](), console_for(stderr=True)
    with progress_bar(console, console.is_terminal) as bar:
        for student, work in bar.track(works, description="questions"):
            sheet = work if isinstance(work, str) else sheet_for(work, judge, gradebook, lesson, seed, count)
            if isinstance(sheet, str):
                print_remarks([f"{student}: {sheet}"])
                continue
            if not sheet.oral:
                keep_sheet(gradebook, sheet)
            sheets.append(sheet)
    if not sheets:
        raise UserError("there are no questions to ask: see the sentences above.")
    return sheets


def sheet_for(
    work: Defended, judge: LocalJudge, gradebook: Gradebook, lesson: Lesson, seed: str, count: int
) -> Sheet | str:
    """The student's sheet: what was printed once stays. Or a sentence that says why there is none.

    The file runs in a worker. No question is about a row that was graded wrong, also where the public check finds
    nothing wrong with it.
    """
    student = work.student
    code, kept = own_code(gradebook, seed, student, lesson.name, f"{work.sha256}/{count}")
    if kept:
        return kept
    rows = judge.judge(lesson, work.files).rows
    right = [row.name for row in rows if row.status in ("passed", HERE) and row.name not in work.wrong]
    made = generate(lesson, work.files.files, right, judge.zygote, f"{seed}/{student}", count)
    if judge.isolation.level == "none":  # it could before
        raise UserError(UNLOCKED)
    if made.reason and not made.is_oral:
        return f"no questions. {made.reason}"
    return Sheet(code, student, lesson.name, f"{lesson.number} {lesson.title}", seed, made.questions, made.reason)


def write_sheets(sheets: Sequence[Sheet], out: Path, minutes: float | None) -> None:
    """The pages to be printed, and where they are."""
    folder = out / "defence" / sheets[0].lesson
    pages: dict[str, Callable[[Sequence[Sheet]], str]] = {
        PAPERS_FILE: lambda shown: papers_page(shown, minutes),
        KEYS_FILE: keys_page,
    }
    for name, page in pages.items():
        text, faults = rendered(partial(page_and_faults, page), sheets)
        print_remarks(
            f"{name} is without {sheets[place].student}, for a fault of the grader: ask them in person."
            for place in faults
        )
        with output_errors(folder / name):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, text)
        click.echo(f"{count_text(len(sheets) - len(faults), 'student')}: {folder / name}")
    click.echo(f"Keep {KEYS_FILE} to yourself. After the defence: grade defence --enter -o {out}")
    most = max(len(sheet.questions) for sheet in sheets)
    for sheet in sheets:
        if sheet.oral or len(sheet.questions) < most:
            questions = count_text(len(sheet.questions), "question")
            reason = sheet.oral or f"{questions}: the file has no more lines to ask about."
            click.echo(f"grade: {printable(sheet.student)}: {reason}")


def page_and_faults(
    page: Callable[[Sequence[Sheet]], str], sheets: Sequence[Sheet], faults: Mapping[int, str]
) -> tuple[str, Mapping[int, str]]:
    return page(sheets), faults


def enter_answers(files: Sequence[Path], out: Path, course: Path | None) -> None:
    """Store the answers of sheets: lines of CSV files, or of standard input. All of them, or none. Raises UserError."""
    decisions = []
    with open_gradebook(out) as gradebook:
        for place, code, answers in entered_answers(files):
            try:
                decisions.append(decision_about(find_sheet(gradebook, code), answers))
            except UserError as error:
                raise UserError(f"{place}{error}") from error
        if not decisions:
            raise UserError("no answers were given: type a line such as `K7QFB a c -3 bd (2,1) -`, or name a CSV file.")
        new = not_yet_made(decisions, gradebook.decisions())
        for each in new:
            click.echo(f"{printable(each.student)}: {each.text}")
        store(gradebook, new, out, course)
    if len(new) < len(decisions):
        click.echo(f"{len(decisions) - len(new)} of {len(decisions)} were stored already.")


def entered_answers(files: Sequence[Path]) -> Iterator[tuple[str, str, list[str]]]:
    """(place, code, answers) of every line. A header line whose first column is `code` is left out. UserError."""
    if not files and sys.stdin.isatty():
        click.echo("A line per sheet: its code, then an answer per question, - for none. An empty line ends it.")
    for path in files:
        header, lines = read_table(path, "the answers", len)
        for number, row in [(1, [*header]), *lines]:
            cells = [cell.strip() for cell in row]
            if any(cells) and cells[0].lower() != "code":
                yield f"{path}, line {number}: ", cells[0], cells[1:]
    for number, line in enumerate(iter(sys.stdin.readline, "") if not files else (), 1):
        if not line.strip():
            return
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()
        yield f"line {number}: ", words[0], words[1:]
