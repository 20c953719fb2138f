"""Compiled templates on disk: read again, thrown away when a module or the template has changed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from grader.publish import templates


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(templates, "TEMPLATES", tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "page.html").write_text("{{ 'a' | word }} {{ text }}")
    return tmp_path / "page.html"


def rendered(page: Path, kind: str = "plain", word: str = "first") -> str:
    """With a filter that is applied to a constant when the template is compiled."""
    cache = templates.CompiledTemplates(kind)
    environment = Environment(loader=FileSystemLoader(page.parent), bytecode_cache=cache)
    environment.filters["word"] = lambda _: word
    return environment.get_template("page.html").render(text="b")


def test_a_second_process_reads_what_the_first_compiled(page):
    assert rendered(page) == "first b"
    assert rendered(page, word="second") == "first b", "not compiled again"
    assert rendered(page, kind="other", word="second") == "second b", "another environment has filters of its own"
    assert len(list((page.parent / "__pycache__").iterdir())) == 2


def test_a_change_counts(page, monkeypatch):
    rendered(page)
    page.write_text("{{ 'a' | word }}: {{ text }}")
    assert rendered(page, word="second") == "second: b"
    monkeypatch.setattr(templates, "modules_state", lambda: "another version")
    assert rendered(page, word="third") == "third: b"


def test_nothing_is_written_where_that_is_not_wanted_or_not_possible(page, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(page) == "first b" and not (page.parent / "__pycache__").exists()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (page.parent / "__pycache__").write_text("a file is in the way")
    assert rendered(page) == "first b"
