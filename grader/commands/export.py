"""`grade export`: what other programs want to have: a workflow, an autograder, a grade book's CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from grader.commands.checks import open_course, require_solutions, with_assignment
from grader.commands.command_line import EXISTING_FOLDER, FOLDER, argument, option
from grader.commands.console import print_remarks
from grader.commands.options import AssignmentPath, CourseFolder, FailUnder, LessonNames, Require, Timeout
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.intake.submissions.roster import read_roster
from grader.publish.export.github import WORKFLOW_PATH, public_workflow_text, workflow_text
from grader.publish.export.gradebooks import PLATFORMS, read_marks
from grader.publish.feedback import comments_for, mailmerge_csv
from grader.results import points_text
from grader.results.wording import count_text

VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")
Graded = Annotated[Path, argument("OUT", EXISTING_FOLDER)]
Written = Annotated[Path | None, option("-o --out FILE", "What to write.  [default: in OUT]")]
ClassFile = Annotated[Path, option("--roster CSV", "With id, name, email, or the platform's own file.", required=True)]
Columns = Annotated[
    tuple[str, ...], option("--name LESSON=COLUMN", "Only this lesson, or `total`, under this name; may be repeated.")
]
Maximum = Annotated[
    float | None,
    option("--max POINTS", "What a full score is worth on the platform.", click.FloatRange(0, min_open=True)),
]


def github(
    folder: Annotated[Path, argument("[DIR]", FOLDER, required=False, default=".")],
    lesson_names: LessonNames,
    assignment_file: AssignmentPath,
    public: Annotated[bool, option("--public", "Only `dojo check`, on public problems: nothing secret is needed.")],
    fail_under: FailUnder,
    require: Require,
    course: CourseFolder,
) -> None:
    """Writes a workflow for GitHub: DIR/.github/workflows/grade.yml.

    DIR is the repository from which GitHub makes the students' repositories. A student who may change the workflow can
    read everything that it fetches: see docs/ci.md first.

    Examples:
      grade export github classroom/ --lesson 03          grades on push, with the hidden suites
      grade export github classroom/ --public             checks public problems only: needs no secret
    """
    names, assignment = list[str](), ""
    if lesson_names or public or assignment_file is not None:
        loaded, lessons = open_course(course, lesson_names)
        if assignment_file is not None:
            _, _, lessons = with_assignment(assignment_file, folder, loaded, lessons if lesson_names else [])
            root, file = loaded.root.resolve(), assignment_file.resolve()
            if not file.is_relative_to(root):
                raise UserError(
                    f"{assignment_file} is not in the course {loaded.root}, from which the job reads it: move it "
                    "there, and commit it."
                )
            assignment = file.relative_to(root).as_posix()
        if lesson_names or public:  # else the assignment says which
            names = [lesson.name for lesson in lessons]
    path = folder / WORKFLOW_PATH
    if path.exists():
        raise UserError(f"{path} is there already: delete it first, if it is to be replaced.")
    own = None if public else workflow_text(names, require, fail_under, assignment)
    text = own or public_workflow_text(names)
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    click.echo(f"wrote {path}")
    if not public:
        click.echo("It needs the variable COURSE_REPOSITORY and the secret COURSE_KEY: see docs/ci.md.")


def gradescope(
    out: Annotated[Path, option("-o --out FILE", "Default: autograder.zip.", default=Path("autograder.zip"))],
    lesson_names: LessonNames,
    assignment_file: AssignmentPath,
    maximum: Maximum,
    visibility: Annotated[
        str,
        option(
            "--visibility WHEN", f"Of the tests: {', '.join(VISIBILITY)}.", click.Choice(VISIBILITY), default="visible"
        ),
    ],
    timeout: Timeout,
    require: Require,
    course: CourseFolder,
) -> None:
    """Writes autograder.zip for Gradescope: the grader, pinned requirements, and the course with its hidden suites.

    Examples:
      grade export gradescope --lesson 03                        autograder.zip: upload it as it is
      grade export gradescope --assignment hw2.toml --max 20     with its rows, weights, due date; scaled to 20 points
    """
    from grader.authoring.release.engine import write_zip  # torch comes with these
    from grader.authoring.release.kit import autograder_files
    from grader.publish.export.autograder import AUTOGRADER_SCRIPTS, AutograderSettings

    loaded, lessons = open_course(course, lesson_names)
    text, points = "", sum(lesson.max_score for lesson in lessons)
    if assignment_file is not None:
        assignment, _, lessons = with_assignment(assignment_file, out, loaded, lessons if lesson_names else [])
        assert assignment is not None
        text, points = assignment.text, assignment.points
    require_solutions(lessons)
    names = [lesson.name for lesson in lessons]
    settings = AutograderSettings(names, require, timeout, visibility, text, maximum)
    with write_errors(out):
        write_zip(out, autograder_files(loaded, settings), executable=AUTOGRADER_SCRIPTS)
    click.echo(f"wrote {out}. It holds the hidden suites: upload it to Gradescope, give it to nobody else.")
    click.echo(f"The assignment's autograder points: {points_text(maximum or points)}")


def canvas(graded: Graded, roster_file: ClassFile, named: Columns, maximum: Maximum, out: Written) -> None:
    """Writes CSV for Canvas from OUT, which `grade run` wrote.

    If the roster is Canvas's own export, it is filled in, and all other cells stay as they are.

    Examples:
      grade export canvas grades/ --roster roster.csv                       a column for each lesson
      grade export canvas grades/ --roster export.csv --name "total=Backprop (98765)"
    """
    write_marks("canvas", graded, roster_file, named, maximum, out)


def moodle(graded: Graded, roster_file: ClassFile, named: Columns, maximum: Maximum, out: Written) -> None:
    """Writes CSV for Moodle from OUT, which `grade run` wrote.

    If the roster is an assignment's grading worksheet, grades and empty "Feedback comments" are filled in. All other
    cells stay as they are.

    Examples:
      grade export moodle grades/ --roster worksheet.csv              the column Grade: all lessons together
      grade export moodle grades/ --roster roster.csv --max 100       Moodle's maximum grade, if it is in no file
    """
    for column, highest in write_marks("moodle", graded, roster_file, named, maximum, out).items():
        points = f"{column} is in points out of {points_text(highest)}"
        click.echo(f"{points}. If Moodle's maximum grade is another, give it with --max.")


def write_marks(
    name: str, graded: Path, roster_file: Path, named: Sequence[str], maximum: float | None, out: Path | None
) -> dict[str, float]:
    """Write the scores in `graded` as the platform's CSV, and print remarks on standard error.

    A score that is not clear stays empty. Returns {column: points} for the columns whose maximum on the platform is
    not known. Raises UserError.
    """
    platform, roster, path = PLATFORMS[name], read_roster(roster_file), out or graded / f"{name}.csv"
    marks = read_marks(graded, roster)
    columns = platform.columns(marks, named)
    maxima = platform.maxima(roster, columns) if maximum is None else dict.fromkeys(columns, maximum)
    marks = marks.scaled_to(maxima, columns)
    comments, remarks = comments_for(marks) if platform.own_column(roster, platform.comments) else ({}, [])
    with write_errors(path):
        write_whole(path, platform.csv_text(roster, marks, columns, comments))
    print_remarks([*marks.remarks, *remarks])
    have = "has" if len(roster.members) == 1 else "have"
    click.echo(f"wrote {path}: {len(marks.shares)} of {count_text(len(roster.members), 'student')} {have} a score.")
    return {column: marks.possible[lesson] for lesson, column in columns.items() if lesson not in maxima}


def mailmerge(graded: Graded, roster_file: ClassFile, out: Written) -> None:
    """Writes CSV for mail merge: a line for each student who has a report.

    Examples:
      grade export mailmerge grades/ --roster roster.csv       OUT/mailmerge.csv: email, name, id, score, maximum,
                                                               percent, summary, and the path of the report to attach
    """
    roster, path = read_roster(roster_file), out or graded / "mailmerge.csv"
    marks = read_marks(graded, roster)
    text, remarks = mailmerge_csv(graded, roster, marks)
    with write_errors(path):
        write_whole(path, text)
    print_remarks([*marks.remarks, *remarks])
    click.echo(f"wrote {path}: {len(marks.results) - len(remarks)} of {count_text(len(roster.members), 'student')}.")
