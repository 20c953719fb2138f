"""What comes next for a student: rows that a later lesson teaches wait for it."""

from __future__ import annotations

import pytest
from rich.console import Console

from grader.dojo.overview import next_lines, state
from grader.dojo.progress import Progress, next_lesson


@pytest.fixture
def small_net(course):
    return course.find("02")


def with_statuses(lesson, *unwritten: str, taught: tuple[str, ...] = (), **statuses: str) -> Progress:
    rows = {item.name: "todo" if item.name in unwritten else "passed" for item in lesson.items}
    return Progress(lesson, rows | statuses, taught=taught)


def printed(progress: Progress) -> str:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(*next_lines(progress), sep="\n")
    return capture.get()


def test_the_first_row_to_write_is_one_that_has_been_taught(small_net):
    everything = [item.name for item in small_net.items]
    assert everything[0] == "dlogits"
    assert with_statuses(small_net, *everything).next_row == "dh_bn"
    assert with_statuses(small_net, *everything, taught=("04",)).next_row == "dlogits"


def test_a_row_that_is_written_and_wrong_is_not_put_off(small_net):
    assert with_statuses(small_net, dlogits="failed").next_row == "dlogits"


def test_a_lesson_of_which_only_later_rows_are_left_is_done_for_now(small_net, course):
    left = with_statuses(small_net, "dlogits", "dh")
    assert left.next_row is None and not left.finished
    assert left.taught_later == {"dlogits": "04", "dh": "05"}
    assert state(left) == ("2 for later", "dim")
    assert printed(left) == (
        "Lesson 02 is done for now.\n"
        "What is left needs a later lesson: dlogits after lesson 04, dh after lesson 05.\n"
        "Or try it now, with hints.\n"
    )
    makemore = with_statuses(course.find("03"), "dC")
    assert next_lesson([left, makemore]) is makemore
    after_lesson_04 = with_statuses(small_net, "dlogits", "dh", taught=("04",))
    assert next_lesson([after_lesson_04, makemore]) is after_lesson_04
    assert after_lesson_04.taught_later == {"dh": "05"}


def test_without_such_rows_nothing_waits(course):
    lesson = course.find("03")
    assert with_statuses(lesson, "dprobs", "dC").next_row == "dprobs"
    assert with_statuses(lesson).next_row is None and with_statuses(lesson).finished
