"""The student kit: lessons with untouched stubs, the engine, `dojo`, a README and tests of its own.

Gradescope's autograder.zip has the same engine, two scripts, pinned requirements, and the course with its secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from grader.authoring.figures.graph import OWN
from grader.authoring.lesson_sources import published_stub
from grader.authoring.model_answers import MODEL_ANSWERS_FILE, question_answers
from grader.authoring.release.engine import KitFiles, engine_files, files_under, licence, pinned_requirements, pyproject
from grader.authoring.release.notebook import notebook_of
from grader.dojo.start import EDITOR_TASKS
from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT_FILE, Assignment
from grader.gradebook.database import GRADEBOOK
from grader.lesson.config import COURSE_SETTINGS_FILE
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import AGENTS, BACKWARD_FILE, TEMPLATES
from grader.publish.export.autograder import AUTOGRADER_SCRIPTS, AutograderSettings
from grader.publish.export.autograder import SETTINGS as AUTOGRADER_SETTINGS
from grader.publish.templates import text_templates
from grader.questions.answers_file import ANSWERS_FILE as STUDENTS_ANSWERS
from grader.results import RESULTS_FILE

GRADED = "questions-answers.md"
KEPT_BY_RESET = ".before-reset-"
stub_text = lru_cache(256)(published_stub)


def kit_of(lessons: Sequence[Lesson], notebooks: bool = True, assignment: Assignment | None = None) -> KitFiles:
    """Everything a student gets. Raises LessonError, UserError, OSError."""
    found = engine_files() | {"pyproject.toml": pyproject({"dojo": "grader.commands.start_dojo:main"})}
    for lesson in lessons:
        found |= lesson_files(lesson) | settings_file(lesson.course)
        if notebooks:
            name = f"notebooks/{lesson.name}.ipynb"
            found[name] = notebook_of(lesson, stub_text(lesson), name)
    found[AGENTS] = (TEMPLATES / AGENTS).read_bytes()
    if text := licence():
        found["LICENSE"] = text
    found[EDITOR_TASKS] = (TEMPLATES / "tasks.json").read_bytes()
    if assignment is not None:
        found[ASSIGNMENT_FILE] = assignment.text.encode()
    return found | render_templates(lessons, notebooks)


def published_answers(lessons: Sequence[Lesson]) -> KitFiles:
    """The model answers to the READMEs' questions and to the graded ones, which students get after the deadline.

    Raises LessonError where questions cannot be read.
    """
    paths = {
        f"exercises/{lesson.name}/{MODEL_ANSWERS_FILE}": lesson.solution / MODEL_ANSWERS_FILE for lesson in lessons
    }
    texts = {f"exercises/{lesson.name}/{GRADED}": question_answers(lesson).encode() for lesson in lessons}
    found = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
    return found | {name: text for name, text in texts.items() if text}


def settings_file(course: Path) -> KitFiles:
    """course.toml, if there is one: a student's own check follows the course's settings."""
    path = course / COURSE_SETTINGS_FILE
    return {COURSE_SETTINGS_FILE: path.read_bytes()} if path.is_file() else {}


def lesson_files(lesson: Lesson) -> KitFiles:
    """exercises/NN_name with a newly generated stub: the one in the folder may contain somebody's work.

    The figures are included; the file that draws them is not.
    Raises UserError for files that no kit may contain, whatever is in them.
    """
    folder, stub = f"exercises/{lesson.name}", stub_text(lesson).encode()
    paths = [
        path
        for path in files_under(lesson.exercise)
        if KEPT_BY_RESET not in path.name and path.name not in (OWN, STUDENTS_ANSWERS)
    ]
    require_public(paths)
    found = {f"{folder}/{path.relative_to(lesson.exercise).as_posix()}": path.read_bytes() for path in paths}
    return found | {f"{folder}/{BACKWARD_FILE}": stub, f"{folder}/{lesson.pristine.name}": stub}


def require_public(paths: Sequence[Path]) -> None:
    """Raises UserError for a link, which may lead to anything of this machine, and for results of students."""
    for path in paths:
        if path.is_symlink():
            raise UserError(f"{path} is a link to {path.resolve()}: put a copy in its place, or remove it.")
        if path.name in (RESULTS_FILE, GRADEBOOK):
            raise UserError(
                f"{path} has results of students, as `grade run` writes them: move {path.parent} elsewhere."
            )


def render_templates(lessons: Sequence[Lesson], notebooks: bool) -> KitFiles:
    """templates/kit: README.md, Makefile, .gitignore, tests/."""
    source = text_templates("kit")
    named = {"gitignore": ".gitignore"}  # under its own name git would obey it here
    return {
        named.get(name, name.removesuffix(".jinja")): source.get_template(name)
        .render(lessons=lessons, notebooks=notebooks)
        .encode()
        for name in source.list_templates()
    }


def autograder_files(course: Course, settings: AutograderSettings) -> KitFiles:
    """The files in the zip. Raises UserError, OSError."""
    found = {name: (TEMPLATES / "export" / name).read_bytes() for name in AUTOGRADER_SCRIPTS}
    found[AUTOGRADER_SETTINGS] = settings.to_json().encode()
    found["requirements.txt"] = ("\n".join(pinned_requirements()) + "\n").encode()
    found |= {f"engine/{name}": content for name, content in engine_files().items()}
    found["engine/pyproject.toml"] = pyproject({"grade": "grader.commands.start_grade:main"})
    found |= {f"course/{name}": content for name, content in settings_file(course.root).items()}
    for part in ("exercises", "solutions"):
        for path in files_under(course.root / part):
            if KEPT_BY_RESET not in path.name:
                found[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return found
