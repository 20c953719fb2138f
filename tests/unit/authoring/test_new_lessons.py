"""Lessons that somebody begins: `grade new-lesson`, forward passes in other styles, and what cannot be graded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT

from grader.authoring.lesson_review import draw_faults, faults_of, unwritten_places
from grader.authoring.lesson_sources import write_lesson
from grader.authoring.verify import verify_lesson
from grader.commands.grade import main
from grader.lesson.lesson import Course, Lesson
from grader.lesson.stub import stub_of


def invoke(course, *arguments: str):
    return CliRunner().invoke(main, ["new-lesson", *arguments, "--course", str(course)])


@pytest.mark.full
def test_a_new_lesson_passes_verify_but_for_its_readme(tmp_path, warm_zygotes):
    for number, kind in (("11", []), ("12", ["--functions"])):
        result = invoke(tmp_path, f"{number}_layer_norm", *kind)
        assert result.exit_code == 0, result.output
        lesson = Course(tmp_path).find(number)
        assert lesson.title == "Layer norm"
        report = verify_lesson(lesson, seed=1)
        assert report.problems == list(unwritten_places(lesson)) and len(report.problems) == 1
        assert "1 variant, 2 known mistakes" in report.summary


def test_a_name_that_does_not_do_is_one_sentence(tmp_path):
    assert invoke(tmp_path, "11_layer_norm").exit_code == 0
    assert Course(tmp_path).find("11").title == "Layer norm"
    before = sorted(tmp_path.rglob("*"))
    for name, sentence in (
        ("layer_norm", "'layer_norm' is no lesson's name: expected two digits and words, such as 11_layer_norm."),
        ("../11_x", "is no lesson's name"),
        ("11_layer_norm", "11_layer_norm has the number 11. Choose another number and name."),
        ("11_other", "11_layer_norm has the number 11. Choose another number and name."),
    ):
        result = invoke(tmp_path, name)
        assert result.exit_code == 2
        assert sentence in result.stderr and len(result.stderr.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert "does not exist" in invoke(tmp_path / "nowhere", "11_layer_norm").stderr


def test_the_documents_name_new_lessons_that_this_course_does_not_have():
    """A command of a document can be typed as it is: `grade new-lesson` refuses a number that is in use."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "grader" / "commands").glob("*.py")]
    named = [name for page in pages for name in re.findall(r"grade new-lesson (\d\d_\w+)", page.read_text("utf-8"))]
    taken = {path.name[:2] for path in (ROOT / "exercises").glob("*_*")}
    assert len(named) >= 4 and [name for name in named if name[:2] in taken] == []


INPUTS = """import torch

def inputs(generator, batch=8, features=3):
    found = {f"W{i}": torch.randn(features, features, generator=generator) for i in (1, 2)}
    return {"x": torch.randn(batch, features, generator=generator), "n": batch, **found}

"""
LOOP = f"""{INPUTS}def forward(t):
    h = t.x
    for i in (1, 2):
        z = h @ getattr(t, f"W{{i}}")
        setattr(t, f"h{{i}}", torch.tanh(z))
        h = getattr(t, f"h{{i}}")
    t.loss = (h**2).sum() / t.n
"""
LOOP_LINES = ["h = t.x", 'z = h @ getattr(t, f"W{i}")', 'h = getattr(t, f"h{i}")']
NAMED = 'setattr(t, f"h{i}", torch.tanh(z))  # '


def lesson_with(place: Path, forward: str, gradients: tuple[str, ...]) -> Lesson:
    """A lesson with this forward pass, and functions for these gradients."""
    if not (place / "exercises").exists():
        write_lesson(place, "11_other", "Other", "steps")
    lesson = Course(place).find("11")
    (lesson.exercise / "forward.py").write_text(forward)
    rows = "\n".join(f"[gradients.{name}]\nhints = ['a', 'b', 'c']\n" for name in gradients)
    (lesson.exercise / "lesson.toml").write_text(f'title = "Other"\n\n{rows}')
    functions = "\n\n".join(f"def {name}(x):\n    # <answer>\n    return x\n    # </answer>\n" for name in gradients)
    (lesson.solution / "backward.py").write_text(functions)
    (lesson.solution / "mistakes.py").write_text("")
    (lesson.exercise / "README.md").write_text("# Lesson 11\n")
    return Course(place).find("11")


def test_a_stub_shows_the_lines_of_a_loop_and_what_each_name_reads(tmp_path):
    lesson = lesson_with(tmp_path, LOOP, ("dh2", "dW2", "dh1", "dW1", "dx"))
    functions = {part.partition("(")[0]: part for part in stub_of(lesson).split("def ")[1:]}
    assert f"{NAMED}h2 reads W2, h1" in functions["dW2"] and f"{NAMED}h2 reads W2, h1" in functions["dh1"]
    assert f"{NAMED}h1 reads x, W1" in functions["dW1"] and f"{NAMED}h1 reads x, W1" in functions["dx"]
    assert "h2 reads" not in functions["dW1"]
    assert all(line in functions["dW1"] for line in LOOP_LINES)
    assert "t.loss = (h**2).sum() / t.n  # loss reads n, h2" in functions["dh2"]

    own = "def forward(t):\n    h = t.x @ t.W1\n    t.a = h.exp()\n    t.b = h * 2\n    t.loss = (t.a * t.b).sum()\n"
    stub = stub_of(lesson_with(tmp_path, INPUTS + own, ("da", "db", "dW1")))
    part = stub.partition("def dW1")[2]
    assert "t.a = h.exp()  # a reads x, W1" in part and "t.b = h * 2  # b reads x, W1" in part
    assert part.count("h = t.x @ t.W1") == 2
    assert "\n        loss = (a * b).sum()\n" in stub.partition("def da")[2]


def test_a_random_value_is_one_sentence(tmp_path):
    drawn = 'import torch\n\ndef inputs(generator):\n    return {"x": torch.randn(3)}\n\n'
    for inputs, line, name in (
        (INPUTS, "torch.nn.functional.dropout(t.x)", "h"),
        (INPUTS, "t.x[torch.randperm(len(t.x))]", "h"),
        (drawn, "t.x * 2", "x"),
    ):
        lesson = lesson_with(tmp_path, f"{inputs}def forward(t):\n    t.h = {line}\n    t.loss = t.h.sum()\n", ("dh",))
        (sentence,) = [sentence for sentence in faults_of(lesson) if "random" in sentence]
        assert sentence.startswith(f"{lesson.exercise / 'forward.py'}: `{name}` is another value in every run: ")


def test_what_cannot_be_recorded_is_one_sentence_of_verify(tmp_path):
    for line, sentence in (
        ("t.h = t.x * 2\n    t.h += 1", ":9: `t.h += 1` changes `t.h`"),
        ("t.h = torch.fft.fft(t.x)", ":8: `t.h` is complex (complex64)"),
    ):
        lesson_with(
            tmp_path,
            f"{INPUTS}\ndef forward(t):\n    {line}\n    t.loss = t.h.sum()\n".replace("\n\n\n", "\n\n"),
            ("dh", "dx"),
        )
        for command in ("verify", "stubs"):
            done = CliRunner().invoke(main, [command, "--course", str(tmp_path)])
            assert done.exit_code == 2 and sentence in done.stderr and done.stderr.count("\n") == 1, done.output


def test_a_readme_with_todos_is_not_released(tmp_path):
    write_lesson(tmp_path, "11_other", "Other", "steps")
    lesson = Course(tmp_path).find("11")
    (sentence,) = unwritten_places(lesson)
    assert sentence.startswith("exercises/11_other/README.md still says TODO in lines 5, 9,")
    done = CliRunner().invoke(main, ["release", str(tmp_path / "kit"), "--course", str(tmp_path)])
    assert done.exit_code == 2 and sentence in done.stderr and not (tmp_path / "kit").exists()
    path = lesson.exercise / "README.md"
    path.write_text(path.read_text().replace("TODO", "Words"))
    assert list(unwritten_places(lesson)) == []


def test_hidden_problems_of_one_size_are_a_fault(tmp_path):
    lesson = lesson_with(tmp_path, LOOP, ("dx",))
    for draws, is_fault in (
        ("Draw({'batch': 6}), Draw({'batch': 6})", True),
        ("Draw(), Draw()", True),
        ("Draw({'batch': 6}), Draw({'batch': 5})", False),
        ("Draw({'batch': 6})", False),
    ):
        text = f"from grader.reference.problem import Draw\n\nDRAWS = ({draws},)\n"
        lesson.suite.write_text(text + "\n\ndef test_dx(gradient):\n    gradient.check(DRAWS)\n")
        said = f"{lesson.suite.name}: all 2 draws have the same sizes ("
        assert any(each.startswith(said) for each in draw_faults(Course(tmp_path).find("11"))) == is_fault


def test_a_constant_that_is_the_same_in_all_draws_is_a_fault(tmp_path):
    """An epsilon may be one: everybody writes it as a number."""
    inputs = INPUTS.replace("batch=", "beta=0.3, batch=").replace("return {", 'return {"beta": beta, "eps": 1e-5, ')
    loss = "t.loss = t.beta * (t.x / (t.x.abs() + t.eps)).sum()"
    lesson = lesson_with(tmp_path, f"{inputs}def forward(t):\n    {loss}\n", ("dx",))
    for beta, is_fault in ((0.3, True), (0.4, False)):
        draws = f"Draw({{'batch': 6}}), Draw({{'batch': 5, 'beta': {beta}}})"
        text = f"from grader.reference.problem import Draw\n\nDRAWS = ({draws})\n"
        lesson.suite.write_text(text + "\n\ndef test_dx(gradient):\n    gradient.check(DRAWS)\n")
        said = [each for each in draw_faults(Course(tmp_path).find("11")) if "`beta` is 0.3 in all 2 draws" in each]
        assert len(said) == is_fault and "eps" not in "".join(said)
