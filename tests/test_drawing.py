"""The graph's layout: every name once, edges that go forward, no box over another; the heat map's PNG."""

from __future__ import annotations

import base64
import re
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.lesson import Lesson
from grader.report.drawing import (
    COLOURS,
    HEIGHT,
    SCALE,
    Layout,
    heat_map,
    lay_out,
    layers_of,
    layout_of,
    level,
    reads_of,
)

LESSONS = ("02_small_net", "03_makemore_steps", "04_cross_entropy", "05_batch_norm")


def assert_sound(layout: Layout) -> None:
    names = [node.name for node in layout.nodes]
    assert len(names) == len(set(names))
    for edge in layout.edges:
        assert layout.by_name[edge.start].layer < layout.by_name[edge.end].layer
        assert layout.by_name[edge.start].bottom < layout.by_name[edge.end].y
    for node in layout.nodes:
        assert node.x >= 0 and node.x + node.width <= layout.width
        assert node.y >= 0 and node.bottom <= layout.height
        for other in layout.nodes:
            if other is not node:
                beside = node.x + node.width <= other.x or other.x + other.width <= node.x
                assert beside or node.bottom <= other.y or other.bottom <= node.y


def assert_edges_avoid_boxes(layout: Layout) -> None:
    """Every corner of every line lies in a gap between layers, in a lane left of all boxes, or on the box it joins."""
    leftmost = min(node.x for node in layout.nodes)
    for edge in layout.edges:
        start, end = layout.by_name[edge.start], layout.by_name[edge.end]
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"V", " L 0 ", edge.path))]
        for x, y in zip(numbers[::2], numbers[1::2], strict=True):
            inside = [n for n in layout.nodes if n.x < x < n.x + n.width and n.y < y < n.bottom]
            assert x < leftmost or not inside or inside in ([start], [end])


@pytest.mark.parametrize("name", LESSONS)
def test_layout_of_every_lesson_is_sound(lessons: dict[str, Lesson], name: str) -> None:
    layout = layout_of(lessons[name])
    assert_sound(layout)
    assert_edges_avoid_boxes(layout)
    assert {node.name for node in layout.nodes} >= {item.target for item in lessons[name].gradients}


def test_lecture_graph_has_27_nodes_and_its_own_edges(lesson: Lesson) -> None:
    layout = layout_of(lesson)
    assert len(layout.nodes) == 27
    graph = lesson.public.graph
    drawn = {(edge.start, edge.end) for edge in layout.edges}
    assert drawn == {(parent, name) for name, parents in graph.parents.items() for parent in parents}


def test_parameters_stand_one_layer_above_their_reader_and_beside_the_spine(lesson: Lesson) -> None:
    placed = layout_of(lesson).by_name
    for parameter, reader in {"W1": "hprebn", "b1": "hprebn", "bngain": "hpreact", "W2": "logits"}.items():
        assert placed[parameter].kind == "input"
        assert placed[parameter].layer == placed[reader].layer - 1
        assert placed[parameter].x > placed[reader].x + placed[reader].width
    spine = {placed[name].x for name in ("emb", "hprebn", "bnraw", "h", "logits", "counts", "loss")}
    assert len(spine) == 1


def test_fused_names_are_drawn_between_what_they_read_and_what_reads_them(lessons: dict[str, Lesson]) -> None:
    reads = reads_of(lessons["02_small_net"])
    assert reads["h_mean"] == reads["h_var"] == ("h",)
    assert set(reads["h_norm"]) == {"h", "h_mean", "h_var"}
    assert reads_of(lessons["04_cross_entropy"])["loss"] == ("logprobs",)


def test_separate_parts_stand_under_each_other() -> None:
    assert layers_of({"a": (), "b": ("a",), "x": (), "y": ("x",)}) == {"a": 0, "b": 1, "x": 2, "y": 3}


def test_an_input_read_twice_stands_above_its_first_reader() -> None:
    reads = {"x": (), "w": (), "a": ("x",), "b": ("a", "w"), "c": ("b", "w")}
    assert layers_of(reads) == {"x": 0, "w": 1, "a": 1, "b": 2, "c": 3}


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    count = draw(st.integers(1, 14))
    return {
        f"n{i}": tuple(f"n{j}" for j in sorted(draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else ()))
        for i in range(count)
    }


@given(graphs())
def test_any_graph_is_laid_out_soundly(reads: dict[str, tuple[str, ...]]) -> None:
    layout = lay_out(reads, dict.fromkeys(reads, "()"), {n: "step" if reads[n] else "input" for n in reads})
    assert_sound(layout)
    assert_edges_avoid_boxes(layout)
    assert len(layout.edges) == sum(map(len, reads.values()))


def test_lanes_beside_each_other_do_not_overlap() -> None:
    reads = {"a": (), "b": ("a",), "c": ("b",), "d": ("c", "b"), "e": ("d", "a")}
    layout = lay_out(reads, dict.fromkeys(reads, "()"), {n: "step" if reads[n] else "input" for n in reads})
    lanes = {edge.path.split("V")[0].split()[-2] for edge in layout.edges if "V" in edge.path}
    assert len(lanes) == 2
    assert all(node.y == 8 + node.layer * (HEIGHT + 24) for node in layout.nodes)


@pytest.mark.parametrize(("error", "expected"), [(0, 0), (1e-6, 1), (1e-4, 1), (5e-3, 3), (0.5, 5), (1, 5), (7, 6)])
def test_level_of_an_error(error: float, expected: int) -> None:
    assert level(error) == expected


def test_scale_has_a_name_for_every_colour() -> None:
    assert len(SCALE) == len(COLOURS) == 7
    assert SCALE[0][1] == "right" and COLOURS[0][3] == 0


def test_heat_map_is_a_png_of_the_cells() -> None:
    map_ = heat_map({"cells": [[0.0, 0.5, 0.0], [0.0, 0.0, 3.0]]})
    assert (map_.width, map_.height, map_.worst, map_.wrong) == (3, 2, (2, 1), 2)
    data = base64.b64decode(map_.png.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind], at = body, at + 12 + size
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (3, 2)
    assert zlib.decompress(chunks[b"IDAT"]) == bytes([0, 0, 5, 0, 0, 0, 0, 6])
