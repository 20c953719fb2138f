"""What a step prints, shown with the name of the function that printed it."""

from __future__ import annotations

import pytest

from grader.sandbox.workers.printed import LABEL_MARK, Output, first_and_last, label_lines, unmarked


def marked(loading: str, *parts: tuple[str, str]) -> bytes:
    return (loading + "".join(f"{LABEL_MARK}{label}\n{text}" for label, text in parts)).encode()


def test_every_line_is_labelled_by_who_ran():
    data = marked("loaded\n", ("dx", "one\n\nthree"), ("dy", "half\n"), ("", "elsewhere\n"))
    assert label_lines(data, "backward.py") == [
        *("backward.py: loaded", "backward.py: elsewhere"),
        *("dx: one", "dx: ", "dx: three", "dy: half"),
    ]
    assert unmarked(data) == b"loaded\none\n\nthreehalf\nelsewhere\n"


def test_a_mark_that_no_function_makes_moves_borders_only():
    assert label_lines(marked("a\n", ("not a name", "b\n"), ("dx" * 9 + "!", "c")), "file") == [
        *("file: a", "file: not a name", "file: b", "file: " + "dx" * 9 + "!", "file: c")
    ]


def test_what_the_file_itself_prints_is_kept_of_one_worker():
    whole, first, second = Output(100), Output(100), Output(100)
    first.write(marked("loaded\n", ("dx", "one\n")))
    second.write(marked("loaded\n", ("dx", "two\n")))
    whole.append(first)
    whole.append(second, loading=False)
    assert unmarked(whole.data) == b"loaded\none\ntwo\n"
    small = Output(3)
    small.append(whole)
    assert (small.data, small.total) == (b"loa", whole.total)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (5, ["0", "1", "2", "3", "4"]),
        (6, ["0", "1", "… 2 more lines …", "4", "5"]),
    ],
)
def test_the_first_and_the_last_lines(count, shown):
    assert first_and_last([str(i) for i in range(count)], 5) == shown
