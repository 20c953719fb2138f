"""The figures of a lesson: its graph, from forward.py, and those that its own figures.py draws."""

from __future__ import annotations

from grader.authoring.figures.graph import lesson_graph_svg
from grader.errors import LessonError
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Lesson

GRAPH, OWN = "graph.svg", "figures.py"


def figures_of(lesson: Lesson) -> dict[str, str]:
    """{file name in the lesson's folder: SVG text}; empty for a lesson without a forward pass and without figures.py.

    figures.py has a function `figures()` that returns such a dict. Raises LessonError when a file does not run or
    `figures()` returns something else.
    """
    found: dict[str, str] = {}
    if (lesson.exercise / "forward.py").is_file() and lesson.gradients:
        found[GRAPH] = lesson_graph_svg(lesson)
    path = lesson.exercise / OWN
    if path.is_file():
        module = load_module(path, f"backprop_ninja_figures_{lesson.name}")
        own: object = getattr(module, "figures", dict)()
        for name, text in own.items() if isinstance(own, dict) else [("", own)]:
            if not isinstance(name, str) or not name.endswith(".svg") or "/" in name or not isinstance(text, str):
                raise LessonError(f"{path}: figures() must return a dict: the name of an .svg file, then its text.")
            if name in found:
                raise LessonError(f"{path}: {name} is the name of the computational graph. Choose another name.")
            found[name] = text
    return found
