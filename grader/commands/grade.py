"""The commands of `grade`: each with its help, its examples and its options. Exit codes are part of the contract."""

from __future__ import annotations

import click

from grader.commands.command_line import ANY_PATH, FILE, FOLDER, CommandGroup, argument, option, switch
from grader.commands.grade_platforms import export, feedback
from grader.commands.options import (
    ASSIGNMENT_OPTION,
    BECAUSE_OPTION,
    COURSE_OPTION,
    DURATION,
    JOBS_OPTION,
    LESSON_OPTION,
    LESSON_WORDS,
    OUT_OPTION,
    PERCENTAGE,
    POSITIVE,
    REQUIRE_OPTION,
    ROW_WORD,
    STUDENT_WORD,
    code_page,
    complete_rows,
    complete_students,
    lesson_option,
    out_option,
    roster_option,
)
from grader.publish.export.formats import FORMATS

main = CommandGroup(
    "grade",
    """Grades backpropagation written by hand. It compares each gradient with autograd's, and names the mistakes.

    Examples:
      grade run submissions/                     a folder with one submission for each student
      grade run ada/ --lesson 03 -o out          one student, one lesson, results in out/
      grade run submission --course course --fail-under 80    for CI: exit status 1 below 80 percent
      grade adjust ada 03.dprobs --points 1 --because "..."   a decision that survives every later run
      grade history ada                          a student's attempts and decisions
      grade regrade                              after a lesson has changed: whose score would change
      grade defence --lesson 03 --paper          questions about each student's own code
      grade verify                               checks the course: solutions 100 %, stubs 0 %, mistakes named
      grade new-lesson 20_group_norm             a lesson of your own, ready to fill in
      grade release kit                          what students get, checked for leaks: kit/ and kit.zip
      grade export gradescope                    autograder.zip; also github, canvas, moodle, mailmerge
      grade feedback canvas grades/ download/    reports back to students; also moodle, folder
      grade similar                              pairs that share rare wrong answers, to read side by side

    Exit status of `grade run`: 0 all graded, 1 a score is under --fail-under, 2 the command line
    or the input is unusable, 3 something could not be graded because of an error in the grader or the course.

    Shell completion: eval "$(_GRADE_COMPLETE=bash_source grade)"   (or zsh_source, fish_source)
    """,
)
click.version_option(package_name="backprop-ninja")(main)

main.add(
    "run.run",
    """Grades submissions and writes reports.

    SUBMISSIONS is a folder with one submission per student, or submissions. Each is a folder or archive with
    NN_name/backward.py, the lecture's notebook, or a file with --lesson (docs/submissions.md). OUT is the gradebook:
    what it knows, such as the roster, need not be given again.

    Examples:
      grade run submissions/                    again: only what is new or changed
      grade run submissions.zip --lesson 3 --roster roster.csv     a platform's download
      grade run submissions/ --assignment hw2.toml     rows, weights and due dates
      grade run late/ada --lesson 03            one more student for the class in grades/
    """,
    argument("submissions", nargs=-1, required=True, type=ANY_PATH),
    out_option("Folder for the results."),
    lesson_option("Count only this lesson; may be repeated."),
    ASSIGNMENT_OPTION,
    option("--extensions extensions_file", "Students with another due date, or excused.", FILE, metavar="CSV"),
    roster_option("The class's list: id, name, email."),
    option(
        "--times times_files", "When students submitted (docs/assignments.md).", FILE, metavar="FILE", multiple=True
    ),
    option("--intake intake_file", "OUT/intake.csv, after you have edited it.", FILE, metavar="CSV"),
    option("--zip-names code_page", "Code page of names in a .zip, such as cp932.", code_page, metavar="CODE"),
    JOBS_OPTION,
    option("--cluster", "A Dask scheduler (docs/operator.md).", metavar="ADDRESS"),
    option("--seed", "The same hidden problems again.", int),
    option("--timeout", "Seconds per file, and per step; default: 10.", DURATION, default=10.0),
    REQUIRE_OPTION,
    option("--fail-under", "Exit with 1 if a score is below.", PERCENTAGE, metavar="PERCENT"),
    option(
        "--format formats",
        f"{', '.join(FORMATS)} (docs/ci.md).",
        click.Choice(FORMATS),
        multiple=True,
        metavar="FORMAT",
    ),
    switch("--fresh", "Grade everything again."),
    switch("--only-these", "Show only this run's students."),
    switch("--follow", "Grade what appears, until Ctrl-C (docs/operator.md)."),
    switch("--quiet", "Print only what goes wrong."),
    COURSE_OPTION,
    seldom="code_page jobs cluster seed timeout require fail_under formats fresh only_these follow quiet course",
)

FROM_OPTION = option(
    "--from file",
    "One decision per line. Either all are stored or none; decisions already in force are skipped.",
    FILE,
    metavar="CSV",
)
main.add(
    "decisions.adjust",
    """Sets a student's points for a row (03.dprobs), a lesson (03) or the total (`total`).

    Examples:
      grade adjust "Ada Okafor" 03.dprobs --points 1 --because "A bug in the suite"
      grade adjust ada 03 --points 20 --because "Oral exam"      a whole lesson
      grade adjust ada total --points 0 --because "Plagiarism"   everything
      grade adjust --from adjustments.csv                        columns: student, row, points, because
    """,
    *(STUDENT_WORD, ROW_WORD),
    option("--points", "What the row, lesson or total is worth now, from 0 to its maximum.", metavar="N"),
    *(BECAUSE_OPTION, FROM_OPTION, OUT_OPTION, COURSE_OPTION),
)
main.add(
    "decisions.excuse",
    """Leaves a row, or everything, out of a student's points.

    Their maximum becomes smaller as well.

    Examples:
      grade excuse "Ada Okafor" --because "Ill, certificate seen"
      grade excuse ada 05 --because "Changed course"               one lesson
      grade excuse --from excused.csv                              columns: student, because; perhaps row
    """,
    *(STUDENT_WORD, ROW_WORD, BECAUSE_OPTION, FROM_OPTION, OUT_OPTION, COURSE_OPTION),
)
main.add(
    "decisions.extend",
    """Gives STUDENT a due date of their own. It never lowers a score.

    Examples:
      grade extend "Ada Okafor" --until "2026-12-01 23:59" --because "Ill"
      grade extend ada --until 2026-12-01 --because "Ill"          at the usual time of day
      grade extend --from extensions.csv                           columns: student, until, because
    """,
    STUDENT_WORD,
    option("--until", "The student's own due date, in the assignment's time zone.", metavar="DATE"),
    *(BECAUSE_OPTION, FROM_OPTION, OUT_OPTION, COURSE_OPTION),
)
main.add(
    "decisions.comment",
    """Adds a comment for a student, on one row or on everything.

    The comment is shown in the report and in feedback.

    Examples:
      grade comment "Ada Okafor" "Nice use of broadcasting."
      grade comment ada 03.dprobs "See me about this line."
    """,
    argument("student", shell_complete=complete_students),
    argument("words", nargs=-1, required=True, metavar="[ROW] TEXT", shell_complete=complete_rows),
    *(OUT_OPTION, COURSE_OPTION),
)
main.add(
    "decisions.undo",
    """Takes back a decision.

    ENTRY is its number in `grade history`. Nothing is deleted: an undo is a new entry, and it can be undone as well.

    Examples:
      grade history ada                              shows the entries with their numbers
      grade undo 7 --because "It was another Ada"
    """,
    argument("entry", type=int),
    *(BECAUSE_OPTION, OUT_OPTION, COURSE_OPTION),
)
main.add(
    "history.history",
    """Shows a student's attempts, verdicts and decisions.

    They are in order of time. Times are in the assignment's time zone; without a due date, in this machine's.

    Examples:
      grade history "Ada Okafor"
      grade history ada -o hw2
    """,
    argument("student", shell_complete=complete_students),
    OUT_OPTION,
)
main.add(
    "regrade.regrade",
    """Grades the gradebook's own submissions again.

    It uses the course and the assignment's file as they are now, and prints what would change. Without --apply every
    score stays as it is. Decisions (`grade adjust` and others) stay in force.

    Examples:
      grade regrade                 after a lesson or the assignment has changed: whose score would change, and why
      grade regrade --apply         makes this count; nothing is graded twice
      grade regrade --lesson 03     grades lesson 03 again, changed or not

    Exit status: 0 graded, 2 the command line or the gradebook is unusable, 3 something could not be graded
    because of a fault of the grader (then nothing is applied), 130 stopped (the same command continues from there).
    """,
    switch("--apply", "Make the new verdicts count, and write every page that they change."),
    lesson_option("This lesson, changed or not; may be repeated."),
    *(ASSIGNMENT_OPTION, JOBS_OPTION, REQUIRE_OPTION, OUT_OPTION, COURSE_OPTION),
)
main.add(
    "defence.defence",
    """Asks students about their own code.

    The code is what the gradebook has, of everybody or of the STUDENTs who are named, or it is in SUBMISSIONS. The
    gradebook keeps the questions, the keys and the results.

    Examples:
      grade defence --lesson 03 --paper                     a sheet per student, and the key sheet, to be printed
      grade defence --enter                                 then type: K7QFB a c -3 bd (2,1) -
      grade defence --enter results.csv                     the same from a file: code, then a column per question
      grade defence "Ada Okafor" --lesson 03 --paper        a sheet for Ada alone
      grade defence submissions/ --lesson 03 --paper        about files that were not graded

    Questions are made from each student's own right lines; the same submission and seed give the same ones.
    Results are rows `03.q:defence`; an assignment gives them points with {rows = "03.q:defence", points = 6}.
    Exit status: 0 done; 2 the command line or the input is unusable.
    """,
    argument("given", metavar="[STUDENT | SUBMISSIONS]...", nargs=-1, type=ANY_PATH),
    option("--lesson lesson_name", "The lesson that is defended.", metavar="L"),
    out_option("The gradebook that keeps keys and results; pages are written to its folder `defence`."),
    switch("--paper", "Write a sheet per student and a key sheet, and ask nothing."),
    switch("--enter", "Store what students wrote: lines that are typed, or CSV files."),
    option("--minutes", "The time limit that the sheets name.", click.FloatRange(0, min_open=True)),
    option("--questions count", "Questions per student.", click.IntRange(1, 12), default=6, show_default=True),
    option("--seed", "Draws the questions.  [default: one per gradebook, which it keeps]", metavar="TEXT"),
    roster_option("The class's list, for the students' names."),
    COURSE_OPTION,
)
main.add(
    "course.verify",
    """Checks that a course grades correctly.

    Every solution must get 100 %, and every stub 0 %. All variants must be right, and every known mistake must be found
    and named.

    Examples:
      grade verify                     every lesson, through workers and hidden suites
      grade verify 03 07               two lessons
      grade verify --questions         the questions alone, drawn for 20 students
    """,
    LESSON_WORDS,
    switch("--questions", "Prove the questions alone, and that no public file gives a key away."),
    option("--jobs", "Processes; default: one per core.", POSITIVE),
    COURSE_OPTION,
)
main.add(
    "course.stubs",
    """Writes the stubs of the lessons from solutions/.

    A stub, exercises/NN_name/backward.py, is the solution without the answers between the markers. LESSONS are all
    lessons if you name none. A second copy, .stub, is what `dojo reset` restores. Both kinds of stub are graded by the
    same hidden test suite.

    Examples:
      grade stubs              every lesson; a bare stub stays bare
      grade stubs --bare 03    lesson 03 with bare signatures: students choose what each gradient is computed from
      grade stubs --named 03   lesson 03 with its parameters again
      grade stubs --check      in CI
    """,
    LESSON_WORDS,
    switch("--check", "Write nothing. Exit with 1 if a stub is out of date."),
    option(
        "--bare/--named",
        "Gradients with empty parentheses (harder), or with the names of their parameters.  [default: as each stub is "
        "now, a new one is named]",
        default=None,
    ),
    COURSE_OPTION,
)
main.add(
    "course.figures",
    """Draws the lessons' figures as SVG files in exercises/.

    These are the computational graph and the figures of figures.py. LESSONS are all lessons if you name none. The same
    lesson gives the same file on every machine.

    Examples:
      grade figures            every lesson
      grade figures 03         lesson 03, after a change to its forward.py or figures.py
      grade figures --check    in CI
    """,
    LESSON_WORDS,
    switch("--check", "Write nothing. Exit with 1 if a figure differs from what would be written."),
    COURSE_OPTION,
)
main.add(
    "course.new_lesson",
    """Writes the two folders of a new lesson.

    exercises/NAME and solutions/NAME contain a small example, which you replace.

    Examples:
      grade new-lesson 20_group_norm --title "Group normalisation"
      grade new-lesson 21_optimizers --functions     functions and classes instead of gradients
    """,
    argument("name"),
    option("--title", "The lesson's title.  [default: from its name]"),
    switch("--functions", "For functions and classes that are checked by what they do."),
    COURSE_OPTION,
)
main.add(
    "release.release",
    """Writes what students get, as a folder and as a zip.

    DIR and DIR.zip contain the lessons with untouched stubs, the program (`dojo`), a README, and tests.

    The command compares the content of every file with everything in solutions/: answers, hidden suites, known
    mistakes and variants. It also finds them in another layout or under other names, in code, text or notebooks. If it
    finds anything, it writes nothing.

    Examples:
      grade release kit                        kit/ and kit.zip, all lessons
      grade release week-1 --lesson 01 --lesson 02
      grade release hw2 --assignment hw2.toml  the lessons of an assignment, with its rows and due date
      grade release kit --no-notebook          without the lessons as notebooks
      grade release answers --answers          after the deadline: with a model answer to each question

    Exit status: 0 written, 1 a file would reveal a secret (nothing is written),
    2 the command line or the course is unusable.
    """,
    argument("folder", metavar="DIR", type=FOLDER),
    *(LESSON_OPTION, ASSIGNMENT_OPTION),
    option("--notebook/--no-notebook notebooks", "Each lesson as a notebook too.  [default: yes]", default=True),
    switch("--answers", "With the model answers to the questions."),
    COURSE_OPTION,
)
main.add(
    "similar.similar",
    """Finds submissions that share rare wrong answers or code.

    Other names, another order or another layout of the code make no difference.

    Without SUBMISSIONS, the command compares those that the gradebook stores: of each lesson, the attempt that counts.

    Stubs, the course's own answers and what many students write do not count. Right answers in common forms are not
    listed, because short right answers are often the same.

    Examples:
      grade similar -o hw2                       the submissions in the gradebook, as `grade run -o hw2` stored them
      grade similar submissions/ -o grades       other files, with the verdicts of `grade run submissions/ -o grades`
      grade similar --lesson 03 --roster roster.csv
      grade similar --least 8                    also pairs that chance may explain

    A pair is a reason to read two submissions side by side. It is never a verdict.
    Exit status: 0 done, whatever was found; 2 the command line or the input is unusable.
    """,
    argument("submissions", nargs=-1, type=ANY_PATH),
    out_option("The gradebook with the submissions and the verdicts; similar.html is written there."),
    LESSON_OPTION,
    roster_option("The class's list. Students with the same entry in its column `group` are compared as one."),
    option(
        "--least",
        "Show pairs that share at least this.  [default: more than chance explains in a class of this size]",
        click.FloatRange(0),
        metavar="BITS",
    ),
    COURSE_OPTION,
)

main.add_command(export)
main.add_command(feedback)

if __name__ == "__main__":
    main()
