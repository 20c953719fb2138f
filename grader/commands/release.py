"""`grade release`: the student kit as a folder and a zip, if nothing secret is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from grader.authoring.lesson_review import unwritten_places
from grader.authoring.release.engine import KitFiles, write_folder, write_zip
from grader.authoring.release.kit import MODEL_ANSWERS_FILE, kit_of, published_answers
from grader.authoring.release.leaks import leaks, secrets_of
from grader.commands.checks import open_course
from grader.commands.command_line import fail
from grader.commands.console import print_remarks
from grader.gradebook.assignment.config import read_assignment
from grader.lesson.lesson import Course
from grader.questions.question import QUESTIONS_FILE
from grader.results.wording import count_text

LEAKS = 1


def release(
    folder: Path,
    lesson_names: Sequence[str],
    assignment_file: Path | None,
    notebooks: bool,
    answers: bool,
    course: Path | None,
) -> None:
    """Write the kit of the named lessons, of the assignment's, or of all. Raises UserError."""
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
    secrets = secrets_of(course)
    found = [*leaks(kit, secrets), *leaks(model_answers, secrets.without(MODEL_ANSWERS_FILE, QUESTIONS_FILE))]
    print_remarks(found)
    if found:
        it = "it" if len(found) == 1 else "them"
        fail(
            f"nothing was written: {count_text(len(found), 'leak')}. Take {it} out of exercises/ and try again.", LEAKS
        )
