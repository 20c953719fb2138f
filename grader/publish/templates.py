"""The Jinja environments in which all templates of this project are rendered."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from grader.lesson.paths import TEMPLATES
from grader.publish.inert import prose
from grader.results import points_in_words
from grader.results.wording import count_text, shape_text


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates on disk, as Python keeps compiled modules: in templates/__pycache__, where that is writable.

    `kind` is the environment's: constants of a template are filtered when it is compiled. Filters change with the code
    of this package, so a file is valid for one state of its modules.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(str(TEMPLATES / "__pycache__"), f"{kind}-%s.jinja")

    def get_source_checksum(self, source: str) -> str:
        return hashlib.sha256(f"{jinja2.__version__} {modules_state()} {source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with contextlib.suppress(OSError):
                os.makedirs(self.directory, exist_ok=True)
                super().dump_bytecode(bucket)


@cache
def modules_state() -> str:
    """Changes with any module of this package."""
    folder = Path(__file__).parent
    return " ".join(f"{path.name} {path.stat().st_mtime_ns}" for path in sorted(folder.rglob("*.py")))


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
    """The templates of pages. Every text that a template writes passes `harmless` and is escaped."""
    templates = Environment(
        bytecode_cache=CompiledTemplates(harmless.__name__),
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    templates.filters |= {"prose": prose, "shape": shape_text, "counted": count_text, "points": points_in_words}
    return templates
