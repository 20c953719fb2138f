"""Golden submissions, as students hand them in: what must come of each, and that it costs nobody else anything.

tests/corpus/golden/README.md says what is in their folders.
"""

from __future__ import annotations

import json
import re

import pytest
from support import GOLDEN, VALIDATOR, expectation, golden_names, rows_of, sampled, without_seconds

from grader.results import SubmissionResult

FULL = ("loop_", "carriage_returns")
"""Folders whose names begin so take seconds: a deadline ends them."""


NAMES = [pytest.param(each, marks=pytest.mark.full if each.startswith(FULL) else ()) for each in golden_names()]


@sampled("name", NAMES, keep=24)
def test_a_golden_folder(golden, name):
    """It gets what is expected, its file can be read back, and whoever comes next gets what they get alone."""
    done = golden(name)
    check_expected(name, done.graded)
    for results in (done.graded.results.to_json(), done.right_after):
        VALIDATOR.validate(results)
        text = json.dumps(results, allow_nan=False, ensure_ascii=False)
        assert json.loads(text) == results and SubmissionResult.from_text(text).to_json() == results
    lesson = done.right_after["lessons"][0]
    assert lesson["score"] == lesson["max_score"] > 0
    assert without_seconds(done.right_after) == without_seconds(done.right_before)


def check_expected(name, graded):
    expected = expectation(name)
    results, lesson = graded.results.to_json(), graded.results.to_json()["lessons"][0]
    assert results["student"] == name
    assert results["status"] == expected.get("status", "graded")
    assert lesson["status"] == expected.get("lesson_status", "graded"), lesson["message"]
    if "message" in expected:
        assert expected["message"] in (lesson["message"] or "")
    else:
        assert lesson["message"] is None
    rows = rows_of(results)
    assert set(expected["rows"]) - {"*"} <= set(rows)
    for row_name, row in rows.items():
        wanted = expected["rows"].get(row_name, expected["rows"].get("*"))
        status, fragment = wanted if isinstance(wanted, list) else (wanted, "")
        assert row["status"] == status, (row_name, row["message"])
        assert fragment in (row["message"] or ""), row_name
        assert row["points"] == (row["max_points"] if status == "passed" else 0)
        if "line" in expected and status == "error" and not row_name.startswith("in_"):
            assert row["line"] == expected["line"]
    assert results["score"] == lesson["score"] == sum(row["points"] for row in rows.values())
    assert expected.get("printed", "") in graded.printed.get(lesson["name"], "")


def test_every_golden_folder_is_read():
    folders = {path.name for path in GOLDEN.iterdir() if path.is_dir()}
    assert folders == set(golden_names()) and len(folders) > 40


@pytest.mark.full
def test_a_missed_deadline_costs_its_own_seconds_only(golden):
    """The step's, in the first problem only: every other problem and step goes on in a new process."""
    rows = rows_of(golden("loop_in_a_step").graded.results)
    assert [row["status"] for row in rows.values()].count("timeout") == 1


def test_what_is_kept_of_a_flood_is_little(golden):
    (printed,) = golden("flood_in_a_step").graded.printed.values()
    assert len(printed) < 7_000 and re.search(r"\n\.\.\. \(\d\d\d,\d\d\d,\d\d\d bytes in all\)$", printed)
