"""Figures of the lessons: up to date, readable everywhere, the same on every machine; and the layout of any graph."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from grader.authoring.figures.graph import GRAPH, drawn_reads, figures_of
from grader.authoring.figures.layout import Layout, Reads, lay_out, parts_of
from grader.commands.grade import main
from grader.dojo.start import lesson_files
from grader.results.wording import format_shape

SVG = "{http://www.w3.org/2000/svg}"
EMBEDDED = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
WIDEST = 430
"""A figure that is wider has letters smaller than 8 pixels on a telephone of 360 pixels."""


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
    assert figures("--check", "--course", ROOT) == (0, "Everything is up to date.\n")


def test_a_figure_that_differs_or_is_missing_is_named_and_not_written(copied):
    path = copied / "exercises/04_cross_entropy" / GRAPH
    right = path.read_bytes()
    for change in (lambda: path.write_text(path.read_text() + " "), path.unlink):
        change()
        status, said = figures("--check", "--course", copied)
        assert status == 1 and str(path) in said and "grade figures" in said
        assert not path.exists() or path.read_bytes() != right
        status, said = figures("04", "--course", copied)
        assert status == 0 and f"wrote {path}" in said and path.read_bytes() == right
        assert figures("--check", "--course", copied)[0] == 0
    forward = copied / "exercises/04_cross_entropy/forward.py"
    forward.write_text(forward.read_text().replace("t.probs", "t.shares"))
    status, said = figures("--check", "--course", copied)
    assert status == 1 and GRAPH in said


def test_a_figures_file_that_does_not_fit_is_one_sentence(copied):
    path = copied / "exercises/04_cross_entropy/figures.py"
    for returned in ("3", "{'a.png': ''}", "{'a.svg': 1}", "1 / 0"):
        path.write_text(f"def figures():\n    return {returned}\n" if returned != "1 / 0" else returned)
        status, said = figures("--course", copied)
        assert status == 2 and str(path) in said and said.count("\n") == 1, returned


def test_a_readme_embeds_each_figure_of_its_lesson_with_alt_text_and_a_kit_has_them(lessons):
    for lesson in lessons.values():
        embedded = {target: alt for alt, target in EMBEDDED.findall((lesson.exercise / "README.md").read_text("utf-8"))}
        assert embedded and all(len(alt) >= 40 for alt in embedded.values()), lesson.name
        files = {name.rpartition("/")[2] for name in lesson_files(lesson, "")}
        assert embedded.keys() == {name for name in files if name.endswith(".svg")} >= figures_of(lesson).keys()
        assert "figures.py" not in files


def test_a_figure_is_for_light_and_dark_for_narrow_screens_and_for_screen_readers():
    drawn = sorted(ROOT.glob("exercises/*/*.svg"))
    assert len(drawn) >= 19
    for path in drawn:
        text = path.read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert root.findtext(f"{SVG}title") and len(root.findtext(f"{SVG}desc") or "") >= 40, path
        assert "@media (prefers-color-scheme: dark)" in text
        assert not re.search(r"(?:href|src|@import)", text) and b"\r" not in path.read_bytes()
        assert float(root.get("width") or 0) <= WIDEST
        assert not re.search(r"\d\.\d\d", " ".join(re.findall(r' (?:d|x|y|width|height)="([^"]*)"', text)))
        used = {name for classes in re.findall(r'class="([^"]*)"', text) for name in classes.split()}
        style = text.partition("<style>")[2].partition("</style>")[0]
        assert {name for name in used if not re.search(rf"\.{re.escape(name)}\b", style)} == set(), path


def assert_sound(reads: Reads, layout: Layout) -> None:
    nodes = layout.nodes
    assert nodes.keys() == reads.keys()
    assert layout.lines.keys() == {(parent, name) for name, parents in reads.items() for parent in parents}
    for node in nodes.values():
        assert node.x >= 0 and node.x + node.width <= layout.width and node.bottom <= layout.height
        for other in nodes.values():
            if other is not node:
                beside = node.x + node.width <= other.x or other.x + other.width <= node.x
                assert beside or node.bottom <= other.y or other.bottom <= node.y
    leftmost = min(node.x for node in nodes.values())
    for (parent, name), path in layout.lines.items():
        start, end = nodes[parent], nodes[name]
        assert start.bottom < end.y
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.replace("V", " V 9999 "))]
        points = [(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True) if x != 9999]
        for x, y in points:
            inside = [n for n in nodes.values() if n.x < x < n.x + n.width and n.y < y < n.bottom]
            assert not inside or inside in ([start], [end])
        column = [n for n in nodes.values() if n.x == leftmost and start.bottom <= n.y < end.y]
        assert not column or min(x for x, _ in points) < leftmost  # it passes a step, so it runs down a lane


def test_every_lesson_is_laid_out_soundly_in_a_column_with_what_is_given_at_the_right(lessons):
    count = {}
    for name, lesson in lessons.items():
        if not lesson.gradients:
            continue
        reads = drawn_reads(lesson)
        parts = parts_of(reads)
        count[name] = len(parts)
        for part in parts:
            assert_sound(part, lay_out(part, dict.fromkeys(part, "(1000, 1000)")))
        assert reads.keys() >= {item.target for item in lesson.gradients}
    assert (count["01_chain_rule"], count["03_makemore_steps"], count["05_batch_norm"]) == (16, 1, 3)
    reads = drawn_reads(lessons["03_makemore_steps"])
    shapes = {name: format_shape(lessons["03_makemore_steps"].public.values[name].shape) for name in reads}
    nodes = lay_out(reads, shapes).nodes
    assert len(nodes) == 27 and {nodes[name].x for name in reads if reads[name]} == {nodes["C"].x}
    for parameter, reader in {"W1": "hprebn", "b1": "hprebn", "bngain": "hpreact", "W2": "logits"}.items():
        assert nodes[parameter].bottom < nodes[reader].y == nodes[parameter].y + 64
    assert all(node.width >= 24 + 6.7 * len(shapes[name]) for name, node in nodes.items())


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    count = draw(st.integers(1, 14))
    return {
        f"n{i}": tuple(f"n{j}" for j in sorted(draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else ()))
        for i in range(count)
    }


@given(graphs())
def test_any_graph_is_laid_out_soundly(reads: dict[str, tuple[str, ...]]) -> None:
    for part in parts_of(reads):
        assert_sound(part, lay_out(part, dict.fromkeys(reads, "(1000, 1000)")))
