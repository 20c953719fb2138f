"""What a step prints, shown with the name of the function that printed it."""

from __future__ import annotations

import pytest

from grader.dojo.screen import printed_lines
from grader.sandbox.workers.codec import Frame
from grader.sandbox.workers.endings import WireError
from grader.sandbox.workers.messages import printed_in
from grader.sandbox.workers.printed import cut, first_and_last, label_lines


def test_every_line_is_labelled_by_who_ran():
    data = b"loaded\none\n\nthreehalf\nelsewhere\n"
    spans = [(7, 17, "dx"), (17, 22, "dy")]
    assert label_lines(data, spans, "backward.py") == [
        *("backward.py: loaded", "backward.py: elsewhere"),
        *("dx: one", "dx: ", "dx: three", "dy: half"),
    ]


def test_a_line_that_looks_like_a_label_gets_one_in_front():
    assert label_lines(b"dW2: all fine\n", [(0, 14, "db2")], "backward.py") == ["db2: dW2: all fine"]
    assert label_lines(b"dW2: all fine\n", [], "backward.py") == ["backward.py: dW2: all fine"]


def test_spans_that_do_not_fit_move_borders_only():
    """A worker may say anything of how much it printed: no byte is lost, none is shown twice."""
    data = b"abcdef"
    for spans in ([(0, 99, "dx")], [(4, 2, "dx")], [(0, 4, "dx"), (2, 6, "dy")], [(3, 9, "dx"), (0, 3, "dy")]):
        kept = cut(spans, 0, len(data))
        assert "".join(line.partition(": ")[2] for line in label_lines(data, kept, "file")).encode() in (
            data,
            b"efabcd",
        )
    with pytest.raises(WireError):
        printed_in(Frame({"printed": -1}))


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (3, ["0", "1", "2"]),
        (5, ["0", "1", "2", "3", "4"]),
        (6, ["0", "1", "… 2 more lines …", "4", "5"]),
        (9, ["0", "1", "… 5 more lines …", "7", "8"]),
    ],
)
def test_the_first_and_the_last_lines(count, shown):
    assert first_and_last([str(i) for i in range(count)], 5) == shown


def test_a_small_screen_shows_the_first_and_the_last_of_all():
    lines = [f"dx: {i}" for i in range(30)]
    assert [line.plain.strip() for line in printed_lines(lines, 9)] == ["dx: 0", "… 28 more lines …", "dx: 29"]
