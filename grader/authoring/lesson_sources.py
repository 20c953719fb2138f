"""A lesson's own files: its right answers, its hidden suite, its steps, the stub, and the files of a new lesson.

The stub, which students fill in, is generated from the solution: the answers between its markers are removed. A new
lesson's two folders are ready to fill in; `grade verify` accepts them, except for README.md.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType
from typing import Literal

from grader.lesson.bare_stub import READ_IN, bare_stub, is_bare
from grader.lesson.course_modules import load_module
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.mistakes import Mistake
from grader.lesson.toml_tables import read_lesson_text
from grader.publish.templates import text_templates
from grader.results.wording import format_shape

LessonKind = Literal["steps", "functions"]
ANSWER_BEGIN, ANSWER_END = "# <answer>", "# </answer>"
ANSWER = re.compile(rf"^([ ]*){re.escape(ANSWER_BEGIN)}\n.*?^[ ]*{re.escape(ANSWER_END)}\n", re.DOTALL | re.MULTILINE)
TODO = r"\1# TODO: replace the next line by your own\n\1raise NotImplementedError\n"


def public_text(lesson: Lesson, name: str) -> str:
    """The text of a file in exercises/NN_name, "" where there is none."""
    path = lesson.exercise / name
    return read_lesson_text(path) if path.is_file() else ""


def variant_files(lesson: Lesson) -> list[Path]:
    """The files in solutions/NN_name/variants: right answers in other styles."""
    return sorted((lesson.solution / "variants").glob("*.py"))


def is_formula(lesson: Lesson, mistake: Mistake) -> bool:
    """Whether the mistake is a wrong function for one gradient, so that only that gradient's row fails."""
    return not mistake.old and mistake.gradient in steps_of(lesson)


def steps_of(lesson: Lesson) -> tuple[str, ...]:
    """The gradients that are written as one function each."""
    return () if lesson.joint else tuple(item.name for item in lesson.gradients)


def suite_of(lesson: Lesson) -> ModuleType:
    """The hidden test suite as a module. Raises LessonError when it does not run."""
    return load_module(lesson.suite, f"backprop_ninja_suite_{lesson.name}")


def right_files(lesson: Lesson) -> dict[str, ModuleType]:
    """{"solution" or a variant's name: the file as a module}. Raises LessonError when one does not run."""
    files = {
        path.stem: load_module(path, f"backprop_ninja_{lesson.name}_{path.stem}") for path in variant_files(lesson)
    }
    return {"solution": lesson.answers} | files


def stub_of(lesson: Lesson) -> str:
    """The text of exercises/NN_name/backward.py. Raises LessonError for unpaired markers or a missing function."""
    path = lesson.solution / "backward.py"
    source = read_lesson_text(path)
    if source.count(ANSWER_BEGIN) != source.count(ANSWER_END) or not source.count(ANSWER_BEGIN):
        raise LessonError(f"{path}: every answer is between `{ANSWER_BEGIN}` and `{ANSWER_END}`; they do not pair.")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    missing = sorted({item.function for item in lesson.gradients} - functions.keys())
    if missing:
        raise LessonError(f"{path} has no function {', '.join(missing)}, which lesson.toml asks for.")
    lines = source.splitlines(keepends=True)
    for name in sorted(steps_of(lesson), key=lambda name: -functions[name].lineno):  # from the end of the file on
        if ast.get_docstring(functions[name]) is None:
            below = functions[name].lineno
            while not lines[below - 1].rstrip().endswith(":"):
                below += 1
            lines.insert(below, docstring(lesson, name.removeprefix("d")))
    stub = ANSWER.sub(TODO, "".join(lines))
    leaks = [line for line in stub.splitlines() if "answer>" in line]
    if leaks:
        raise LessonError(
            f"{path}: a marker would leak into the stub: {leaks[0].strip()!r}. Put each marker on a line of its own."
        )
    return stub


def docstring(lesson: Lesson, target: str) -> str:
    """What a function in a stub says: its gradient's shape, and the lines of the forward pass that read `target`."""
    shape, lines = format_shape(lesson.public.values[target].shape), forward_lines(lesson, target)
    body = "".join(f"        {line}\n" for line in lines)
    return f'    """The gradient with respect to `{target}`, of shape {shape}.\n\n    {READ_IN}\n\n{body}    """\n'


def published_stub(lesson: Lesson, bare: bool | None = None) -> str:
    """The stub that students get: bare, or not; with None as the one in the lesson's folder is. Raises LessonError."""
    stub = stub_of(lesson)
    return bare_stub(lesson, stub) if (is_bare(lesson) if bare is None else bare) else stub


def write_lesson(course: Path, name: str, title: str, kind: LessonKind) -> list[Path]:
    """Writes exercises/NN_name and solutions/NN_name under `course`; returns the files.

    `kind` is "steps" (a forward pass, a function for each gradient) or "functions" (functions and classes checked by
    what they do). Raises LessonError when the name does not fit or is taken, OSError when a file cannot be written.
    """
    if not re.fullmatch(r"\d\d_[a-z][a-z0-9_]*", name):
        raise LessonError(f"{name!r} is no lesson's name: expected two digits and words, such as 11_layer_norm.")
    number, _, short = name.partition("_")
    folders = {part: course / f"{part}s" / name for part in ("exercise", "solution")}
    if taken := [path for folder in folders.values() for path in folder.parent.glob(f"{number}_*")]:
        raise LessonError(f"{taken[0]} has the number {number}. Choose another number and name.")
    source = text_templates(f"new_lesson/{kind}")
    written = []
    for template in sorted(source.list_templates()):
        part, _, file = template.removesuffix(".jinja").partition(".")
        file = {"suite.py": f"test_{short}.py", "variants.py": "variants/other_style.py"}.get(file, file)
        path = folders[part] / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.get_template(template).render(number=number, title=title), encoding="utf-8")
        written.append(path)
    lesson = Lesson(course, name)
    stub = stub_of(lesson)
    for path in (lesson.exercise / "backward.py", lesson.pristine):
        path.write_text(stub, encoding="utf-8")
        written.append(path)
    return written
