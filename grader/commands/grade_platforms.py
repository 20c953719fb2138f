"""`grade export` and `grade feedback`: files for platforms, and reports back to students."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.command_line import EXISTING_FOLDER, FILE, FOLDER, CommandGroup, argument, flag, option
from grader.commands.options import ASSIGNMENT, COURSE, LESSON, PERCENT, REQUIRE, SECONDS, roster_option

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
    *(LESSON, ASSIGNMENT),
    flag("--public", "Only `dojo check`, on public problems: nothing secret is needed."),
    option("--submission", "The folder of the lessons in the repository.", default=".", show_default=True),
    option("--fail-under", "The job fails if the score is below this.", PERCENT, metavar="PERCENT"),
    *(REQUIRE, COURSE),
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
    *(LESSON, ASSIGNMENT),
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
        click.Choice(("visible", "after_due_date", "after_published", "hidden")),
        default="visible",
        show_default=True,
    ),
    option(
        "--timeout",
        "Seconds of processor time for running a file, and again for each step; six times as many of wall time.",
        SECONDS,
        default=10.0,
        show_default=True,
    ),
    *(REQUIRE, COURSE),
)
GRADED = argument("graded", metavar="OUT", type=EXISTING_FOLDER)
CLASS = roster_option("CSV with id, name, email: who the students are.", required=True)
COLUMNS = option(
    "--name named",
    "Only this lesson (or `total`), under this column's name; may be repeated.",
    multiple=True,
    metavar="LESSON=COLUMN",
)
MAXIMA = option(
    "--max maxima",
    "The platform's maximum, to which scores are scaled; may be repeated.  [default: as in the roster's file]",
    multiple=True,
    metavar="[LESSON=]NUMBER",
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
    *(GRADED, CLASS, COLUMNS, MAXIMA, written_option("canvas.csv")),
)
export.add(
    "export.moodle",
    """Writes CSV for Moodle from OUT, which `grade run` wrote.

    If the roster is an assignment's grading worksheet, it is filled in, and all other cells stay as they are.

    Examples:
      grade export moodle grades/ --roster worksheet.csv                    the column Grade: all lessons together
      grade export moodle grades/ --roster roster.csv --max 100             Moodle's maximum grade, if it is in no file
      grade export moodle grades/ --roster roster.csv --name "03=Lesson 03" --name "04=Lesson 04"
    """,
    *(GRADED, CLASS, COLUMNS, MAXIMA, written_option("moodle.csv")),
)
export.add(
    "export.mailmerge",
    """Writes CSV for mail merge.

    It has a line for each student who has a report.

    Examples:
      grade export mailmerge grades/ --roster roster.csv       OUT/mailmerge.csv: email, name, id, score, maximum,
                                                               percent, summary, and the path of the report to attach
    """,
    *(GRADED, CLASS, written_option("mailmerge.csv")),
)

feedback = CommandGroup(
    "feedback",
    f"""Gives reports back to students through a platform.

    OUT is what `grade run` wrote. DOWNLOAD is the platform's own archive or folder of submissions, because the platform
    recognises a student by the names in it. If it is not certain whose report it is, nobody gets it, and it is listed.

    Examples:
      grade feedback canvas grades/ submissions.zip --roster roster.csv      for "Re-Upload Submissions"
      grade feedback moodle grades/ submissions.zip --roster worksheet.csv   feedback files, and the worksheet
      grade feedback classroom50 grades/ download/ --scores scores.json      Classroom 50's grade book
      grade feedback folder grades/ --roster roster.csv                      a folder per student, and mailmerge.csv

    {EXIT_STATUS}
    """,
)
DOWNLOAD = argument("download", metavar="DOWNLOAD", type=click.Path(path_type=Path, exists=True))
RUN_ROSTER = roster_option("CSV with id, name, email.  [default: the one that `grade run` had]")
feedback.add(
    "feedback.canvas_archive",
    """Writes the zip for Canvas's "Re-Upload Submissions".

    Each report becomes a file in a comment. Canvas's grade book has no column for comments, so `grade export
    canvas` cannot carry any.

    Examples:
      grade feedback canvas grades/ submissions.zip --roster roster.csv
    """,
    *(GRADED, DOWNLOAD, RUN_ROSTER, written_option("canvas-feedback.zip"), COURSE),
    name="canvas",
)
feedback.add(
    "feedback.moodle_archive",
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    If the roster is the assignment's grading worksheet, OUT/moodle-worksheet.csv is the same worksheet with grades,
    scaled to its maximum, and with a summary in the column "Feedback comments".

    Examples:
      grade feedback moodle grades/ submissions.zip --roster worksheet.csv
    """,
    *(GRADED, DOWNLOAD, RUN_ROSTER, MAXIMA, written_option("moodle-feedback.zip"), COURSE),
    name="moodle",
)
feedback.add(
    "feedback.classroom50_scores",
    """Writes Classroom 50's scores.json with the scores in OUT.

    The file belongs into the organisation's repository classroom50. DOWNLOAD is the folder that `gh teacher
    download` wrote. Collecting scores leaves these entries as they are.

    Examples:
      grade feedback classroom50 grades/ download/ --scores scores.json
    """,
    *(GRADED, DOWNLOAD, RUN_ROSTER),
    option("--scores scores_path", "CLASSROOM/scores.json, from the repository classroom50.", FILE, required=True),
    *(written_option("scores.json"), COURSE),
    name="classroom50",
)
feedback.add(
    "feedback.folders",
    """Writes a folder for each student with their reports.

    With a roster it also writes mailmerge.csv there.

    Examples:
      grade feedback folder grades/ --roster roster.csv
    """,
    *(GRADED, RUN_ROSTER, written_option("feedback", FOLDER)),
    name="folder",
)
