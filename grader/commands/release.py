"""`grade release`: the student kit as a folder and a zip, if nothing secret is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from grader.commands.checks import open_course
from grader.commands.command_line import FOLDER, argument, fail, switch
from grader.commands.console import print_remarks
from grader.commands.options import AssignmentPath, CourseFolder, LessonNames
from grader.gradebook.assignment.config import read_assignment
from grader.lesson.lesson import Course
from grader.questions.question import QUESTIONS_FILE
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.authoring.release.engine import KitFiles

LEAKS = 1


def release(
    folder: Annotated[Path, argument(metavar="DIR", type=FOLDER)],
    lesson_names: LessonNames,
    assignment_file: AssignmentPath,
    answers: Annotated[bool, switch("--answers", "With the model answers to the questions, after the deadline.")],
    course: CourseFolder,
) -> None:
    """Writes what students get, as a folder and as a zip: lessons with untouched stubs and as notebooks, and `dojo`.

    The command compares the content of every file with everything in solutions/: answers, hidden suites, known
    mistakes and variants, also in another layout or under other names. If it finds anything, it writes nothing.

    Examples:
      grade release kit                        kit/ and kit.zip, all lessons
      grade release hw2 --assignment hw2.toml  the lessons of an assignment, with its rows and due date

    Exit status: 0 written, 1 a file would reveal a secret (nothing is written),
    2 the command line or the course is unusable.
    """
    from grader.authoring.lesson_review import unwritten_places  # torch comes with these
    from grader.authoring.release.engine import write_folder, write_zip
    from grader.authoring.release.kit import kit_of, published_answers

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
            names = [lesson.name for lesson in lessons] if lesson_names else []
            lessons = [loaded.lessons[each] for each in dict.fromkeys([*assignment.rows, *names])]
        unwritten = [sentence for lesson in lessons for sentence in unwritten_places(lesson)]
        if unwritten:
            fail("\n".join([*unwritten, "nothing was written."]))
        kit = kit_of(lessons, assignment)
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
    from grader.authoring.release.kit import MODEL_ANSWERS_FILE
    from grader.authoring.release.leaks import leaks, secrets_of

    secrets = secrets_of(course)
    found = [*leaks(kit, secrets), *leaks(model_answers, secrets.without(MODEL_ANSWERS_FILE, QUESTIONS_FILE))]
    print_remarks(found)
    if found:
        it = "it" if len(found) == 1 else "them"
        fail(
            f"nothing was written: {count_text(len(found), 'leak')}. Take {it} out of exercises/ and try again.", LEAKS
        )
