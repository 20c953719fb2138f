"""A row's wording: it contradicts none of the row's figures, and one module decides it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support import ROOT

from grader.publish.view import STATES, RowView, lesson_view, tally_text
from grader.results import LessonResult, Row
from grader.verdict.explain.row_places import computed_with

WORDING = {text for state in STATES.values() for text in state[:2]} - {*STATES, "right"}
"""Without words that have other uses, and names of states."""
SAID_OF_A_CHAIN = re.compile(r"\bred (only|in)\b|above it is|every step above")


def test_a_verdict_does_not_contradict_its_figures_and_its_shape():
    for status, exact, approximate, shape, words in (
        ("failed", False, False, [3], "wrong value"),
        ("failed", True, True, [3], "wrong; exact on the published problem"),
        ("failed", False, True, [3], "wrong; approximate on the published problem"),
        ("error", True, True, [3], "error; exact on the published problem"),
        ("error", None, None, None, "error"),
        ("shape", None, None, [2], "wrong shape"),
        ("shape", None, None, [3], "wrong type"),
        ("shape", None, None, None, "wrong type"),
        ("shape", True, True, [3], "wrong shape; exact on the published problem"),
        ("passed", True, True, [3], "right"),
    ):
        row = Row("db", status, 0, 1, exact, approximate, shape=shape, expected_shape=[3])
        assert RowView(row).word == words


def test_a_right_row_says_why_its_chain_is_red():
    others = {"da": Row("da", "failed", 0, 1), "dc": Row("dc", "todo", 0, 1)}
    for chain, because_of, words in (
        ("passed", [], "right"),
        ("failed", ["da"], "correct; red only because `da` above it is wrong"),
        ("failed", ["da", "dc"], "correct; red only because `da` above it is wrong, and 1 more"),
        ("failed", [], "wrong, although every step above it is right"),
        ("skipped", ["dc"], "not run, because `dc` above it is not written yet"),
        ("skipped", [], "not run"),
    ):
        assert RowView(Row("db", "passed", 1, 1, chain=chain, because_of=because_of), others=others).chain == words


def test_rows_that_come_from_another_are_one_group_and_come_after_it():
    places = {"dx": (3, computed_with(["dropout"])), "dy": (5, computed_with(["dropout"])), "dropout": (9, "Twice p.")}
    rows = [Row(name, "failed", 0, 1, line=line, message=text) for name, (line, text) in places.items()]
    part = lesson_view(LessonResult("14", 0, 3, rows=rows))
    assert [[line.row.name for line in group] for group in part.groups] == [["dx", "dy"], ["dropout"]]
    assert part.first is not None and part.first.row.name == "dropout"


def test_the_tally_counts_every_row_once():
    assert tally_text(["passed", "chain", "failed", "error", "todo", "here", "hidden"]) == (
        "3 of 7 right, 2 wrong, 1 to do, 1 only the hidden suite decides"
    )
    assert tally_text(["passed"]) == "1 of 1 right"


def texts_of(path: Path) -> list[str]:
    """The texts of a module that are not docstrings, parts of f-strings included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return [node.value for node in nodes if isinstance(node.value, str)]


def test_no_other_module_decides_what_a_row_is_called_or_what_is_said_about_it():
    modules = [path for name in ("publish", "dojo", "commands") for path in (ROOT / "grader" / name).rglob("*.py")]
    deciding = {
        path.relative_to(ROOT).as_posix(): text
        for path in modules
        for text in texts_of(path)
        if text in WORDING or SAID_OF_A_CHAIN.search(text)
    }
    del deciding["grader/publish/view.py"]
    templates = {
        path.name: found[0]
        for path in (ROOT / "templates").rglob("*")
        if "__pycache__" not in path.parts
        and path.is_file()
        and (found := SAID_OF_A_CHAIN.search(path.read_text(encoding="utf-8")))
    }
    assert (deciding, templates) == ({}, {})
