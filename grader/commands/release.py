"""`grade release`: the student kit as a folder and a zip, if nothing secret is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import course_option, fail, open_course
from grader.commands.options import FILE_PATH, FOLDER_PATH, lesson_option
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.authoring.release.engine import KitFiles
    from grader.lesson.lesson import Course

LEAKS = 1

RELEASE_EPILOG = """\b
Examples:
  grade release kit                        kit/ and kit.zip, all lessons
  grade release week-1 --lesson 01 --lesson 02
  grade release hw2 --assignment hw2.toml  the lessons of an assignment, with its rows and due date
  grade release kit --no-notebook          without the lessons as notebooks
  grade release answers --answers          after the deadline: with a model answer to each question

\b
Exit status: 0 written, 1 a file would reveal a secret (nothing is written),
2 the command line or the course is unusable.
"""


@click.command(epilog=RELEASE_EPILOG)
@click.argument("folder", metavar="DIR", type=FOLDER_PATH)
@lesson_option()
@click.option(
    "--assignment",
    "assignment_file",
    type=FILE_PATH,
    metavar="FILE",
    help="The lessons of this assignment; `dojo` shows its rows and its due date (docs/assignments.md).",
)
@click.option(
    "--notebook/--no-notebook", "notebooks", default=True, help="Each lesson as a notebook too.  [default: yes]"
)
@click.option("--answers", is_flag=True, help="With the model answers to the questions.")
@course_option
def release(
    folder: Path,
    lesson_names: tuple[str, ...],
    assignment_file: Path | None,
    notebooks: bool,
    answers: bool,
    course: Path | None,
) -> None:
    """Writes what students get, as a folder and as a zip.

    DIR and DIR.zip contain the lessons with untouched stubs, the program (`dojo`), a README, and tests.

    The command compares the content of every file with everything in solutions/: answers, hidden suites, known
    mistakes and variants. It also finds them in another layout or under other names, in code, text or notebooks. If it
    finds anything, it writes nothing.
    """
    from grader.authoring.lesson_review import unwritten_places
    from grader.authoring.release.engine import write_folder, write_zip
    from grader.authoring.release.kit import kit_of, published_answers
    from grader.gradebook.assignment.config import read_assignment

    if folder.exists() and any(folder.iterdir()):
        fail(f"{folder} exists and is not empty: name a new folder, or remove this one first.")
    name = folder.resolve().name
    archive = folder.resolve().parent / f"{name}.zip" if folder.name == "" else folder.with_name(f"{name}.zip")
    try:
        loaded, lessons = open_course(course, lesson_names)
        missing = [str(lesson.solution) for lesson in loaded.lessons.values() if not lesson.solution.is_dir()]
        if missing:
            fail(f"{missing[0]} is missing: without the secrets it cannot be checked that none is given away.")
        assignment = None if assignment_file is None else read_assignment(assignment_file, [*loaded.lessons.values()])
        if assignment is not None:
            names = lesson_names and [lesson.name for lesson in lessons]
            lessons = [loaded.lessons[name] for name in dict.fromkeys([*assignment.rows, *names])]
        unwritten = [sentence for lesson in lessons for sentence in unwritten_places(lesson)]
        if unwritten:
            fail("\n".join([*unwritten, "nothing was written."]))
        kit = kit_of(lessons, notebooks, assignment)
        model_answers = published_answers(lessons) if answers else {}
        refuse_leaks(loaded, kit, model_answers)
        kit |= model_answers
        write_folder(folder, kit)
        write_zip(archive, {f"{name}/{inside}": content for inside, content in kit.items()})
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        fail(f"{getattr(error, 'filename', None) or folder} cannot be read or written: {reason}.")
    secret_files = sum(1 for lesson in loaded.lessons.values() for _ in lesson.solution.rglob("*.py"))
    click.echo(
        f"{count_text(len(lessons), 'lesson')}, {count_text(len(kit), 'file')}, compared with "
        f"{count_text(secret_files, 'secret file')}: nothing is given away."
    )
    click.echo(f"The kit: {folder} and {archive}")


def refuse_leaks(course: Course, kit: KitFiles, model_answers: KitFiles) -> None:
    """Print what of the course's secrets the files reveal, and end the program where there is anything.

    Model answers may reveal what the files with the model answers and the questions' keys say, and nothing else.
    """
    from grader.authoring.model_answers import MODEL_ANSWERS_FILE
    from grader.authoring.release.leaks import leaks, secrets_of
    from grader.questions.question import QUESTIONS_FILE

    secrets = secrets_of(course)
    found = [*leaks(kit, secrets), *leaks(model_answers, secrets.without(MODEL_ANSWERS_FILE, QUESTIONS_FILE))]
    for sentence in found:
        click.echo(f"grade: {sentence}", err=True)
    if found:
        it = "it" if len(found) == 1 else "them"
        fail(
            f"nothing was written: {count_text(len(found), 'leak')}. Take {it} out of exercises/ and try again.", LEAKS
        )
