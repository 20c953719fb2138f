"""Stubs: generated from the solutions, never leaking them, and every one of their rows to do."""

from __future__ import annotations

import ast
import re
import shutil

import pytest
from support import ROOT, rows_of, sampled, solution_of

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END, forward_lines, stub_of
from grader.authoring.verify import submission_of
from grader.lesson.lesson import Course, Lesson, LessonError

LESSONS = list(Course(ROOT).lessons)


def test_a_stub_is_what_the_solution_gives_and_has_no_answer_in_it(lessons):
    for each in lessons.values():
        stub, solution = stub_of(each), solution_of(each)
        assert (each.exercise / "backward.py").read_text(encoding="utf-8") == stub, "run `grade stubs`"
        assert "answer" not in stub.lower() and "solutions" not in stub
        for part in solution.split(ANSWER_BEGIN)[1:]:
            answer = [line.strip() for line in part.partition(ANSWER_END)[0].splitlines() if line.strip()]
            assert answer
            for line in answer:
                says_nothing = line[-1] in "([{" or not re.search(r"\w", line)  # the start of a call, or brackets
                assert says_nothing or line not in stub, line
        assert stub.partition("def ")[0] == solution.partition("def ")[0]  # what is outside the markers stays


def test_a_function_says_its_shape_and_its_line_of_the_forward_pass(lessons):
    for each in lessons.values():
        written = {n.name: n for n in ast.parse(stub_of(each)).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        assert sorted(set(each.functions) - written.keys()) == []
        assert all(map(ast.get_docstring, written.values()))
        assert stub_of(each).count("# TODO") >= len(each.functions)
        for item in each.gradients if each.joint is None else ():
            text = ast.get_docstring(written[item.name]) or ""
            shape = tuple(each.public.values[item.target].shape)
            assert text.startswith(f"The gradient with respect to `{item.target}`, of shape {shape}.")
            lines = forward_lines(each, item.target)
            assert lines and all(line in text for line in lines)
            assert not any("t." in line.replace("torch.", "").split("=")[0] for line in lines)
            assert ast.unparse(written[item.name]).endswith("raise NotImplementedError")


@sampled("name", LESSONS, keep=1)
def test_every_row_of_a_stub_is_to_do(name, lessons, session_for):
    each = lessons[name]
    results = session_for(each.number).grade(submission_of(each, "stub", stub_of(each))).results.to_json()
    assert results["score"] == 0 and results["lessons"][0]["message"] is None
    rows = rows_of(results)
    assert {(row["status"], row["chain"]) for row in rows.values()} == {("todo", "skipped")}
    assert all(row["line"] for row in rows.values() if row["name"] in {item.name for item in each.gradients})


# A solution in another form -------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path) -> Lesson:
    """A copy of lesson 04 whose solution may be rewritten."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    return Course(tmp_path).find("04")


def stub_after(lesson: Lesson, old: str, new: str) -> str:
    """The stub of the solution with `new` in place of `old`, which comes back afterwards."""
    path = lesson.solution / "backward.py"
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new, 1), encoding="utf-8")
    try:
        return stub_of(lesson)
    finally:
        path.write_text(source, encoding="utf-8")


def test_a_solution_that_gives_no_stub_is_one_sentence(own):
    unpaired = f": every answer is between `{ANSWER_BEGIN}` and `{ANSWER_END}`; they do not pair."
    would_leak = ": a marker would leak into the stub: "
    for old, new, sentence in (
        (ANSWER_END, "", unpaired),
        (ANSWER_BEGIN, "# <anwser>", unpaired),
        (f"    {ANSWER_BEGIN}\n", f"    {ANSWER_BEGIN} here\n", would_leak),
        (f"    {ANSWER_END}\n", f"    return 1  {ANSWER_END}\n", would_leak),
        ("def dlogits(", "def dlogit(", " has no function dlogits, which lesson.toml asks for."),
    ):
        with pytest.raises(LessonError) as caught:
            stub_after(own, old, new)
        assert str(caught.value).startswith(f"{own.solution / 'backward.py'}{sentence}")


def test_docstrings_and_parameters_of_one_s_own_are_kept(own):
    stub = stub_after(own, f"    {ANSWER_BEGIN}\n", f'    """My own words."""\n    {ANSWER_BEGIN}\n')
    assert '"""My own words."""' in stub and "The gradient with respect to" not in stub
    stub = stub_after(own, "def dlogits(logits, Yb, n):", "def dlogits(\n    logits,\n    Yb,\n    n,\n):")
    functions = [node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)]
    assert (ast.get_docstring(functions[0]) or "").startswith("The gradient with respect to `logits`")
    two = f"    {ANSWER_END}\n    gradient = logits\n    {ANSWER_BEGIN}\n    return gradient / n\n"
    stub = stub_after(own, "    return gradient / n\n", two)
    assert stub.count("raise NotImplementedError") == 2
    assert "    gradient = logits\n" in stub and "return gradient" not in stub
