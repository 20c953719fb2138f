"""The statements of a lesson's forward pass, as text."""

from __future__ import annotations

import ast
import re

from grader.lesson.lesson import Lesson


def forward_statements(lesson: Lesson) -> dict[str, str]:
    """{name: its line of forward.py}, in order, without the tape's `t.`."""
    source = (lesson.exercise / "forward.py").read_text(encoding="utf-8")
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            segment = ast.get_source_segment(source, node) or ""
            found[node.targets[0].attr] = (node.lineno, re.sub(r"\bt\.", "", " ".join(segment.split())))
    return {name: text for name, (_, text) in sorted(found.items(), key=lambda entry: entry[1][0])}
