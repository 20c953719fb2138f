"""`grade defence`: asks students about their own code, on paper."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import console_for, course_option, fail, open_course, printable
from grader.commands.options import gradebook_option, roster_option
from grader.errors import UserError
from grader.intake.submissions.tables import read_table
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.defence.generate import Defence
    from grader.dojo.check import LocalJudge
    from grader.gradebook.database import Gradebook
    from grader.gradebook.defence_sheets import Defended, Sheet
    from grader.gradebook.records import Decision
    from grader.intake.submissions.finding import FoundSubmissions
    from grader.lesson.lesson import Lesson

PAPERS_FILE, KEYS_FILE = "papers.html", "keys.html"
SEED = "defence seed"

DEFENCE_EPILOG = """\b
Examples:
  grade defence --lesson 03 --paper                     a sheet per student, and the key sheet, to be printed
  grade defence --enter                                 then type: K7QFB a c -3 bd (2,1) -
  grade defence --enter results.csv                     the same from a file: code, then a column per question
  grade defence "Ada Okafor" --lesson 03 --paper        a sheet for Ada alone
  grade defence submissions/ --lesson 03 --paper        about files that were not graded

\b
Questions are made from each student's own right lines; the same submission and seed give the same ones.
Results are rows `03.q:defence`; an assignment gives them points with {rows = "03.q:defence", points = 6}.
Exit status: 0 done; 2 the command line or the input is unusable.
"""


@click.command(epilog=DEFENCE_EPILOG)
@click.argument("submissions", metavar="[STUDENT | SUBMISSIONS]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--lesson", "lesson_name", metavar="L", help="The lesson that is defended.")
@gradebook_option("The gradebook that keeps keys and results; pages are written to its folder `defence`.")
@click.option("--paper", is_flag=True, help="Write a sheet per student and a key sheet, and ask nothing.")
@click.option("--enter", is_flag=True, help="Store what students wrote: lines that are typed, or CSV files.")
@click.option("--minutes", type=click.FloatRange(0, min_open=True), help="The time limit that the sheets name.")
@click.option(
    "--questions", "count", type=click.IntRange(1, 12), default=6, show_default=True, help="Questions per student."
)
@click.option("--seed", metavar="TEXT", help="Draws the questions.  [default: one per gradebook, which it keeps]")
@roster_option("The class's list, for the students' names.")
@course_option
def defence(
    submissions: tuple[Path, ...],
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
    """Asks students about their own code.

    The code is what the gradebook has, of everybody or of the STUDENTs who are named, or it is in SUBMISSIONS. The
    gradebook keeps the questions, the keys and the results.
    """
    if paper == enter:
        fail("give one of --paper and --enter.")
    if enter:
        enter_answers(submissions, out, course)
        return
    if lesson_name is None:
        fail("name the lesson, such as `grade defence --lesson 03 --paper`.")
    write_sheets(make_sheets(submissions, lesson_name, out, count, seed, roster_file, course), out, minutes)


def make_sheets(
    given: Sequence[Path],
    lesson_name: str,
    out: Path,
    count: int,
    seed: str | None,
    roster_file: Path | None,
    course: Path | None,
) -> list[Sheet]:
    """A sheet per student with enough right lines, stored under its code. Raises UserError where nobody has one."""
    from grader.commands.opened_gradebook import open_gradebook, recorded_course
    from grader.commands.remembered import roster_of
    from grader.dojo.check import LocalJudge
    from grader.gradebook.database import GRADEBOOK
    from grader.gradebook.defence_sheets import is_excused, keep_sheet
    from grader.intake.submissions.finding import find
    from grader.publish.progress_bar import progress_bar

    is_stored = (out / GRADEBOOK).is_file()
    on_disk = [path for path in given if path.exists()]
    named_course = recorded_course(out, course) if is_stored else course
    loaded, (lesson,) = open_course(named_course, [lesson_name], on_disk)
    if on_disk and len(on_disk) < len(given):
        fail(f"give paths of submissions or names of students, not both: {given[0]} and {given[-1]}.")
    if given and not on_disk and not is_stored:
        fail(f"{given[0]} does not exist, and {out} holds no gradebook with a student of this name.")
    submitted = None
    if on_disk:
        submitted = find(on_disk, [lesson], list(loaded.lessons.values()), roster_of(out, roster_file))
    sheets, console = list["Sheet"](), console_for(stderr=True)
    with closing(LocalJudge()) as judge:
        if judge.isolation.level == "none":
            fail("this machine cannot lock workers in, so no student's code is run: see docs/security.md.")
        with open_gradebook(out, new=bool(on_disk)) as gradebook, progress_bar(console, console.is_terminal) as bar:
            chosen = seed or gradebook.kept(SEED) or secrets.token_hex(16)
            gradebook.keep(SEED, chosen)
            if "course" not in gradebook.about():
                gradebook.describe({"course": str(loaded.root.resolve())})
            task = bar.add_task("questions", total=None)
            maker = SheetMaker(judge, gradebook, lesson, chosen, count)
            works = defended_works(gradebook, submitted, list(map(str, given)), lesson.name)
            named = bool(given) and submitted is None
            excused = (
                set() if named else {each.student for each in gradebook.current() if is_excused(each, lesson.name)}
            )
            for student, work in works:
                bar.advance(task)
                sheet: Sheet | str = f"there is no file of lesson {lesson.number}."
                if student in excused:
                    sheet = "excused, so there are no questions. They are made for a student who is named."
                elif work is not None:
                    sheet = maker.sheet(work)
                if isinstance(sheet, str):
                    click.echo(f"grade: {printable(student)}: {sheet}", err=True)
                    continue
                if not sheet.oral:
                    keep_sheet(gradebook, sheet)
                sheets.append(sheet)
    if not sheets:
        fail("there are no questions to ask: see the sentences above.")
    return sheets


def defended_works(
    gradebook: Gradebook, submitted: FoundSubmissions | None, names: Sequence[str], lesson: str
) -> Iterator[tuple[str, Defended | None]]:
    """(student, what they defend): None without a file of the lesson. Raises UserError.

    Of the submissions on disk, or else of the gradebook's students who are named, or of all where no name is given.
    """
    from grader.commands.deciding import student_names
    from grader.gradebook.defence_sheets import Defended, newest_results, stored_work
    from grader.gradebook.lookup import find_student

    if submitted is not None:
        for submission in submitted:
            results = newest_results(gradebook, submission.student, lesson)
            yield submission.student, Defended.of(submission.student, submission, lesson, results)
        return
    chosen = {find_student(name, *student_names(gradebook)) for name in names}
    for student, attempts in sorted(gradebook.by_person(), key=lambda pair: pair[0].lower()):
        if student in chosen or not chosen:
            yield student, stored_work(gradebook, attempts, student, lesson)


class SheetMaker:
    """Makes the sheets of one lesson, `count` questions each, drawn from `seed`."""

    def __init__(self, judge: LocalJudge, gradebook: Gradebook, lesson: Lesson, seed: str, count: int) -> None:
        self._judge, self._gradebook, self._lesson, self._seed, self._count = judge, gradebook, lesson, seed, count

    def sheet(self, work: Defended) -> Sheet | str:
        """The student's sheet: what was printed once stays. Or a sentence that says why there is none."""
        from grader.gradebook.defence_sheets import Sheet, own_code

        lesson, student = self._lesson, work.student
        code, kept = own_code(self._gradebook, self._seed, student, lesson.name, f"{work.sha256}/{self._count}")
        if kept:
            return kept
        made = self._questions(work)
        title = f"{lesson.number} {lesson.title}"
        if made.reason and not made.is_oral:
            return f"no questions. {made.reason}"
        return Sheet(code, student, lesson.name, title, self._seed, made.questions, made.reason)

    def _questions(self, work: Defended) -> Defence:
        """Questions about the right rows of a file, which runs in a worker.

        None is about a row that was graded wrong, also where the public check finds nothing wrong with it.
        """
        from grader.defence.generate import generate
        from grader.dojo.file import HERE

        lesson, judge = self._lesson, self._judge
        rows = judge.judge(lesson, work.files).rows
        right = [row.name for row in rows if row.status in ("passed", HERE) and row.name not in work.wrong]
        seed = f"{self._seed}/{work.student}"
        made = generate(lesson, work.files.files, right, judge.zygote, seed, self._count)
        if judge.isolation.level == "none":
            fail("workers could no longer be locked in: nothing more was run. See docs/security.md.")
        return made


def write_sheets(sheets: Sequence[Sheet], out: Path, minutes: float | None) -> None:
    """The pages to be printed, and where they are."""
    from grader.gradebook.files import output_errors, write_whole
    from grader.gradebook.guarded import rendered
    from grader.publish.defence_pages import keys_page, papers_page

    folder = out / "defence" / sheets[0].lesson
    pages: dict[str, Callable[[Sequence[Sheet]], str]] = {
        PAPERS_FILE: lambda shown: papers_page(shown, minutes),
        KEYS_FILE: keys_page,
    }
    for name, page in pages.items():
        text, faults = rendered(partial(lambda page, shown, faults: (page(shown), faults), page), sheets)
        for place in faults:
            who = printable(sheets[place].student)
            click.echo(f"grade: {name} is without {who}, for a fault of the grader: ask them in person.", err=True)
        with output_errors(folder / name):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, text)
        click.echo(f"{count_text(len(sheets) - len(faults), 'student')}: {folder / name}")
    click.echo(f"Keep {KEYS_FILE} to yourself. After the defence: grade defence --enter -o {out}")
    most = max(len(sheet.questions) for sheet in sheets)
    short = [sheet for sheet in sheets if sheet.oral or len(sheet.questions) < most]
    for sheet in short:
        questions = count_text(len(sheet.questions), "question")
        reason = sheet.oral or f"{questions}: the file has no more lines to ask about."
        click.echo(f"grade: {printable(sheet.student)}: {reason}")


def enter_answers(files: Sequence[Path], out: Path, course: Path | None) -> None:
    """Store the answers of sheets: lines of CSV files, or of standard input. All of a file's, or none. UserError."""
    from grader.commands.opened_gradebook import open_gradebook
    from grader.gradebook.defence_sheets import decision_about, find_sheet

    decisions = []
    with open_gradebook(out) as gradebook:
        for place, code, answers in entered_answers(files):
            try:
                decisions.append(decision_about(find_sheet(gradebook, code), answers))
            except UserError as error:
                raise UserError(f"{place}{error}") from error
    if not decisions:
        fail("no answers were given: type a line such as `K7QFB a c -3 bd (2,1) -`, or name a CSV file.")
    store_decisions(decisions, out, course)


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


def store_decisions(decisions: Sequence[Decision], out: Path, course: Path | None) -> None:
    """Store results of defences; those that are in force already are not stored again. Raises UserError."""
    from grader.commands.deciding import store
    from grader.commands.opened_gradebook import open_gradebook
    from grader.gradebook.assignment.in_force import not_yet_made

    with open_gradebook(out) as gradebook:
        new = not_yet_made(decisions, gradebook.all_decisions())
        for each in new:
            click.echo(f"{printable(each.student)}: {each.text}")
        store(gradebook, new, out, course)
        if len(new) < len(decisions):
            click.echo(f"{len(decisions) - len(new)} of {len(decisions)} were stored already.")
