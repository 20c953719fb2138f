"""results.json: valid under its schema whatever was submitted, and the same file for the same submission and seed."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import jsonschema
import pytest
from made_results import HOSTILE
from made_results import lesson as lesson_of
from made_results import results as results_of
from made_results import row as row_of
from support import SCHEMA, SHORT_LIMITS, VALIDATOR, rows_of, sampled, without_seconds

from grader.authoring.verify import submission_of
from grader.gradebook.grading.session import Session
from grader.results import LessonResult, Row, SubmissionResult, read_results
from grader.typed_json import json_fields

MIXED = """import torch
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / n
    return gradient


def dprobs(dlogprobs, probs):
    return dlogprobs / probs


def dcounts_sum_inv(dprobs, counts):
    return (counts * dprobs).sum(1)


def dcounts_sum(dcounts_sum_inv, counts_sum):
    return -(counts_sum**-2) * dcounts_sum_inv * 7.5


def dcounts(dprobs, counts_sum_inv):
    return counts_sum_inv * dprobs


def dnorm_logits(dcounts, counts):
    raise NotImplementedError


def dlogits(dnorm_logits):
    print("I was here")
    return dnorm_logits[99]


def dh(dlogits, W2):
    return (dlogits @ W2.T).float()


def dW2(dlogits, h):
    return dlogits.T @ h


def dhpreact(dh, h):
    dh *= 1 - h**2
    return dh


def db1(b1):
    return torch.zeros_like(b1)


def dC(demb, C, Xb):
    return torch.full_like(C, float("inf"))
"""


def without(results: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in results.items() if name not in names}


@pytest.fixture(scope="module")
def mixed(session_for, lesson) -> dict[str, Any]:
    results: dict[str, Any] = session_for("03").grade(submission_of(lesson, "mixed", MIXED)).results.to_json()
    return results


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["gradient"]["additionalProperties"] is False


def test_a_file_with_one_of_everything_is_valid(mixed):
    """What golden folders give is validated in test_golden.py."""
    VALIDATOR.validate(mixed)
    json.dumps(mixed, allow_nan=False)


def test_the_file_says_the_same_with_a_line_for_each_row():
    for rows in [0, 1, 3]:
        graded = lesson_of("04", *(row_of(f"d{at}", "failed", message=HOSTILE) for at in range(rows)))
        for results in (results_of("ada", graded, graded), results_of("ada")):
            text = results.to_text()
            assert (
                json.loads(text) == results.to_json()
                and SubmissionResult.from_text(text).to_json() == results.to_json()
            )
            assert sum('"name": "d' in line for line in text.splitlines()) == rows * len(results.lessons)


def test_a_line_is_a_line(grade):
    source = "def dlogits():\n    return 0\n\n\ndlogits.__code__ = dlogits.__code__.replace(co_firstlineno=0)\n"
    row = grade("04", source)["dlogits"]
    assert row["line"] is None or row["line"] >= 1


def test_the_schema_refuses_what_is_none(mixed):
    for spoiled in (
        without(mixed, "seed"),
        mixed | {"version": 2},
        mixed | {"status": "passed"},
        mixed | {"more": 1},
        mixed | {"student": ""},
        mixed | {"lessons": [mixed["lessons"][0] | {"gradients": [{}]}]},
    ):
        assert not VALIDATOR.is_valid(spoiled)


# Contents ------------------------------------------------------------------------------------------------------------


def test_of_the_whole(mixed, lesson):
    assert mixed["version"] == 1 and mixed["student"] == "mixed" and mixed["status"] == "graded"
    assert mixed["isolation"] in ("strong", "good", "fair", "weak", "none")
    assert set(mixed["environment"]) == {"torch", "python", "cpu_capability", "platform"}
    assert mixed["score"] == 3 and mixed["max_score"] == 26 and type(mixed["score"]) is int
    (only,) = mixed["lessons"]
    assert (only["name"], only["status"], only["message"]) == (lesson.name, "graded", None)
    assert [row["name"] for row in only["gradients"]] == [item.name for item in lesson.items]
    assert type(mixed["seconds"]) is type(only["seconds"]) is float


def test_of_each_row(mixed, lesson):
    rows = rows_of(mixed)
    statuses = {name: row["status"] for name, row in rows.items() if row["status"] != "missing"}
    assert statuses == {
        "dlogprobs": "passed",
        "dprobs": "passed",
        "dcounts_sum_inv": "shape",
        "dcounts_sum": "failed",
        "dcounts": "failed",
        "dnorm_logits": "todo",
        "dlogits": "error",
        "dh": "passed",
        "dW2": "shape",
        "dhpreact": "failed",
        "db1": "failed",
        "dC": "failed",
    }
    for name, row in rows.items():
        assert row["expected_shape"] == list(lesson.public.values[name[1:]].shape)
        assert row["file"] == "backward.py"
    assert rows["dprobs"]["exact"] is True and rows["dprobs"]["ulps"] == 0 and rows["dprobs"]["maxdiff"] == 0
    assert rows["dcounts_sum_inv"]["shape"] == [32] and rows["dcounts_sum_inv"]["exact"] is None
    assert rows["dcounts_sum"]["mistake"] == {"id": "one_too_many", "message": rows["dcounts_sum"]["message"]}
    assert rows["dcounts_sum"]["relative_error"] == pytest.approx(6.5)
    assert rows["dlogits"]["line"] == MIXED.splitlines().index("    return dnorm_logits[99]") + 1
    assert rows["dW2"]["line"] == MIXED.splitlines().index("def dW2(dlogits, h):") + 1
    assert rows["dC"]["maxdiff"] is None and rows["dC"]["relative_error"] is None  # JSON has no infinity
    assert rows["dbngain"]["shape"] is None and rows["dbngain"]["line"] is None


def test_pictures_and_print_are_for_the_report_only(session_for, lesson):
    graded = session_for("03").grade(submission_of(lesson, "mixed", MIXED))
    assert set(graded.pictures[lesson.name]) == {"dcounts_sum", "dcounts", "dhpreact", "db1", "dC"}
    assert graded.printed[lesson.name].startswith("dlogits: I was here\n")
    assert "I was here" not in json.dumps(graded.results.to_json())


# The same again ------------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_the_same_submission_and_seed_give_the_same_file(session_for, course, lesson, mixed):
    session = session_for("03")
    again = session.grade(submission_of(lesson, "mixed", MIXED)).results.to_json()
    assert without_seconds(again) == without_seconds(mixed)
    other_session = Session([course.find("03")], session.seed)
    elsewhere = other_session.grade(submission_of(lesson, "mixed", MIXED)).results.to_json()
    assert without_seconds(elsewhere) == without_seconds(mixed)
    assert json.dumps(without_seconds(elsewhere)) == json.dumps(without_seconds(mixed))  # in the same order, too


@sampled("seed", [0, 2**40], keep=1)
def test_another_seed_draws_other_problems_and_gives_the_same_verdicts(session_for, lesson, mixed, seed):
    results = session_for("03", seed=seed).grade(submission_of(lesson, "mixed", MIXED)).results.to_json()
    assert results["seed"] == seed and results["score"] == mixed["score"]
    keep = ("name", "status", "points", "exact", "maxdiff", "ulps", "shape", "chain", "because_of", "line")
    for name, row in rows_of(mixed).items():
        other = rows_of(results)[name]
        assert {k: other[k] for k in keep} == {k: row[k] for k in keep}
        assert (other["mistake"] or {}).get("id") == (row["mistake"] or {}).get("id")
    assert rows_of(results)["dcounts"]["relative_error"] != rows_of(mixed)["dcounts"]["relative_error"]


def test_what_pytest_reads_from_the_environment_makes_no_difference(session_for, lesson, mixed, monkeypatch):
    for name, value in {"PYTEST_PLUGINS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "", "PYTEST_ADDOPTS": "-x"}.items():
        monkeypatch.setenv(name, value)
    again = session_for("03").grade(submission_of(lesson, "mixed", MIXED)).results.to_json()
    assert without_seconds(again) == without_seconds(mixed)


@pytest.mark.parametrize("source", ["from torch import sum as dlogits", "def dlogits(): raise ValueError(object())"])
def test_another_process_gives_the_same_file(session_for, course, source):
    first, second = (session_for("04", limits=limits) for limits in (None, SHORT_LIMITS))
    submission = submission_of(course.find("04"), "student", source)
    one, other = (without_seconds(each.grade(submission).results.to_json()) for each in (first, second))
    assert one == other


# The typed model -----------------------------------------------------------------------------------------------------


NEWER = {"newer": {"kept": [1]}}
EVERYTHING = results_of(
    "ada",
    lesson_of(
        "04",
        row_of(
            "dx",
            "failed",
            mistake={"id": "sign", "message": "No."} | NEWER,
            shape=[2, 3],
            numerical_differentiation={"method": "a", "message": "b", "file": None, "line": 1} | NEWER,
            comments=[{"text": "a", "author": "b", "made": "c"} | NEWER],
        ),
    ),
).to_json() | {
    "late": {"is_known": True, "seconds": 1, "days": 1, "free_days": 0, "kept_percent": 90, "cost": 1} | NEWER,
    "intake": [{"kind": "guess", "message": "b"} | NEWER],
    "assignment": {"title": "a", "due": None, "extended_to": None, "counts": "best"} | NEWER,
    "environment": {"torch": "2", **NEWER},
}


def test_fields_of_a_newer_version_are_ignored():
    newer = copy.deepcopy(EVERYTHING) | NEWER
    for entry in (newer["lessons"][0], newer["lessons"][0]["gradients"][0]):
        entry |= NEWER
    read = SubmissionResult.from_text(json.dumps(newer))
    row = read.lessons[0].rows[0]
    assert row.mistake == ("sign", "No.") and row.comments[0].text == "a" and read.late.kept_percent == 90
    assert "newer" not in json.dumps(read.to_json() | {"environment": {}})


def places(value, place=()):
    """Where something is in a JSON value: the keys and indices that lead there."""
    yield place
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value) if type(value) is list else ():
        yield from places(entry, (*place, key))


def test_a_field_of_a_wrong_type_is_named_in_a_sentence():
    for wrong in ["x", 5, None, True, [], [5], ["x"], [{}], {}]:
        refused = set()
        for place in [each for each in places(EVERYTHING) if each]:
            data = copy.deepcopy(EVERYTHING)
            within = functools.reduce(lambda value, key: value[key], place[:-1], data)
            within[place[-1]] = wrong
            try:
                SubmissionResult.from_text(json.dumps(data)).to_text()
            except ValueError as error:
                refused.add(str(error))
        assert len(refused) > 4
        assert all("; expected " in each for each in refused)


def test_fields_that_an_older_version_did_not_have_take_their_defaults():
    row = {"name": "dx", "status": "passed", "points": 1, "max_points": 1}
    lesson = {"name": "04", "score": 1, "max_score": 1, "status": "graded", "message": None, "gradients": [row]}
    read = SubmissionResult.from_json({"student": "ada", "score": 1, "max_score": 1, "lessons": [lesson]})
    assert read.lessons[0].rows[0].counted and read.left_out is None and "left_out" not in read.to_json()


@pytest.mark.parametrize("text", ["[]", "{", "null", '{"student": "ada", "lessons": 3}', '{"lessons": [{}]}'])
def test_what_is_no_results_json_is_refused(text, tmp_path):
    with pytest.raises(ValueError):
        SubmissionResult.from_text(text)
    (tmp_path / "results.json").write_text(text)
    assert read_results(tmp_path) is None


def test_the_schema_knows_every_field_and_no_other():
    parts = SCHEMA["$defs"]
    assert set(SCHEMA["properties"]) == json_fields(SubmissionResult).keys() - {"not_graded", "earlier", "local"}
    assert set(parts["lesson"]["properties"]) == json_fields(LessonResult).keys()
    assert list(parts["gradient"]["properties"]) == list(json_fields(Row))
