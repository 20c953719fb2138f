"""A row's wording: it contradicts none of the row's figures, and one module decides it."""

from __future__ import annotations

import pytest

from grader.publish.view import RowView, tally_text
from grader.results import Row


@pytest.mark.parametrize(
    ("status", "exact", "approximate", "shape", "words"),
    [
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
    ],
)
def test_a_verdict_does_not_contradict_its_figures_and_its_shape(status, exact, approximate, shape, words):
    row = Row("db", status, 0, 1, exact, approximate, shape=shape, expected_shape=[3])
    assert RowView(row).word == words


@pytest.mark.parametrize(
    ("chain", "because_of", "words"),
    [
        ("passed", [], "right"),
        ("failed", ["da"], "correct; red only because `da` above it is wrong"),
        ("failed", ["da", "dc"], "correct; red only because `da` above it is wrong, and 1 more"),
        ("failed", [], "wrong, although every step above it is right"),
        ("skipped", ["dc"], "not run, because `dc` above it is not written yet"),
        ("skipped", [], "not run"),
    ],
)
def test_a_right_row_says_why_its_chain_is_red(chain, because_of, words):
    others = {"da": Row("da", "failed", 0, 1), "dc": Row("dc", "todo", 0, 1)}
    assert RowView(Row("db", "passed", 1, 1, chain=chain, because_of=because_of), others=others).chain == words


def test_the_tally_counts_every_row_once():
    assert tally_text(["passed", "chain", "failed", "error", "todo", "here", "hidden"]) == (
        "3 of 7 right, 2 wrong, 1 to do, 1 only the hidden suite decides"
    )
    assert tally_text(["passed"]) == "1 of 1 right"
