"""The student kit: lessons with untouched stubs, the engine, `dojo`, a README and tests of its own.

Gradescope's autograder.zip has the same engine, two scripts, pinned requirements, and the course with its secrets.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from functools import lru_cache

from grader.authoring.release.engine import KitFiles, engine_files, licence, pinned_requirements, pyproject
from grader.authoring.release.website import KIT_ZIP, Website, course_page, readme_with_pictures
from grader.dojo.start import course_file, folder_files
from grader.gradebook.assignment.config import ASSIGNMENT_FILE, Assignment
from grader.lesson.config import COURSE_SETTINGS_FILE
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import KEPT_BY_RESET, TEMPLATES, files_under
from grader.lesson.stub import published_stub
from grader.publish.export.autograder import AUTOGRADER_SCRIPTS, AutograderSettings
from grader.publish.export.autograder import SETTINGS as AUTOGRADER_SETTINGS
from grader.publish.templates import text_templates
from grader.questions.question import answer_keys_of, questions_of
from grader.source.syntax import DefinitionNode

MODEL_ANSWERS_FILE, GRADED = "answers.md", "questions-answers.md"
"""Model answers to the questions of a README, in solutions/NN_name, and to the graded ones, made from their keys."""
stub_text = lru_cache(256)(published_stub)


def kit_of(lessons: Sequence[Lesson], assignment: Assignment | None = None, website: Website | None = None) -> KitFiles:
    """Everything a student gets, with index.html if it has a `website`. Raises LessonError, UserError, OSError."""
    found = engine_files() | {"pyproject.toml": pyproject("dojo"), "LICENSE": licence()}
    found |= folder_files(lessons, stub_text)
    for lesson in lessons:
        found[f"notebooks/{lesson.name}.ipynb"] = notebook_of(lesson, stub_text(lesson), website)
    if assignment is not None:
        found[ASSIGNMENT_FILE] = assignment.text.encode()
    if website is not None:
        found["index.html"] = course_page(lessons, assignment.title if assignment else None, website)
        found[".nojekyll"] = b""  # GitHub Pages publishes the files as they are
    templates = text_templates("kit")
    for template in templates.list_templates():
        found[template.removesuffix(".jinja")] = templates.get_template(template).render(lessons=lessons).encode()
    return found


def published_answers(lessons: Sequence[Lesson]) -> KitFiles:
    """The model answers to the READMEs' questions and to the graded ones, which students get after the deadline.

    Of several choices, they explain each wrong one: reports do not, because the next attempt would have the key.
    Raises LessonError where questions cannot be read.
    """
    found, template = KitFiles(), text_templates("kit_answers").get_template("answers.md.jinja")
    for lesson in lessons:
        path, keys = lesson.solution / MODEL_ANSWERS_FILE, answer_keys_of(lesson)
        if path.is_file():
            found[f"exercises/{lesson.name}/{MODEL_ANSWERS_FILE}"] = path.read_bytes()
        if keys:
            text = template.render(lesson=lesson, questions=questions_of(lesson), keys=keys)
            found[f"exercises/{lesson.name}/{GRADED}"] = text.encode()
    return found


def notebook_of(lesson: Lesson, stub: str, website: Website | None = None) -> bytes:
    """The lesson's README and its `stub` as a Jupyter notebook (nbformat 4.5).

    Its first code cell installs the kit, from `website` if there is one. Each function or class has a cell of its own,
    with the comments above it; one that has rows is below `%%check`.
    """
    templates, lines, tree = text_templates("kit_notebook"), stub.splitlines(), ast.parse(stub)
    introduction = ast.get_docstring(tree)
    body = tree.body if introduction is None else tree.body[1:]
    about = {"lesson": lesson, "introduction": introduction or lesson.title, "website": website, "zip": KIT_ZIP}
    cells = [("markdown", templates.get_template("introduction.md.jinja").render())]
    cells.append(("code", templates.get_template("set_up.txt").render(about)))
    cells.append(("markdown", readme_with_pictures(lesson) or f"# {lesson.title}"))
    cells.append(("markdown", templates.get_template("functions.md.jinja").render(about)))
    begin = body[0].lineno - 1
    for node, following in zip(body, [*body[1:], None], strict=True):
        is_last = following is None
        if is_last or isinstance(node, DefinitionNode) or isinstance(following, DefinitionNode):
            end = len(lines) if is_last else node.end_lineno or node.lineno
            name = node.name if isinstance(node, DefinitionNode) else ""
            check = f"%%check {lesson.number}.{name}\n" if name in lesson.functions else ""
            cells.append(("code", check + "\n".join(lines[begin:end]).strip("\n")))
            begin = end
    written = [(kind, json.dumps(source, ensure_ascii=False)) for kind, source in cells]
    return templates.get_template("notebook.ipynb.jinja").render(cells=written).encode()


def autograder_files(course: Course, settings: AutograderSettings) -> KitFiles:
    """The files in the zip. Raises UserError, OSError."""
    found = {name: (TEMPLATES / "export" / name).read_bytes() for name in AUTOGRADER_SCRIPTS}
    found[AUTOGRADER_SETTINGS] = settings.to_json().encode()
    found["requirements.txt"] = ("\n".join(pinned_requirements()) + "\n").encode()
    found |= {f"engine/{name}": content for name, content in engine_files().items()}
    found["engine/pyproject.toml"] = pyproject("grade")
    found |= {f"course/{name}": content for name, content in course_file(course.root, COURSE_SETTINGS_FILE).items()}
    for part in ("exercises", "solutions"):
        for path in files_under(course.root / part):
            if KEPT_BY_RESET not in path.name:
                found[f"course/{path.relative_to(course.root).as_posix()}"] = path.read_bytes()
    return found
