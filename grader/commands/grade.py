"""The `grade` command. Every error is a sentence on standard error; exit codes are part of the contract."""

from __future__ import annotations

import click

from grader.commands.console import ReportingGroup
from grader.commands.course import figures, new_lesson, stubs, verify
from grader.commands.decisions import adjust, comment, excuse, extend, undo
from grader.commands.defence import defence
from grader.commands.export import export
from grader.commands.feedback import feedback
from grader.commands.history import history
from grader.commands.regrade import regrade
from grader.commands.release import release
from grader.commands.run import run
from grader.commands.similar import similar

GRADE_EPILOG = """\b
Examples:
  grade run submissions/                     a folder with one submission for each student
  grade run ada/ --lesson 03 -o out          one student, one lesson, results in out/
  grade run submission --course course --fail-under 80    for CI: exit status 1 below 80 percent
  grade adjust ada 03.dprobs --points 1 --because "..."   a decision that survives every later run
  grade history ada                          a student's attempts and decisions
  grade regrade                              after a lesson has changed: whose score would change
  grade defence submissions/ --lesson 03 --paper          questions about each student's own code
  grade verify                               checks the course: solutions 100 %, stubs 0 %, mistakes named
  grade new-lesson 20_group_norm             a lesson of your own, ready to fill in
  grade release kit                          what students get, checked for leaks: kit/ and kit.zip
  grade export gradescope                    autograder.zip; also github, canvas, moodle, mailmerge
  grade feedback canvas grades/ download/    reports back to students; also moodle, gradescope, folder
  grade similar                              pairs that share rare wrong answers, to read side by side

\b
Exit status of `grade run`: 0 all graded, 1 a score is under --fail-under, 2 the command line
or the input is unusable, 3 something could not be graded because of an error in the grader or the course.

\b
Shell completion: eval "$(_GRADE_COMPLETE=bash_source grade)"   (or zsh_source, fish_source)
"""


@click.group(cls=ReportingGroup, epilog=GRADE_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="backprop-ninja")
def main() -> None:
    """Grades backpropagation written by hand. It compares each gradient with autograd's, and names the mistakes."""


for command in (
    *(run, adjust, comment, excuse, extend, undo, history, regrade, defence),
    *(verify, stubs, figures, new_lesson, release, export, feedback, similar),
):
    main.add_command(command)


if __name__ == "__main__":
    main()
