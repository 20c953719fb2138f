"""`grade export`: what other programs want to have: a workflow, an autograder, a grade book's CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.assignments import assignment_option, with_assignment
from grader.commands.console import course_option, fail, open_course, require_solutions
from grader.commands.export_scores import canvas, mailmerge, moodle
from grader.commands.options import FILE_PATH, FOLDER_PATH, lesson_option, require_option, visibility_option
from grader.errors import write_errors
from grader.results import points_text

if TYPE_CHECKING:
    from grader.lesson.lesson import Lesson

EXPORT_EPILOG = """\b
Examples:
  grade export github classroom/                 .github/workflows/grade.yml there
  grade export gradescope -o autograder.zip --lesson 03
  grade export canvas grades/ --roster roster.csv --name "03=Lesson 03 (98765)"
  grade export moodle grades/ --roster roster.csv
  grade export mailmerge grades/ --roster roster.csv
  grade run submission --course course --format junit   these formats are options of `grade run`

\b
Exit status: 0 written, 2 the command line or the input is unusable.
"""


@click.group(epilog=EXPORT_EPILOG)
def export() -> None:
    """Writes files for other platforms and for mail merge.

    The platforms are GitHub, Gradescope, Canvas and Moodle.
    """


@export.command(
    "github",
    epilog="""\b
Examples:
  grade export github classroom/ --lesson 03          grades on push, with the hidden suites
  grade export github classroom/ --public             checks public problems only: needs no secret
  grade export github                                 into the current folder
""",
)
@click.argument("folder", metavar="[DIR]", default=".", type=FOLDER_PATH)
@lesson_option()
@assignment_option
@click.option("--public", is_flag=True, help="Only `dojo check`, on public problems: nothing secret is needed.")
@click.option("--submission", default=".", show_default=True, help="The folder of the lessons in the repository.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    default=None,
    metavar="PERCENT",
    help="The job fails if the score is below this.",
)
@require_option
@course_option
def export_github(
    folder: Path,
    lesson_names: tuple[str, ...],
    assignment_file: Path | None,
    public: bool,
    submission: str,
    fail_under: float | None,
    require: str,
    course: Path | None,
) -> None:
    """Writes a workflow for GitHub: DIR/.github/workflows/grade.yml.

    DIR is the repository from which GitHub makes the students' repositories. A student who may change the workflow can
    read everything that it fetches: see docs/ci.md first.
    """
    from grader.gradebook.files import write_whole
    from grader.publish.export.workflow import PATH, Workflow

    lessons: Sequence[Lesson] = []
    assignment = ""
    if lesson_names or public or assignment_file is not None:
        loaded, lessons = open_course(course, lesson_names)
        if assignment_file is not None:
            _, _, chosen = with_assignment(assignment_file, folder, loaded, lessons if lesson_names else [])
            lessons = chosen if lesson_names or public else []  # else the assignment says which
            assignment = path_in_course(assignment_file, loaded.root)
    path = folder / PATH
    if path.exists():
        fail(f"{path} is there already: delete it first, if it is to be replaced.")
    names = [lesson.name for lesson in lessons]
    text = Workflow(names, submission, require, fail_under, public, assignment).text()
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    click.echo(f"wrote {path}")
    if not public:
        click.echo("It needs the variable COURSE_REPOSITORY and the secret COURSE_KEY: see docs/ci.md.")


def path_in_course(file: Path, root: Path) -> str:
    """The file's path in the course's repository, from which the job reads it. Raises UserError."""
    try:
        return file.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        fail(f"{file} is not in the course {root}, from which the job reads it: move it there, and commit it.")


@export.command(
    "gradescope",
    epilog="""\b
Examples:
  grade export gradescope --lesson 03                        autograder.zip: upload it as it is
  grade export gradescope --assignment hw2.toml --max 20     with its rows, weights, due date; scaled to 20 points
  grade export gradescope --visibility after_due_date        students see the tests later
""",
)
@click.option(
    "-o",
    "--out",
    type=FILE_PATH,
    default=Path("autograder.zip"),
    show_default=True,
    help="The file to write. It holds the course's secrets.",
)
@lesson_option()
@assignment_option
@click.option(
    "--max",
    "maximum",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="POINTS",
    help="The assignment's autograder points on Gradescope, to which scores are scaled.  "
    "[default: the points as they are]",
)
@visibility_option
@click.option(
    "--timeout",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    help="Seconds of processor time for running a file, and again for each step; six times as many of wall time.",
)
@require_option
@course_option
def export_gradescope(
    out: Path,
    lesson_names: tuple[str, ...],
    assignment_file: Path | None,
    maximum: float | None,
    visibility: str,
    timeout: float,
    require: str,
    course: Path | None,
) -> None:
    """Writes autograder.zip for Gradescope.

    It contains the grader, pinned requirements, and the course with its hidden test suites.
    """
    from grader.authoring.release.engine import write_zip
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
    try:
        write_zip(out, autograder_files(loaded, settings), executable=AUTOGRADER_SCRIPTS)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}.")
    click.echo(f"wrote {out}. It holds the hidden suites: upload it to Gradescope, give it to nobody else.")
    click.echo(f"The assignment's autograder points: {points_text(maximum or points)}")


for command in (canvas, moodle, mailmerge):
    export.add_command(command)
