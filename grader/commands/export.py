"""`grade export` and `grade feedback`: scores and reports in the form that other programs need."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Annotated

import click

from grader.commands.checks import open_assignment, require_solutions
from grader.commands.command_line import FOLDER, argument, option
from grader.commands.console import print_remarks, say
from grader.commands.options import AssignmentPath, CourseFolder, FailUnder, LessonNames, Require, RosterFile, Timeout
from grader.commands.out_folder import GradedOut
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.gradebook.grading.views import roster_in
from grader.intake.submissions.roster import read_roster
from grader.publish.export.github import WORKFLOW_PATH, workflow_text
from grader.publish.export.gradebooks import PLATFORMS, class_results, read_marks
from grader.publish.feedback import archive_of, canvas_feedback, feedback_for, mailmerge_csv, moodle_feedback
from grader.results import points_text
from grader.results.wording import count_text

Written = Annotated[Path | None, option("-o --out FILE", "What to write.  [default: in OUT]")]
ClassFile = Annotated[Path, option("--roster CSV", "With id, name, email, or the platform's own file.", required=True)]
Columns = Annotated[
    tuple[str, ...], option("--name LESSON=COLUMN", "Only this lesson, or `total`, under this name; may be repeated.")
]
MORE_THAN_NOTHING = click.FloatRange(0, min_open=True)
Maximum = Annotated[float | None, option("--max POINTS", "The platform's maximum.", MORE_THAN_NOTHING)]


def platform_typed() -> str:
    """The platform after `grade export` or `grade feedback`: these commands have one function for several."""
    return str(click.get_current_context().info_name)


# Where grading runs ---------------------------------------------------------------------------------------------------


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
    """
    arguments, assignment, path = [".", "--require", require], "", folder / WORKFLOW_PATH
    arguments += [] if fail_under is None else ["--fail-under", f"{fail_under:g}"]
    if lesson_names or public or assignment_file is not None:
        loaded, lessons, _ = open_assignment(course, lesson_names, assignment_file)
        if public:
            arguments = [lesson.name for lesson in lessons]
        elif lesson_names:  # else the assignment says which
            arguments += [word for lesson in lessons for word in ("--lesson", lesson.name)]
        if assignment_file is not None:
            root, file = loaded.root.resolve(), assignment_file.resolve()
            if not file.is_relative_to(root):
                raise UserError(
                    f"{assignment_file} is not in the course {loaded.root}, from which the job reads it: move it "
                    "there, and commit it."
                )
            assignment = file.relative_to(root).as_posix()
    if path.exists():
        raise UserError(f"{path} is there already: delete it first, if it is to be replaced.")
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, workflow_text("public" if public else "grade", arguments, assignment))
    say(f"wrote {path}")
    if not public:
        say("It needs the variable COURSE_REPOSITORY and the secret COURSE_KEY: see docs/ci.md.")


def gradescope(
    out: Annotated[Path, option("-o --out FILE", "Default: autograder.zip.", default=Path("autograder.zip"))],
    lesson_names: LessonNames,
    assignment_file: AssignmentPath,
    maximum: Maximum,
    timeout: Timeout,
    require: Require,
    course: CourseFolder,
) -> None:
    """Writes autograder.zip for Gradescope: the grader, pinned requirements, and the course with its hidden suites.

    Examples:
      grade export gradescope --assignment hw2.toml --max 20     its rows, weights, due date; scaled to 20 points
    """
    from grader.authoring.release.engine import write_zip  # torch comes with these
    from grader.authoring.release.kit import autograder_files
    from grader.publish.export.autograder import AUTOGRADER_SCRIPTS, AutograderSettings

    loaded, lessons, assignment = open_assignment(course, lesson_names, assignment_file)
    require_solutions(lessons)
    points = sum(lesson.max_score for lesson in lessons) if assignment is None else assignment.points
    text = "" if assignment is None else assignment.text
    names = [lesson.name for lesson in lessons]
    settings = AutograderSettings(names, require, timeout, assignment=text, maximum=maximum)
    with write_errors(out):
        write_zip(out, autograder_files(loaded, settings), executable=AUTOGRADER_SCRIPTS)
    say(f"wrote {out}. It holds the hidden suites: upload it to Gradescope, give it to nobody else.")
    say(f"The assignment's autograder points: {points_text(maximum or points)}")


# Scores ---------------------------------------------------------------------------------------------------------------


def scores(graded: GradedOut, roster_file: ClassFile, named: Columns, maximum: Maximum, out: Written) -> None:
    """Writes CSV with the scores in OUT, which `grade run` wrote, for this platform.

    If the roster is the platform's own file, it is filled in, and all other cells stay as they are. That is Canvas's
    export of its gradebook, or the grading worksheet of an assignment in Moodle, in which empty "Feedback comments" are
    filled in as well. A score that is not clear stays empty.

    Examples:
      grade export canvas grades/ --roster roster.csv                 a column for each lesson
      grade export canvas grades/ --roster export.csv --name "total=Backprop (98765)"
      grade export moodle grades/ --roster worksheet.csv              the column Grade: all lessons together
      grade export moodle grades/ --roster roster.csv --max 100       Moodle's maximum grade, if it is in no file
    """
    name = platform_typed()
    platform, roster, path = PLATFORMS[name], read_roster(roster_file), out or graded.path / f"{name}.csv"
    marks = read_marks(graded.gradebook, roster)
    columns = platform.columns(marks, named)
    maxima = platform.maxima(roster, columns) if maximum is None else dict.fromkeys(columns, maximum)
    marks = marks.scaled_to(maxima, columns)
    comments, remarks = dict[str, str](), list[str]()
    if platform.own_columns(roster).get(platform.comments.lower()):
        feedback, remarks = feedback_for(graded.path, marks.results)
        comments = {student: escape(each.summary) for student, each in feedback.items()}
    with write_errors(path):
        write_whole(path, platform.csv_text(roster, marks, columns, comments))
    print_remarks([*marks.remarks, *remarks])
    scored = sum(bool(found.shares()) for found in marks.results.values())
    say(f"wrote {path}: {scored} of {count_text(len(roster.members), 'student has', 'students have')} a score.")
    if platform.maximum:  # Canvas takes it from the file's line Points Possible
        for lesson in columns.keys() - maxima.keys():
            points = f"{columns[lesson]} is in points out of {points_text(marks.possible[lesson])}"
            say(f"{points}. If the platform's maximum is another, give it with --max.")


def mailmerge(graded: GradedOut, roster_file: ClassFile, out: Written) -> None:
    """Writes CSV for mail merge, with each student's score, a summary, and the path of the report to attach.

    Examples:
      grade export mailmerge grades/ --roster roster.csv       OUT/mailmerge.csv: a line for each student
    """
    roster, path = read_roster(roster_file), out or graded.path / "mailmerge.csv"
    marks = read_marks(graded.gradebook, roster)
    feedback, remarks = feedback_for(graded.path, marks.results)
    text, left_out = mailmerge_csv(roster, feedback, graded.path)
    with write_errors(path):
        write_whole(path, text)
    print_remarks([*marks.remarks, *remarks, *left_out])
    count = count_text(len(roster.members), "student")
    say(f"wrote {path}: {len(feedback) - len(left_out)} of {count}.")


# Reports --------------------------------------------------------------------------------------------------------------


ARCHIVES = {
    "canvas": ("Canvas", canvas_feedback, "the assignment, Re-Upload Submissions"),
    "moodle": ("Moodle", moodle_feedback, "Upload multiple feedback files in a zip"),
}
"""{what is typed: (the platform; what gives {name in the zip: content} for a student; the menu that takes the zip)}"""


def archive(graded: GradedOut, out: Written) -> None:
    """Writes the zip with reports that this platform gives back to students.

    Canvas's "Re-Upload Submissions" shows each report as a file in a comment. Moodle takes it with "Upload multiple
    feedback files in a zip"; grades and one-line comments are in the worksheet that `grade export moodle` fills in.

    Examples:
      grade feedback canvas grades/
      grade feedback moodle grades/
    """
    from grader.authoring.release.engine import write_zip  # torch comes with it

    platform, form, menu = ARCHIVES[platform_typed()]
    reports, remarks = archive_of(graded.path, graded.gradebook, platform, form)
    print_remarks(remarks)
    if not reports:
        raise UserError(f"nothing was written: OUT has no report on a submission in a download of {platform}.")
    path = out or graded.path / f"{platform.lower()}-feedback.zip"
    with write_errors(path):
        write_zip(path, {name: content for files in reports for name, content in files.items()})
    say(f"wrote {path}: reports for {count_text(len(reports), 'student')}. In {platform}: {menu}.")


def student_folders(
    graded: GradedOut,
    roster_file: RosterFile,
    out: Annotated[Path | None, option("-o --out", "What to write.  [default: OUT/feedback]", FOLDER)],
) -> None:
    """Writes a folder for each student with their reports, and with a roster mailmerge.csv.

    Examples:
      grade feedback folder grades/ --roster roster.csv
    """
    place = out or graded.path / "feedback"
    roster = roster_in(graded.gradebook) if roster_file is None else read_roster(roster_file)
    marks = None if roster is None else read_marks(graded.gradebook, roster)
    feedback, remarks = feedback_for(graded.path, marks.results if marks else class_results(graded.gradebook))
    with write_errors(place):
        for each in feedback.values():
            (place / each.results.student).mkdir(parents=True, exist_ok=True)
            for name, content in each.files.items():
                (place / each.results.student / name).write_bytes(content)
        if roster is not None:
            text, left_out = mailmerge_csv(roster, feedback, place)
            write_whole(place / "mailmerge.csv", text)
            remarks += left_out
    print_remarks([*(marks.remarks if marks else ()), *remarks])
    say(f"wrote {place}: reports for {count_text(len(feedback), 'student')}.")
