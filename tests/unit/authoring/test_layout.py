"""The graph's layout: every name once, every read a line, no box over another, and no line through a box."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from grader.authoring.figures.layout import Layout, Reads, drawn_reads, lay_out, parts_of


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
        reads, shapes, _ = drawn_reads(lesson)
        parts = parts_of(reads)
        count[name] = len(parts)
        for part in parts:
            assert_sound(part, lay_out(part, shapes))
        assert reads.keys() >= {item.target for item in lesson.gradients}
    assert (count["01_chain_rule"], count["03_makemore_steps"], count["05_batch_norm"]) == (16, 1, 3)
    reads, shapes, _ = drawn_reads(lessons["03_makemore_steps"])
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
