"""What comes next for a student: rows that a later lesson teaches come last."""

from __future__ import annotations

from rich.console import Console

from grader.dojo.overview import next_lines, state
from grader.dojo.progress import Progress, next_lesson


def with_statuses(lesson, *unwritten: str, **statuses: str) -> Progress:
    rows = {item.name: "todo" if item.name in unwritten else "passed" for item in lesson.items}
    return Progress(lesson, rows | statuses)


def test_the_first_row_to_write_is_one_that_has_been_taught(course):
    small_net, makemore = course.find("02"), course.find("03")
    everything = [item.name for item in small_net.items]
    assert everything[0] == "dlogits" and with_statuses(small_net, *everything).next_row == "dh_bn"
    assert with_statuses(small_net, dlogits="failed").next_row == "dlogits"  # wrong is not put off
    assert with_statuses(makemore, "dprobs", "dC").next_row == "dprobs"
    assert with_statuses(makemore).next_row is None and with_statuses(makemore).finished
    failed = Progress(makemore, {"dlogprobs": "failed", "dprobs": "passed", "dcounts": "failed"})
    assert failed.stops == ["dlogprobs", "dcounts", "dcounts_sum_inv"]


def test_a_lesson_of_which_only_later_rows_are_left_waits_for_them(course):
    left, makemore = with_statuses(course.find("02"), "dlogits", "dh"), with_statuses(course.find("03"), "dC")
    assert left.next_row == "dlogits" and not left.finished and not left.has_work
    assert left.taught_later == {"dlogits": "04", "dh": "05"}
    assert state(left) == ("2 for later", "dim")
    assert next_lesson([left, makemore]) is makemore
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(*next_lines(left, "backward.py:3"), sep="\n")
    assert capture.get() == (
        "Next: write dlogits  (lesson 04 teaches it)  backward.py:3\n      dojo watch 02 · dojo hint 02.dlogits\n"
    )
