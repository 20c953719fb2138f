"""The student kit: lessons with untouched stubs and as notebooks, the engine, `dojo`, a README and tests of its own.

Gradescope's autograder.zip has the same engine, two scripts, pinned requirements, and the course with its secrets.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from grader.authoring.figures.graph import OWN
from grader.authoring.lesson_sources import published_stub
from grader.authoring.published import FILE as ANSWERS
from grader.authoring.published import public_mistakes_files, question_answers
from grader.authoring.release.engine import KitFiles, engine_files, files_under, licence, pinned_requirements, pyproject
from grader.dojo.start import EDITOR_TASKS
from grader.errors import UserError
from grader.gradebook.assignment.config import ASSIGNMENT, Assignment
from grader.gradebook.database import GRADEBOOK
from grader.intake.submissions.lesson_files import MAIN
from grader.lesson.course_settings import NAME as SETTINGS
from grader.lesson.lesson import Course, Lesson
from grader.lesson.mistakes import PUBLIC
from grader.lesson.paths import AGENTS, TEMPLATES
from grader.publish.export.autograder import SETTINGS as AUTOGRADER_SETTINGS
from grader.publish.export.autograder import AutograderSettings
from grader.publish.templates import text_templates
from grader.questions.answers_file import ANSWERS as STUDENTS_ANSWERS
from grader.results import RESULTS

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


SET_UP = """\
# In Colab, upload the kit's zip first (the folder symbol on the left). Where the kit is installed, this loads %%check.
import importlib.util, os, subprocess, sys, zipfile
from pathlib import Path

kits = {}  # zip: its folder
for path in filter(zipfile.is_zipfile, sorted(Path(".").glob("*.zip"), key=os.path.getmtime)):
    folders = [name.partition("/exercises/")[0] for name in zipfile.ZipFile(path).namelist() if "/exercises/" in name]
    kits |= {path: Path(folders[0])} if folders else {}
if importlib.util.find_spec("grader") is None:
    if not kits:
        raise SystemExit("Upload the kit's zip next to this notebook, and run this cell again.")
    path, folder = list(kits.items())[-1]
    zipfile.ZipFile(path).extractall(".")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", f"./{folder}"], check=True)
for folder in filter(Path.is_dir, kits.values()):  # also after a restart, when it is installed already
    os.chdir(folder)
    break
%load_ext grader
"""


def notebook_of(lesson: Lesson, stub: str, name: str) -> bytes:
    """The notebook's file. `stub` is the lesson's, `name` what the notebook is called in the kit."""
    introduction = ast.get_docstring(ast.parse(stub)) or lesson.title
    cells = [
        text_cell(f"# {lesson.title}\n\n{introduction}"),
        text_cell(
            f"The forward pass and the explanations are in `exercises/{lesson.name}/`. Run the next cell, then fill in "
            "the functions below. `%%check` above a function says whether it is right, whenever you run its cell. In "
            f"a terminal, `dojo check {name} {lesson.number}` checks all of them."
        ),
        code_cell(SET_UP),
        *(code_cell(checked_cell(lesson, part)) for part in code_parts(stub)),
    ]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def code_parts(stub: str) -> Iterator[str]:
    """The stub without its docstring: each function or class with the comments above it, and what is between them."""
    lines = stub.splitlines()
    body = ast.parse(stub).body
    if ast.get_docstring(ast.Module(body, [])) is not None:
        body = body[1:]
    begin = (body[0].lineno - 1) if body else 0
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, DEFINITIONS) or isinstance(following, DEFINITIONS) or following is None:
            end = len(lines) if following is None else (node.end_lineno or node.lineno)
            yield "\n".join(lines[begin:end]).strip("\n")
            begin = end


def checked_cell(lesson: Lesson, part: str) -> str:
    """A part of the stub with `%%check` above it, if it is a function or a class that has rows."""
    names = [node.name for node in ast.parse(part).body if isinstance(node, DEFINITIONS)]
    rows = [name for name in names if name in lesson.functions]
    return f"%%check {lesson.number}.{rows[0]}\n{part}" if rows else part


def text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code_cell(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


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
        found[ASSIGNMENT] = assignment.text.encode()
    return found | render_templates(lessons, notebooks)


def published_answers(lessons: Sequence[Lesson]) -> KitFiles:
    """The model answers to the READMEs' questions and to the graded ones, which students get after the deadline."""
    paths = {f"exercises/{lesson.name}/{ANSWERS}": lesson.solution / ANSWERS for lesson in lessons}
    texts = {f"exercises/{lesson.name}/{GRADED}": question_answers(lesson).encode() for lesson in lessons}
    found = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
    return found | {name: text for name, text in texts.items() if text}


def settings_file(course: Path) -> KitFiles:
    """course.toml, if there is one: a student's own check follows the course's settings."""
    path = course / SETTINGS
    return {SETTINGS: path.read_bytes()} if path.is_file() else {}


def lesson_files(lesson: Lesson) -> KitFiles:
    """exercises/NN_name with a newly generated stub: the one in the folder may contain somebody's work.

    The figures are included; the file that draws them is not. Of the known mistakes, the public ones are included.
    Raises UserError for files that no kit may contain, whatever is in them.
    """
    folder, stub = f"exercises/{lesson.name}", stub_text(lesson).encode()
    found = {
        f"{folder}/{path.relative_to(lesson.exercise).as_posix()}": path.read_bytes()
        for path in files_under(lesson.exercise)
        if KEPT_BY_RESET not in path.name and path.name not in (OWN, PUBLIC, STUDENTS_ANSWERS) and may_be_public(path)
    }
    found |= {f"{folder}/{name}": text.encode() for name, text in public_mistakes_files(lesson).items()}
    return found | {f"{folder}/{MAIN}": stub, f"{folder}/{lesson.pristine.name}": stub}


def may_be_public(path: Path) -> bool:
    """True. Raises UserError for a link, which may lead to anything of this machine, and for results of students."""
    if path.is_symlink():
        raise UserError(f"{path} is a link to {path.resolve()}: put a copy in its place, or remove it.")
    if path.name in (RESULTS, GRADEBOOK):
        raise UserError(f"{path} has results of students, as `grade run` writes them: move {path.parent} elsewhere.")
    return True


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


SCRIPTS = ("setup.sh", "run_autograder")


def autograder_files(course: Course, settings: AutograderSettings, pip_options: Sequence[str] = ()) -> KitFiles:
    """The files in the zip. pip gets `pip_options` when it installs the requirements. Raises UserError, OSError."""
    found = {name: (TEMPLATES / "export" / name).read_bytes() for name in SCRIPTS}
    found[AUTOGRADER_SETTINGS] = settings.to_json().encode()
    found["requirements.txt"] = ("\n".join(pinned_requirements()) + "\n").encode()
    found["pip-options.txt"] = (" ".join(pip_options) + "\n").encode()
    found |= {f"engine/{name}": content for name, content in engine_files().items()}
    found["engine/pyproject.toml"] = pyproject({"grade": "grader.commands.start_grade:main"})
    found |= {f"course/{name}": content for name, content in settings_file(course.root).items()}
    for part in ("exercises", "solutions"):
        for path in files_under(course.root / part):
            if KEPT_BY_RESET not in path.name:
                found[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return found
