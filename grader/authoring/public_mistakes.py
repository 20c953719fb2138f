"""Known mistakes whose messages `dojo check` may show: a file of the exercise, made from the lesson's own."""

from __future__ import annotations

import ast
import builtins
import symtable

from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.mistakes import PUBLIC_MISTAKES_FILE, Mistake

FILE_HEAD = '''"""Known mistakes whose messages `dojo check` shows. Do not edit: `grade stubs` writes this file."""

import math

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake
'''
AT_HAND = frozenset({"math", "torch", "F", *dir(builtins)})


def public_mistakes_files(lesson: Lesson) -> dict[str, str]:
    """{PUBLIC_MISTAKES_FILE: its text}; empty for a lesson without public mistakes. Raises LessonError."""
    entries = [declaration(lesson, mistake) for mistake in lesson.mistakes if mistake.public]
    return {PUBLIC_MISTAKES_FILE: FILE_HEAD + "".join(f"\n\n{entry}\n" for entry in entries)} if entries else {}


def declaration(lesson: Lesson, mistake: Mistake) -> str:
    """A public mistake as a decorated function that needs nothing of solutions/."""
    path = lesson.solution / "mistakes.py"
    if lesson.joint is not None or mistake.gradient not in [item.name for item in lesson.gradients]:
        raise LessonError(
            f"{path}: {mistake.name} cannot be public: only a formula of one gradient can be, because everything else "
            "contains the answer key's text."
        )
    definition = mistake.definition()
    definition.name = mistake.name
    text = ast.unparse(definition)
    (table,) = symtable.symtable(text, mistake.name, "exec").get_children()
    unknown = [s.get_name() for s in table.get_symbols() if s.is_global() and s.get_name() not in AT_HAND]
    if unknown:
        raise LessonError(
            f"{path}: {mistake.name} cannot be public: it reads `{unknown[0]}` of this file. Write it with torch and "
            "forward values only."
        )
    return f"@mistake({mistake.message!r}, public=True)\n{text}"
