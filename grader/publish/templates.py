"""The Jinja environments in which all templates of this project are rendered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.lesson.paths import TEMPLATES
from grader.publish.inert import prose


def text_templates(folder: str, **options: Any) -> Environment:
    """The templates of plain text in templates/`folder`; `options` are Jinja's."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES / folder),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )


def page_templates(harmless: Callable[[str], str]) -> Environment:
    """The templates of pages. Every text that a template puts out passes `harmless` and is escaped."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    found.filters |= {"prose": prose, "shape": shape_text}
    return found


def shape_text(sizes: Sequence[int] | None) -> str:
    """A shape as Python writes it, `(32,)`; a dash where there is none."""
    return "–" if sizes is None else "(" + ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "") + ")"
