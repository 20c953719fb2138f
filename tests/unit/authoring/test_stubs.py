"""Stubs: generated from the solutions, never leaking them, and every one of their rows to do."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest
from support import ROOT, rows_of, sampled, solution_of

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END, forward_lines, stub_of
from grader.authoring.verify import submission_of
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Course, Lesson, LessonError

LESSONS = list(Course(ROOT).lessons)


@pytest.fixture(params=LESSONS)
def each(request, lessons) -> Lesson:
    found: Lesson = lessons[request.param]
    return found


def test_what_is_on_disk_is_what_the_solution_gives(each):
    assert (each.exercise / "backward.py").read_text(encoding="utf-8") == stub_of(each), "run `grade stubs`"


def test_no_marker_and_no_answer_is_in_it(each):
    stub, solution = stub_of(each), solution_of(each)
    assert "answer" not in stub.lower()
    for number, part in enumerate(solution.split(ANSWER_BEGIN)[1:]):
        answer = [line.strip() for line in part.partition(ANSWER_END)[0].splitlines() if line.strip()]
        assert answer, number
        for line in answer:
            says_nothing = line[-1] in "([{" or not re.search(r"\w", line)  # the start of a call, or brackets
            assert says_nothing or line not in stub, line
    assert "solutions" not in stub


def test_a_function_says_its_shape_and_its_line_of_the_forward_pass(each):
    written = {n.name: n for n in ast.parse(stub_of(each)).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assert sorted(set(each.functions) - written.keys()) == []
    functions = {name: node for name, node in written.items() if isinstance(node, ast.FunctionDef)}
    for node in written.values():
        assert ast.get_docstring(node), node.name
    for item in each.gradients if each.joint is None else ():
        text = ast.get_docstring(functions[item.name]) or ""
        shape = tuple(each.public.values[item.target].shape)
        assert text.startswith(f"The gradient with respect to `{item.target}`, of shape {shape}.")
        lines = forward_lines(each, item.target)
        assert lines and all(line in text for line in lines)
        assert not any("t." in line.replace("torch.", "").split("=")[0] for line in lines)
        source = ast.unparse(functions[item.name])
        assert source.endswith("raise NotImplementedError")
    assert stub_of(each).count("# TODO") >= len(each.functions)


@sampled("name", LESSONS, keep=1)
def test_every_row_of_a_stub_is_to_do(name, lessons, session_for):
    each = lessons[name]
    results = session_for(each.number).grade(submission_of(each, "stub", stub_of(each))).results.to_json()
    assert results["score"] == 0 and results["lessons"][0]["message"] is None
    rows = rows_of(results)
    assert {row["status"] for row in rows.values()} == {"todo"}
    assert {row["chain"] for row in rows.values()} == {"skipped"}
    assert all(row["line"] for row in rows.values() if row["name"] in {item.name for item in each.gradients})


def test_what_is_shared_between_functions_may_stay(each):
    """Imports and everything outside the markers are the student's to keep."""
    stub, solution = stub_of(each), solution_of(each)
    assert stub.partition("def ")[0] == solution.partition("def ")[0]


def test_the_forward_pass_line_by_line(lesson):
    statements = forward_statements(lesson)
    assert [*statements][:: len(statements) - 1] == ["emb", "loss"]
    assert statements["loss"] == "loss = -logprobs[range(n), Yb].mean()"
    assert forward_lines(lesson, "counts") == [
        "counts_sum = counts.sum(1, keepdim=True)",
        "probs = counts * counts_sum_inv",
    ]


# A course that is not in order ---------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path, lessons) -> Lesson:
    """A copy of lesson 04 whose solution may be rewritten."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    return Course(tmp_path).find("04")


def rewrite(lesson: Lesson, old: str, new: str) -> Path:
    path = lesson.solution / "backward.py"
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(("old", "new"), [(ANSWER_END, ""), (ANSWER_BEGIN, "# <anwser>")])
def test_markers_that_do_not_pair(own, old, new):
    path = rewrite(own, old, new)
    with pytest.raises(LessonError) as caught:
        stub_of(own)
    assert (
        str(caught.value) == f"{path}: every answer is between `{ANSWER_BEGIN}` and `{ANSWER_END}`; they do not pair."
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"    {ANSWER_BEGIN}\n", f"    {ANSWER_BEGIN} here\n"),
        (f"    {ANSWER_END}\n", f"    return 1  {ANSWER_END}\n"),
    ],
)
def test_a_marker_that_would_leak(own, old, new):
    path = rewrite(own, old, new)
    with pytest.raises(LessonError) as caught:
        stub_of(own)
    assert str(caught.value).startswith(f"{path}: a marker would leak into the stub: ")
    assert str(caught.value).endswith("Put each marker on a line of its own.")


def test_a_function_that_is_missing(own):
    path = rewrite(own, "def dlogits(", "def dlogit(")
    with pytest.raises(LessonError) as caught:
        stub_of(own)
    assert str(caught.value) == f"{path} has no function dlogits, which lesson.toml asks for."


def test_a_docstring_of_one_s_own_is_kept(own):
    rewrite(own, f"    {ANSWER_BEGIN}\n", f'    """My own words."""\n    {ANSWER_BEGIN}\n')
    stub = stub_of(own)
    assert '"""My own words."""' in stub and "The gradient with respect to" not in stub


def test_parameters_on_several_lines(own):
    rewrite(own, "def dlogits(logits, Yb, n):", "def dlogits(\n    logits,\n    Yb,\n    n,\n):")
    functions = [node for node in ast.parse(stub_of(own)).body if isinstance(node, ast.FunctionDef)]
    assert (ast.get_docstring(functions[0]) or "").startswith("The gradient with respect to `logits`")


def test_two_answers_in_one_function(own):
    rewrite(
        own,
        "    return gradient / n\n",
        f"    {ANSWER_END}\n    gradient = logits\n    {ANSWER_BEGIN}\n    return gradient / n\n",
    )
    stub = stub_of(own)
    assert stub.count("raise NotImplementedError") == 2
    assert "    gradient = logits\n" in stub and "return gradient" not in stub
