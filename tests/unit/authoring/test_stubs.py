"""Stubs, generated from the solutions: they never leak them, and every row is to do; bare ones are graded alike."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kits import functions_of
from support import ROOT, rows_of, sampled, solution_of, without_seconds

from grader.authoring.release.kit import kit_of, notebook_of
from grader.authoring.verify import submission_of
from grader.commands import grade as cli
from grader.intake.notebook.outline import outline_limited
from grader.intake.submissions.fitting import fitting_lessons
from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.stub import (
    ANSWER_BEGIN,
    ANSWER_END,
    BARE_STUB_NOTE,
    READ_IN,
    bare_stub,
    is_bare,
    published_stub,
    stub_of,
)

LESSONS = list(Course(ROOT).lessons)


def test_a_stub_is_what_the_solution_gives_and_has_no_answer_in_it(lessons):
    for each in lessons.values():
        stub, solution = stub_of(each), solution_of(each)
        assert (each.exercise / "backward.py").read_text(encoding="utf-8") == stub, "run `grade stubs`"
        assert "answer>" not in stub and "solutions" not in stub
        forward = each.exercise / "forward.py"
        public = forward.read_text(encoding="utf-8").replace("t.", "") if forward.is_file() else ""
        for part in solution.split(ANSWER_BEGIN)[1:]:
            answer = [line.strip() for line in part.partition(ANSWER_END)[0].splitlines() if line.strip()]
            assert answer
            for line in answer:
                says_nothing = line[-1] in "([{" or not re.search(r"\w", line)  # the start of a call, or brackets
                assert says_nothing or line in public or line not in stub, line
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


def parts(source: str) -> dict[str, Any]:
    return {n.name: n for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}


def test_gradients_lose_their_parameters_and_everything_else_stays(lessons):
    """A lesson with one function for all gradients, or with none, stays as it is."""
    for each in lessons.values():
        named = each.pristine.read_text()
        bare = bare_stub(each, named)
        if each.joint is not None or not each.gradients:
            assert bare == named, each.name
            continue
        assert bare.count(BARE_STUB_NOTE) == 1 and READ_IN not in bare
        assert bare.count("# TODO") == named.count("# TODO") and bare_stub(each, bare) == bare
        was, now = parts(named), parts(bare)
        assert [*was] == [*now]
        for name, node in now.items():
            if name in {item.function for item in each.gradients}:
                first = (ast.get_docstring(was[name]) or "").partition("\n")[0]
                assert ast.get_docstring(node) == first and first.startswith("The gradient with respect to `")
                assert (ast.unparse(node.args), ast.unparse(node.body[-1])) == ("", "raise NotImplementedError")
            else:
                assert ast.unparse(node) == ast.unparse(was[name])


def filled(stub: str, answers: dict[str, str]) -> str:
    own = functions_of(stub)
    for name, text in answers.items():
        stub = stub.replace(own[name], text)
    return stub


@pytest.mark.full
def test_both_kinds_of_stub_get_the_same_verdicts_even_mixed_in_one_file(lesson, session_for):
    """Right answers, a wrong one, one that forgets a parameter: chain, messages and figures are the same."""
    key = functions_of(solution_of(lesson))
    right = ["dlogprobs", "dcounts_sum_inv", "dcounts", "dW2", "db2"]
    answers = {name: key[name] for name in right}
    answers["dprobs"] = "def dprobs(dlogprobs, probs):\n    return -dlogprobs / probs"
    answers["dcounts_sum"] = "def dcounts_sum():\n    return -dcounts_sum_inv / 2"
    rows, named = {}, lesson.pristine.read_text()
    for kind, stub in (("named", named), ("bare", bare_stub(lesson, named))):
        graded = session_for("03").grade(submission_of(lesson, kind, filled(stub, answers)))
        rows[kind] = rows_of(without_seconds(graded.results.to_json()))
        assert all(row.pop("line") for row in rows[kind].values())
    assert rows["bare"] == rows["named"]
    assert [name for name, row in rows["bare"].items() if row["status"] == "passed"] == right
    assert rows["bare"]["dprobs"]["mistake"]["id"] == "sign"
    assert rows["bare"]["dcounts_sum"]["mistake"]["id"] == "function_for_value"
    assert "to the parameters" in rows["bare"]["dcounts_sum"]["message"]


def copied(place: Path, names: list[str]) -> Course:
    for part in ("exercises", "solutions"):
        for name in names:
            shutil.copytree(ROOT / part / name, place / part / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Course(place)


def test_a_bare_file_is_recognised_by_its_functions_in_a_course_of_either_kind(tmp_path, lessons):
    """Nothing on its path says which lesson it is for."""
    steps = [name for name, each in lessons.items() if each.gradients and each.joint is None]
    course = copied(tmp_path, steps)
    for lesson in course.lessons.values():
        lesson.pristine.write_text(bare_stub(lesson, lesson.pristine.read_text()))
    for all_lessons in (lessons, course.lessons):
        for name in steps:
            lesson = lessons[name]
            key, bare = functions_of(solution_of(lesson)), bare_stub(lesson, lesson.pristine.read_text())
            some = [item.function for item in lesson.gradients][:3]
            outline = outline_limited(filled(bare, {each: key[each] for each in some}).encode(), False)
            assert fitting_lessons(outline, all_lessons.values()).lessons == (name,)


def test_grade_stubs_keeps_the_kind_of_each_stub_and_so_does_a_kit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    four, eleven = copied(tmp_path, ["04_cross_entropy", "11_layer_norm"]).lessons.values()
    full = four.pristine.read_text()

    def stubs(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli.main, ["stubs", *words, "--course", "."])
        return done.exit_code, done.stdout

    assert stubs("--bare", "04")[0] == 0
    assert is_bare(four) and not is_bare(eleven)
    bare = bare_stub(four, full)
    assert (four.exercise / "backward.py").read_text() == four.pristine.read_text() == bare != full
    assert stubs() == (0, "Everything is up to date.\n")
    assert kit_of([four])[f"exercises/{four.name}/backward.py"] == bare.encode()
    assert "def dlogits():" in notebook_of(four, published_stub(four)).decode()
    four.pristine.unlink()
    assert stubs("04")[0] == 0
    assert four.pristine.read_text() == full
