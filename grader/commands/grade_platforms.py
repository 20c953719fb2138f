"""`grade export` and `grade feedback`: files for platforms, and reports back to students."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.command_line import EXISTING_FOLDER, FILE, FOLDER, CommandGroup, argument, option, switch
from grader.commands.options import (
    ASSIGNMENT_OPTION,
    COURSE_OPTION,
    DURATION,
    LESSON_OPTION,
    PERCENTAGE,
    REQUIRE_OPTION,
    roster_option,
)

VISIBILITY = ("visible", "after_due_date", "after_published", "hidden")
EXIT_STATUS = "Exit status: 0 written, 2 the command line or the input is unusable."
export = CommandGroup(
    "export",
    f"""Writes files for other platforms and for mail merge.

    The platforms are GitHub, Gradescope, Canvas and Moodle.

    Examples:
      grade export github classroom/                 .github/workflows/grade.yml there
      grade export gradescope -o autograder.zip --lesson 03
      grade export canvas grades/ --roster roster.csv --name "03=Lesson 03 (98765)"
      grade export moodle grades/ --roster roster.csv
      grade export mailmerge grades/ --roster roster.csv
      grade run submission --course course --format junit   these formats are options of `grade run`

    {EXIT_STATUS}
    """,
)
export.add(
    "export.github",
    """Writes a workflow for GitHub: DIR/.github/workflows/grade.yml.

    DIR is the repository from which GitHub makes the students' repositories. A student who may change the workflow can
    read everything that it fetches: see docs/ci.md first.

    Examples:
      grade export github classroom/ --lesson 03          grades on push, with the hidden suites
      grade export github classroom/ --public             checks public problems only: needs no secret
      grade export github                                 into the current folder
    """,
    argument("folder", metavar="[DIR]", default=".", type=FOLDER),
    *(LESSON_OPTION, ASSIGNMENT_OPTION),
    switch("--public", "Only `dojo check`, on public problems: nothing secret is needed."),
    option("--submission", "The folder of the lessons in the repository.", default=".", show_default=True),
    option("--fail-under", "The job fails if the score is below this.", PERCENTAGE, metavar="PERCENT"),
    *(REQUIRE_OPTION, COURSE_OPTION),
)
export.add(
    "export.gradescope",
    """Writes autograder.zip for Gradescope.

    It contains the grader, pinned requirements, and the course with its hidden test suites.

    Examples:
      grade export gradescope --lesson 03                        autograder.zip: upload it as it is
      grade export gradescope --assignment hw2.toml --max 20     with its rows, weights, due date; scaled to 20 points
      grade export gradescope --visibility after_due_date        students see the tests later
    """,
    option(
        "-o --out",
        "The file to write. It holds the course's secrets.",
        FILE,
        default=Path("autograder.zip"),
        show_default=True,
    ),
    *(LESSON_OPTION, ASSIGNMENT_OPTION),
    option(
        "--max maximum",
        "The assignment's autograder points on Gradescope, to which scores are scaled.  "
        "[default: the points as they are]",
        click.FloatRange(0, min_open=True),
        metavar="POINTS",
    ),
    option(
        "--visibility",
        "When students see the tests.",
        click.Choice(VISIBILITY),
        default="visible",
        show_default=True,
    ),
    option(
        "--timeout",
        "Seconds of processor time for running a file, and again for each step; six times as many of wall time.",
        DURATION,
        default=10.0,
        show_default=True,
    ),
    *(REQUIRE_OPTION, COURSE_OPTION),
)
GRADED_WORD = argument("graded", metavar="OUT", type=EXISTING_FOLDER)
CLASS_OPTION = roster_option("CSV with id, name, email: who the students are.", required=True)
COLUMNS_OPTION = option(
    "--name named",
    "Only this lesson (or `total`), under this column's name; may be repeated.",
    multiple=True,
    metavar="LESSON=COLUMN",
)
MAXIMUM_OPTION = option(
    "--max maximum",
    "The platform's maximum for each column, to which scores are scaled.  [default: as in the roster's file]",
    click.FloatRange(0, min_open=True),
    metavar="POINTS",
)


def written_option(name: str, kind: click.Path = FILE) -> click.Option:
    return option("-o --out", f"What to write.  [default: OUT/{name}]", kind)


export.add(
    "export.canvas",
    """Writes CSV for Canvas from OUT, which `grade run` wrote.

    If the roster is Canvas's own export, it is filled in, and all other cells stay as they are.

    Examples:
      grade export canvas grades/ --roster roster.csv                       a column for each lesson
      grade export canvas grades/ --roster export.csv --name "total=Backprop (98765)"
    """,
    *(GRADED_WORD, CLASS_OPTION, COLUMNS_OPTION, MAXIMUM_OPTION, written_option("canvas.csv")),
)
export.add(
    "export.moodle",
    """Writes CSV for Moodle from OUT, which `grade run` wrote.

    If the roster is an assignment's grading worksheet, grades and empty "Feedback comments" are filled in. All other
    cells stay as they are.

    Examples:
      grade export moodle grades/ --roster worksheet.csv                    the column Grade: all lessons together
      grade export moodle grades/ --roster roster.csv --max 100             Moodle's maximum grade, if it is in no file
      grade export moodle grades/ --roster roster.csv --name "03=Lesson 03" --name "04=Lesson 04"
    """,
    *(GRADED_WORD, CLASS_OPTION, COLUMNS_OPTION, MAXIMUM_OPTION, written_option("moodle.csv")),
)
export.add(
    "export.mailmerge",
    """Writes CSV for mail merge.

    It has a line for each student who has a report.

    Examples:
      grade export mailmerge grades/ --roster roster.csv       OUT/mailmerge.csv: email, name, id, score, maximum,
                                                               percent, summary, and the path of the report to attach
    """,
    *(GRADED_WORD, CLASS_OPTION, written_option("mailmerge.csv")),
)

feedback = CommandGroup(
    "feedback",
    f"""Gives reports back to students through a platform.

    OUT is what `grade run` wrote. DOWNLOAD is the platform's own archive or folder of submissions, because the platform
    recognises a student by the names in it. If it is not certain whose report it is, nobody gets it, and it is listed.

    Examples:
      grade feedback canvas grades/ submissions.zip --roster roster.csv      for "Re-Upload Submissions"
      grade feedback moodle grades/ submissions.zip --roster worksheet.csv   feedback files
      grade feedback folder grades/ --roster roster.csv                      a folder per student, and mailmerge.csv

    {EXIT_STATUS}
    """,
)
DOWNLOAD_WORD = argument("download", metavar="DOWNLOAD", type=click.Path(path_type=Path, exists=True))
RUN_ROSTER_OPTION = roster_option("CSV with id, name, email.  [default: the one that `grade run` had]")
feedback.add(
    "feedback.canvas_archive",
    """Writes the zip for Canvas's "Re-Upload Submissions".

    Each report becomes a file in a comment. Canvas's grade book has no column for comments, so `grade export
    canvas` cannot carry any.

    Examples:
      grade feedback canvas grades/ submissions.zip --roster roster.csv
    """,
    *(GRADED_WORD, DOWNLOAD_WORD, RUN_ROSTER_OPTION, written_option("canvas-feedback.zip"), COURSE_OPTION),
    name="canvas",
)
feedback.add(
    "feedback.moodle_archive",
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    Grades and one-line comments are in the worksheet that `grade export moodle` fills in.

    Examples:
      grade feedback moodle grades/ submissions.zip --roster worksheet.csv
    """,
    *(GRADED_WORD, DOWNLOAD_WORD, RUN_ROSTER_OPTION, written_option("moodle-feedback.zip"), COURSE_OPTION),
    name="moodle",
)
feedback.add(
    "feedback.student_folders",
    """Writes a folder for each student with their reports.

    With a roster it also writes mailmerge.csv there.

    Examples:
      grade feedback folder grades/ --roster roster.csv
    """,
    *(GRADED_WORD, RUN_ROSTER_OPTION, written_option("feedback", FOLDER)),
    name="folder",
)
