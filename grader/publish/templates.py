"""The Jinja environments in which all templates of this project are rendered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.lesson.paths import TEMPLATES
from grader.publish.inert import prose
from grader.results import points_in_words
from grader.results.wording import count_text, format_shape


def strict_environment(folder: str = "", **options: Any) -> Environment:
    """Renders the templates in templates/`folder`; `options` are Jinja's."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES / folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )


def text_templates(folder: str, **options: Any) -> Environment:
    """The templates of plain text in templates/`folder`; `options` are Jinja's."""
    return strict_environment(folder, keep_trailing_newline=True, **options)


@cache
def page_templates(harmless: Callable[[str], str]) -> Environment:
    """The templates of pages. Every text that a template writes passes `harmless` and is escaped."""
    templates = strict_environment(
        autoescape=True,
        finalize=lambda value: harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    templates.filters |= {"prose": prose, "shape": format_shape, "counted": count_text, "points": points_in_words}
    return templates
