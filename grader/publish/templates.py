"""The Jinja environments in which all templates of this project are rendered."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.lesson.paths import TEMPLATES
from grader.publish.inert import code, markdown, prose
from grader.publish.pictures import COLOUR_SCALE, error_map, forces
from grader.publish.view import STATES
from grader.results import points_in_words, points_text
from grader.results.wording import count_text, figure_text, format_shape


@cache
def page_script(name: str) -> tuple[Markup, str]:
    """(a page's own script, its digest, by which the page's policy lets it run, and nothing else)"""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    return Markup(text), base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def text_templates(folder: str = "", **options: Any) -> Environment:
    """The templates of plain text in templates/`folder`; `options` are Jinja's."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES / folder),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        **({"keep_trailing_newline": True} | options),
    )


@cache
def page_templates(harmless: Callable[[str], str]) -> Environment:
    """The templates of pages. Every text that a template writes passes `harmless` and is escaped."""
    templates = text_templates(
        autoescape=True,
        keep_trailing_newline=False,
        finalize=lambda value: harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    is_markdown = harmless is markdown
    templates.filters |= {
        "prose": markdown if is_markdown else prose,
        "name": (lambda name: markdown(f"`{name}`")) if is_markdown else code,
        "shape": format_shape,
        "counted": count_text,
        "points": points_in_words,
        "figure": figure_text,
        "score": points_text,
        "six": lambda value: "not finite" if value is None else f"{value:.6g}",  # as results.json has it
    }
    templates.globals |= {"every_state": STATES, "page_script": page_script}
    templates.globals |= {"error_map": error_map, "heat_scale": COLOUR_SCALE, "forces_of": forces}
    return templates
