"""Heat map and forces as PNG, and the boxes of a lesson's figure."""

from __future__ import annotations

import base64
import struct
import zlib

from grader.lesson.lesson import Lesson
from grader.publish.lesson_graph import lesson_figure
from grader.publish.pictures import error_map, forces


def test_every_gradient_has_a_box_in_the_lesson_s_figure(lessons: dict[str, Lesson]) -> None:
    for lesson in lessons.values():
        graph, targets = lesson_figure(lesson), {item.target for item in lesson.gradients}
        assert (graph is None) == (not targets)
        if graph is not None:
            assert {name for name in targets if name} <= graph.boxes.keys(), lesson.name
            for box in graph.boxes.values():
                assert 0 < box.x < box.x + box.width < graph.width and 0 < box.y < box.y + box.height < graph.height


def test_heat_map_is_a_png_of_the_cells() -> None:
    map_ = error_map([[0.0, 0.5, 0.0], [0.0, 0.0, 3.0]])
    assert (map_.picture.width, map_.picture.height, map_.worst, map_.wrong) == (3, 2, (2, 1), 2)
    assert pixels(map_.picture.png) == [[0, 5, 0], [0, 0, 6]]


def pixels(uri: str) -> list[list[int]]:
    """The numbers of colours in a PNG as the report writes it, each of its chunks sound."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind], at = body, at + 12 + size
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == height * (width + 1)
    return [list(lines[y * (width + 1) + 1 : (y + 1) * (width + 1)]) for y in range(height)]


RIGHT = [[0.1, 0.2, -0.3], [-0.5, 0.25, 0.25]]


def test_forces_of_the_right_gradient() -> None:
    drawn = forces(RIGHT, RIGHT)
    assert (drawn.picture.width, drawn.picture.height) == (3, 2)
    assert (drawn.example, drawn.cancelling, drawn.right) == (0, 2, True)
    assert [round(found, 6) for found, _ in drawn.arrows] == [-0.333333, -0.666667, 1]
    assert pixels(drawn.picture.png) == [[18, 20, 10], [12, 21, 21]]


def test_forces_of_a_wrong_gradient_show_the_example_farthest_off() -> None:
    drawn = forces([[0.1, 0.2, -0.3], [0.5, 0.25, 0.25]], RIGHT)
    assert (drawn.example, drawn.cancelling, drawn.right) == (1, 1, False)
    assert drawn.arrows == ((-1, 1), (-0.5, -0.5), (-0.5, -0.5))
