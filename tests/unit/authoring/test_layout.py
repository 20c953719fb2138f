"""The graph's layout: every name once, edges that go forward, no box over another, inputs next to the spine."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.figures.layout import NODE_HEIGHT, Layout, Node, drawn_graph, lay_out, parts_of
from grader.lesson.lesson import Lesson

PARTS = {
    "01_chain_rule": 16,
    "02_small_net": 1,
    "03_makemore_steps": 1,
    "04_cross_entropy": 1,
    "05_batch_norm": 3,
    "11_layer_norm": 2,
    "12_attention": 3,
    "13_multi_head_attention": 1,
    "14_transformer_block": 1,
    "15_gpt": 1,
}
"""How many drawings a lesson's graph has."""


LAYER = NODE_HEIGHT + 24
"""CSS pixels from one layer to the next."""


def layouts_of(lesson: Lesson) -> list[Layout]:
    graph = drawn_graph(lesson)
    return [lay_out(part, graph.shapes, graph.kinds) for part in parts_of(graph.reads)]


def by_name(layout: Layout) -> dict[str, Node]:
    return {node.name: node for node in layout.nodes}


def assert_sound(layout: Layout) -> None:
    names = [node.name for node in layout.nodes]
    assert len(names) == len(set(names))
    for edge in layout.edges:
        assert by_name(layout)[edge.start].bottom < by_name(layout)[edge.end].y
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
        start, end = by_name(layout)[edge.start], by_name(layout)[edge.end]
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"V", " L 0 ", edge.path))]
        for x, y in zip(numbers[::2], numbers[1::2], strict=True):
            inside = [n for n in layout.nodes if n.x < x < n.x + n.width and n.y < y < n.bottom]
            assert x < leftmost or not inside or inside in ([start], [end])


def test_layout_of_every_lesson_is_sound(lessons: dict[str, Lesson]) -> None:
    for name in PARTS:
        layouts = layouts_of(lessons[name])
        assert len(layouts) == PARTS[name]
        for layout in layouts:
            assert_sound(layout)
            assert_edges_avoid_boxes(layout)
        assert {node.name for layout in layouts for node in layout.nodes} >= {
            item.target for item in lessons[name].gradients
        }


def test_lecture_graph_has_27_nodes_and_its_own_edges(lesson: Lesson) -> None:
    (layout,) = layouts_of(lesson)
    assert len(layout.nodes) == 27
    graph = lesson.public.graph
    drawn = {(edge.start, edge.end) for edge in layout.edges}
    assert drawn == {(parent, name) for name, parents in graph.parents.items() for parent in parents}


def test_parameters_stand_one_layer_above_their_reader_and_beside_the_spine(lesson: Lesson) -> None:
    placed = by_name(layouts_of(lesson)[0])
    for parameter, reader in {"W1": "hprebn", "b1": "hprebn", "bngain": "hpreact", "W2": "logits"}.items():
        assert placed[parameter].kind == "input"
        assert placed[parameter].y == placed[reader].y - LAYER
        assert placed[parameter].x > placed[reader].x + placed[reader].width
    spine = {placed[name].x for name in ("emb", "hprebn", "bnraw", "h", "logits", "counts", "loss")}
    assert len(spine) == 1


def test_a_box_holds_its_name_and_its_shape() -> None:
    reads: dict[str, tuple[str, ...]] = {"w": (), "y": ("w",)}
    for shape in ("()", "(1000, 1000, 1000)"):
        (wide, _) = lay_out(reads, dict.fromkeys(reads, shape), {"w": "input", "y": "step"}).nodes
        assert wide.width >= 24 + 6.7 * len(shape)


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
