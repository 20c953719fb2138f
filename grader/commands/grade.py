"""The commands of `grade`. Exit codes are part of the contract."""

from __future__ import annotations

import click

from grader.commands.command_line import CommandGroup

EXPORT = CommandGroup(
    "export",
    """Writes files for other platforms and for mail merge.

    Examples:
      grade export canvas grades/ --roster roster.csv
    """,
    {
        "github": ("export.github", "a workflow that grades, or checks, on push"),
        "gradescope": ("export.gradescope", "autograder.zip"),
        "canvas": ("export.scores", "CSV with scores"),
        "moodle": ("export.scores", "CSV with scores"),
        "mailmerge": ("export.mailmerge", "CSV with scores and the reports to attach"),
    },
)
FEEDBACK = CommandGroup(
    "feedback",
    """Gives reports back to students.

    OUT is what `grade run` wrote. Canvas and Moodle recognise a student by the names in the download that was graded.

    Examples:
      grade feedback canvas grades/
    """,
    {
        "canvas": ("export.archive", 'a zip for "Re-Upload Submissions"'),
        "moodle": ("export.archive", "a zip of feedback files"),
        "folder": ("export.student_folders", "a folder for each student, and mailmerge.csv"),
    },
)
main = CommandGroup(
    "grade",
    """Grades backpropagation written by hand. It compares each gradient with autograd's, and names the mistakes.

    Examples:
      grade run submissions/                     a folder with one submission for each student
      grade adjust ada 03.dprobs --points 1 --because "..."   a decision that survives every later run
      grade release kit                          what students get, checked for leaks: kit/ and kit.zip

    Exit status of `grade run`: 0 all graded, 1 a score is under --fail-under, 2 the command line
    or the input is unusable, 3 something could not be graded because of an error in the grader or the course.

    Shell completion: eval "$(_GRADE_COMPLETE=bash_source grade)"   (or zsh_source, fish_source)
    """,
    {
        "run": ("run.GradeRun", "grades submissions and writes reports"),
        "adjust": ("decisions.adjust", "sets a student's points for a row, a lesson or the total"),
        "comment": ("decisions.comment", "adds a comment for a student"),
        "excuse": ("decisions.excuse", "leaves a row, or everything, out of a student's points"),
        "extend": ("decisions.extend", "gives a student a due date of their own"),
        "undo": ("decisions.undo", "takes a decision back"),
        "history": ("decisions.history", "a student's attempts, verdicts and decisions"),
        "regrade": ("regrade.regrade", "whose score a changed lesson or assignment would change"),
        "defence": ("defence.defence", "asks students about their own code, on paper"),
        "similar": ("similar.similar", "pairs that share rare wrong answers, to read side by side"),
        "export": (EXPORT, "scores for github, gradescope, canvas, moodle, mailmerge"),
        "feedback": (FEEDBACK, "reports back to students: canvas, moodle, folder"),
        "verify": ("course.verify", "checks that a course grades correctly"),
        "stubs": ("course.stubs", "writes the lessons' stubs from their solutions"),
        "figures": ("course.figures", "draws the lessons' figures"),
        "new-lesson": ("course.new_lesson", "writes the two folders of a new lesson"),
        "release": ("course.release", "writes what students get"),
    },
)
click.version_option(package_name="backprop-ninja")(main)
