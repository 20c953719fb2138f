"""Figures of the lessons: up to date, embedded with alt text, well-formed, and the same text on every machine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from support import ROOT

from grader.authoring.figures.graph import GRAPH, figures_of
from grader.authoring.figures.svg import Drawing, tenths
from grader.authoring.release.kit import kit_of
from grader.commands.grade import main
from grader.errors import LessonError
from grader.lesson.lesson import Course, Lesson

SVG = "{http://www.w3.org/2000/svg}"
EMBEDDED = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
WIDEST = 430
"""A figure that is wider has letters smaller than 8 pixels on a telephone of 360 pixels."""
LESSONS = list(Course(ROOT).lessons)
DRAWN = sorted(ROOT.glob("exercises/*/*.svg"))


@pytest.fixture
def copied(tmp_path) -> Path:
    """A course of one lesson, with the figures that the repository has."""
    shutil.copytree(ROOT / "exercises/04_cross_entropy", tmp_path / "exercises/04_cross_entropy")
    (tmp_path / "solutions").mkdir()
    return tmp_path


def figures(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["figures", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.mark.full
def test_every_figure_of_the_repository_is_up_to_date():
    assert figures("--check", "--course", ROOT) == (0, "Every figure is up to date.\n")


@pytest.mark.parametrize("change", [lambda path: path.write_text(path.read_text() + " "), Path.unlink])
def test_a_figure_that_differs_or_is_missing_is_named_and_not_written(copied, change):
    path = copied / "exercises/04_cross_entropy" / GRAPH
    right = path.read_bytes()
    change(path)
    status, said = figures("--check", "--course", copied)
    assert status == 1 and str(path) in said and "grade figures" in said
    assert not path.exists() or path.read_bytes() != right
    status, said = figures("04", "--course", copied)
    assert status == 0 and f"wrote {path}" in said and path.read_bytes() == right
    assert figures("--check", "--course", copied)[0] == 0


def test_a_changed_forward_pass_makes_the_check_fail(copied):
    forward = copied / "exercises/04_cross_entropy/forward.py"
    forward.write_text(forward.read_text().replace("t.probs", "t.shares"))
    status, said = figures("--check", "--course", copied)
    assert status == 1 and GRAPH in said


@pytest.mark.parametrize(
    "text",
    [
        "def figures(): return 3",
        "def figures(): return {'a.png': ''}",
        "def figures(): return {'graph.svg': ''}",
        "1 / 0",
    ],
)
def test_a_figures_file_that_does_not_fit_is_one_sentence(copied, text):
    path = copied / "exercises/04_cross_entropy/figures.py"
    path.write_text(text)
    status, said = figures("--course", copied)
    assert status == 2 and str(path) in said and "Traceback" not in said
    with pytest.raises(LessonError):
        figures_of(Lesson(copied, "04_cross_entropy"))


@pytest.mark.parametrize("name", LESSONS)
def test_a_readme_embeds_each_figure_of_its_lesson_with_alt_text(name, lessons):
    lesson = lessons[name]
    embedded = {target: alt for alt, target in EMBEDDED.findall((lesson.exercise / "README.md").read_text("utf-8"))}
    for target, alt in embedded.items():
        assert (lesson.exercise / target).is_file(), target
        assert len(alt) >= 40, f"{target}: the alt text says too little"
    on_disk = {path.name for path in lesson.exercise.glob("*.svg")}
    assert embedded.keys() == on_disk >= figures_of(lesson).keys()
    assert embedded, "a lesson has at least one figure"


@pytest.mark.parametrize("name", LESSONS)
def test_a_graph_has_every_value_with_its_shape_and_every_operation(name, lessons):
    lesson = lessons[name]
    if not (lesson.exercise / "forward.py").is_file():
        pytest.skip("no forward pass")
    texts = [each.text for each in ElementTree.parse(lesson.exercise / GRAPH).iter(f"{SVG}text")]
    graph = lesson.public.graph
    for value in graph.names:
        repeated = re.escape(re.sub(r"\[\d+\]$", "", value)) + r"\[[01]…\d+\]"  # a line in a loop is drawn once
        assert value in texts or ("[" in value and any(re.fullmatch(repeated, text) for text in texts)), value
        assert str(tuple(graph.values[value].shape)) in texts


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_figure_is_for_light_and_dark_for_narrow_screens_and_for_screen_readers(path):
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.findtext(f"{SVG}title") and len(root.findtext(f"{SVG}desc") or "") >= 40
    assert "@media (prefers-color-scheme: dark)" in text
    assert not re.search(r"(?:href|src|@import)", text) and b"\r" not in path.read_bytes()
    assert float(root.get("width") or 0) <= WIDEST
    assert not re.search(r"\d\.\d\d", " ".join(re.findall(r' (?:d|x|y|width|height)="([^"]*)"', text)))


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_class_of_a_figure_is_defined(path):
    text = path.read_text(encoding="utf-8")
    used = {name for classes in re.findall(r'class="([^"]*)"', text) for name in classes.split()}
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert {name for name in used if not re.search(rf"\.{re.escape(name)}\b", style)} == set()


def test_a_kit_has_the_figures(course, lessons):
    lesson = lessons["04_cross_entropy"]
    kit = kit_of([lesson], notebooks=False)
    for name, text in figures_of(lesson).items():
        assert kit[f"exercises/{lesson.name}/{name}"] == text.encode()
    assert f"exercises/{lesson.name}/figures.py" not in kit


def test_a_drawing_escapes_text_and_rounds():
    drawing = Drawing(10, 10, "a < b", "x & y")
    drawing.text(1 / 3, -0.04, "<script>", "ink")
    text = drawing.svg()
    assert "<script>" not in text and 'x="0.3" y="0"' in text
    assert ElementTree.fromstring(text).findtext(f"{SVG}title") == "a < b"
    assert [tenths(value) for value in (1.25, 2.0, -0.01, 100)] == ["1.2", "2", "0", "100"]
