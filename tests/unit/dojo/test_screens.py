"""Screens without a terminal: what comes next, the screen of `dojo watch` in any window, its keys, the card."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kits import checked_file, file_of, make_kit, solved
from rich.console import Console
from support import GUARD_SECONDS

from grader.dojo.desk import Desk
from grader.dojo.overview import finish_lines, next_lines, state
from grader.dojo.progress import FOLLOWS, Checked, Progress, next_lesson
from grader.dojo.screen import row_line
from grader.dojo.session import CheckSession, Event
from grader.dojo.view import View
from grader.dojo.watch import Watch
from grader.dojo.work import Work
from grader.publish.view import RowView
from grader.results import Row

pytest_plugins = ["dojos"]
SLIP = "The number 2 in `gradient[torch.arange(n), Yb] -= 2` is not the right one"


def drawn(view: View, columns: int = 80, lines: int = 40) -> str:
    console = Console(
        width=columns, height=lines, force_terminal=True, color_system=None, file=io.StringIO(), highlight=False
    )
    with console.capture() as captured:
        console.print(*view.screen(console), sep="\n")
    return captured.get()


@pytest.fixture
def checked(judge, tmp_path) -> Checked:
    """Lesson 03 with two lines right, one wrong and one right below it, in a kit."""
    source = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum", "dcounts")
    text = source.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    return checked_file(judge, make_kit(tmp_path), "03", text)


def test_in_a_low_window_the_row_in_focus_and_the_answer_to_a_key_come_first(checked):
    view = View(checked.lesson, "backward.py", checked=checked, focus="dprobs", below=["", "the answer to a key"])
    lines = drawn(view, 60, 20).splitlines()
    assert len(lines) <= 19 and lines[0] == "03 The makemore network, step by step · backward.py"
    assert max(map(len, lines)) <= 60 and lines[3].startswith("✗ dprobs wrong value") and view.below[1] in lines
    assert lines[-3:-1] == ["… (the window is too low for the rest)", ""]
    wide = drawn(View(checked.lesson, "backward.py", checked=checked, focus="dcounts"))
    assert "\n✓ dcounts right" in wide and "\ndcounts         ▸ exact: True" in wide and "too low" not in wide
    assert "\nNext: fix dprobs " in wide  # another row is in focus


def test_a_line_fits_its_width_and_does_not_contradict_its_figures():
    gradient = Row("db", "failed", 0, 1, True, True, 0.0, 0, shape=[3], expected_shape=[3], chain="passed")
    exact = "exact on the published problem"
    shape = replace(gradient, status="shape")
    other = replace(shape, exact=None, approximate=None, maxdiff=None, shape=[2], chain="failed")
    for row, columns, line in (
        (gradient, 80, f"db              | {exact:<52} | wrong ✓"),
        (gradient, 60, f"db              | wrong ✓ {exact}"),
        (shape, 80, f"db              | {exact:<52} | wrong ✓"),
        (other, 80, f"db              | {'shape: (2,), expected: (3,)':<52} | wrong ✗"),
        (other, 60, "db              | wrong ✗ (2,), expected: (3,)"),
        (replace(other, shape=[3]), 80, "db              | wrong type"),
        (
            replace(gradient, status="passed"),
            80,
            "db              | exact: True  | approximate: True  | maxdiff: 0       | right ✓",
        ),
    ):
        assert row_line(RowView(row), columns).plain == line


def test_the_card_of_a_lesson_names_the_rows_that_a_later_one_teaches(judge, tmp_path, course):
    kit = make_kit(tmp_path, ("02_small_net", "04_cross_entropy"))
    rows = [item.name for item in course.find("02").items if item.name not in ("dlogits", "dh")]
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(*finish_lines(Desk(kit, print), checked_file(judge, kit, "02", solved("02", *rows))), sep="\n")
    lines = captured.get().splitlines()
    assert lines[1] == "For later: dlogits after lesson 04, dh after lesson 05. Or try it now, with"


class Watching:
    """`dojo watch 04` without a terminal: each check is shown before the test goes on. `paper` is what it writes."""

    def __init__(self, kit: Path, judge: Any) -> None:
        self.kit, self.paper = kit, io.StringIO()
        desk = Desk(kit, print)
        desk._judge = judge
        self.session = CheckSession(Work(desk, named=[(desk.course.find("04"), None)]))
        self.watch = Watch(self.session, Console(file=self.paper, width=80, highlight=False))

    def check(self, text: str | None = None) -> str:
        """What is written when the file is saved with `text`, or checked as it is."""
        if text is not None:
            file_of(self.kit, "04").write_text(text)
        self.session.check(self.watch.view.lesson).exception(GUARD_SECONDS)
        return self.written(lambda: [self.watch.show(each) for each in self.events()])

    def events(self) -> Iterator[Event]:
        while not self.watch._news.empty():
            yield self.watch._news.get()

    def press(self, key: str) -> str:
        return self.written(lambda: self.watch.press(key))

    def written(self, act: Callable[[], object]) -> str:
        self.paper.seek(self.paper.truncate(0))
        act()
        return self.paper.getvalue()


@pytest.fixture
def watching(judge, tmp_path) -> Iterator[Watching]:
    opened = Watching(make_kit(tmp_path), judge)
    yield opened
    opened.session.close()


@pytest.mark.full
def test_the_verdict_is_shown_at_once_and_its_message_once(watching, monkeypatch):
    paper = watching.paper
    console = Console(file=paper, width=80, height=40, highlight=False, force_terminal=True, color_system=None)
    monkeypatch.setattr(watching.watch, "_console", console)
    right = solved("04", "dlogits")
    watching.check(right)
    screens = watching.check(right.replace("-= 1", "-= 2")).split("\x1b[2J")[1:]
    first, last = (" ".join(screen.split()) for screen in screens)
    assert all("✗ dlogits, in_one_go were right before." in screen for screen in (first, last))
    assert "✗ dlogits wrong value" in first and SLIP in last and SLIP not in first


def test_what_is_on_the_screen_while_a_check_runs_and_after_it(watching):
    """A note is read once; a hint and the list stay until the file is another; the card comes with the last row."""
    assert "There is no hint yet: the first check is still running.\n" in watching.press("h")
    assert "There is no report yet: the first check is still running.\n" in watching.press("r")
    right, wrong = solved("04", "dlogits"), solved("04", "dlogits").replace("/ n", "/ n / n")
    assert "is a rounding difference" in watching.check(right)
    again = watching.check(right + "# more\n")
    assert "exact: False |" in again and "rounding" not in again
    running = watching.written(lambda: watching.watch.show_running("checking: dlogits"))
    assert "checking: dlogits · save again to stop it · q quit" in running and "checking" not in watching.check()
    listed = watching.press("l")
    assert listed.startswith("Backprop Ninja: 3 of 48 points\n\n  03 ") and "\n✓ 04 Cross-entropy" in listed
    assert "Backprop Ninja: 3 of 48 points" in watching.check()
    assert "✗ dlogits, in_one_go were right before." in watching.check(wrong)
    hint = re.search(r"Hint 1 of 3 for dlogits\n.*?\n\n", watching.press("h"), re.S)
    assert hint and hint[0] in watching.check()
    last = watching.check(right)
    assert "Hint" not in last and "That was the last row of lesson 04.\n3 of 3 points; 4 tries; mistakes: " in last
    file_of(watching.kit, "04").unlink()
    watching.check()
    assert "Waiting for it.\n\nThere is no hint yet: the file cannot be read.\n" in watching.press("h")


def with_statuses(lesson, *unwritten: str, **statuses: str) -> Progress:
    rows = {item.name: "todo" if item.name in unwritten else "passed" for item in lesson.items}
    return Progress(lesson, rows | statuses)


def test_the_first_row_to_write_is_one_that_has_been_taught(course):
    small_net, makemore = course.find("02"), course.find("03")
    everything = [item.name for item in small_net.items]
    assert everything[0] == "dlogits" and with_statuses(small_net, *everything).next_row == "dh_bn"
    assert with_statuses(small_net, dlogits="failed").next_row == "dlogits"  # wrong is not put off
    assert with_statuses(small_net, dlogits=FOLLOWS, dh_bn="failed").wrong == ["dh_bn", "dlogits"]
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
