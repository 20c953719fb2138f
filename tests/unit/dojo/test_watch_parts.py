"""The parts of `dojo watch` and `dojo start` that need no terminal: keys, choices, searches, screens, forms, hints."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from rich.console import Console
from support import GUARD_SECONDS, ROOT

from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.file import changed_rows, read_own
from grader.dojo.lesson_end import finish_lines, other_form
from grader.dojo.overview import list_screen
from grader.dojo.progress import Progress
from grader.dojo.screen import row_line
from grader.dojo.session import CheckSession, Event
from grader.dojo.state_file import State, StateFile
from grader.dojo.view import View, bar, watch_screen
from grader.dojo.watch import Watch, default_focus, news_of
from grader.errors import Interrupted
from grader.publish.view import RowView
from grader.results import Row

pytest_plugins = ["dojos"]
SLIP = "The number 2 in `gradient[torch.arange(n), Yb] -= 2` is not the right one"


def drawn(view: View, columns: int = 80, lines: int = 40) -> str:
    console = Console(
        width=columns, height=lines, force_terminal=True, color_system=None, file=io.StringIO(), highlight=False
    )
    with console.capture() as captured:
        for part in watch_screen(view, console):
            console.print(part)
    return captured.get()


@pytest.fixture(scope="module")
def checked(judge, tmp_path_factory) -> Checked:
    """Lesson 03 with two lines right, one wrong and one right below it, in a kit."""
    kit = make_kit(tmp_path_factory.mktemp("kit"))
    source = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum", "dcounts")
    file_of(kit).write_text(source.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    lesson = Desk(kit, print).course.find("03")
    submitted = read_own(lesson)
    return Checked(lesson, submitted, judge.judge(lesson, submitted), 0.1)


def test_a_bar_is_full_only_when_all_is_done():
    assert [bar(done, 26, 10).plain.count("█") for done in (0, 1, 13, 25, 26)] == [0, 1, 5, 9, 10]


def test_what_a_save_changed():
    lesson = Desk(ROOT, print).course.find("03")
    before = solved("03", "dprobs", "dcounts")
    after = before.replace("return dlogprobs / probs", "return helper(dlogprobs, probs)")
    after += "\n\ndef helper(a, b):\n    return a / b\n"
    assert changed_rows(lesson, before.encode(), after.encode()) == ["dprobs"]
    assert changed_rows(lesson, after.encode(), after.replace("a / b", "a * b").encode()) == ["dprobs"]
    assert changed_rows(lesson, before.encode(), before.replace("return", "return  # now", 1).encode()) == []
    assert changed_rows(lesson, b"def f(:", before.encode()) == [item.name for item in lesson.items]
    decorated = before.replace("def dprobs", "@torch.no_grad()\ndef dprobs", 1)
    assert changed_rows(lesson, before.encode(), decorated.encode()) == ["dprobs"]


def test_the_row_that_was_just_changed_is_in_focus(course):
    rows = {"dlogprobs": "failed", "dprobs": "passed", "dcounts": "failed"}
    progress = Progress(course.find("03"), rows)
    assert default_focus(progress, ["dprobs", "dcounts"]) == "dcounts"
    assert default_focus(progress, ["dprobs"]) == default_focus(progress, []) == "dlogprobs"
    assert default_focus(Progress(course.find("03"), rows | {"dlogprobs": "passed", "dcounts": "passed"}), []) == (
        "dcounts_sum_inv"
    )


def test_a_low_window_keeps_heading_explanation_and_the_row_in_focus(checked):
    screen = drawn(
        View(checked.lesson, "backward.py", checked, focus="dcounts", news=[*news_of(None, checked)]), 60, 20
    )
    lines = screen.splitlines()
    assert len(lines) <= 20 and lines[0] == "03 The makemore network, step by step · backward.py"
    assert "dcounts         ▸ right ✗ exact" in lines and max(map(len, lines)) <= 60
    assert any(line.startswith("✓ dcounts right") for line in lines)
    assert drawn(View(checked.lesson, "backward.py", checked, focus="dprobs"), 80, 12).count("\n") <= 19


def test_a_narrow_line_shows_both_shapes():
    row = Row("dW", "shape", 0, 1, shape=[32, 16], expected_shape=[16, 32], chain="failed")
    narrow = row_line(RowView(row), columns=60, selected=True).plain
    assert narrow == "dW              ▸ wrong ✗ (32, 16), expected: (16, 32)"
    assert row_line(RowView(row), columns=80).plain.endswith(
        "| shape: (32, 16), expected: (16, 32)                  | wrong ✗"
    )


def test_an_old_verdict_is_grey_while_a_check_runs(checked):
    old = View(checked.lesson, "b.py", checked, focus="dprobs", running="checking: dx · 1 s")
    assert colours_of(old) == set()
    assert colours_of(replace(old, running="looking for the slip in your code · 1 s", is_provisional=True)) != set()


def colours_of(view: View) -> set[str]:
    """The control sequences of the screen, without those of dim italics."""
    console = Console(width=80, height=40, force_terminal=True, color_system="standard", file=io.StringIO())
    with console.capture() as captured:
        for part in watch_screen(view, console)[:-1]:  # without the footer
            console.print(part)
    assert "wrong value" in captured.get()
    return {code for code in captured.get().split("\x1b[")[1:] if not code.startswith(("0m", "2;3m", "3;2m"))}


def test_other_right_forms_come_from_the_variants_and_only_where_they_are(checked):
    lesson = Desk(ROOT, print).course.find("03")
    own = (lesson.solution / "backward.py").read_text()
    form = other_form(lesson, "dprobs", own)
    assert "dlogprobs" in form and "def " not in form
    mine = "def dprobs(dlogprobs, probs):\n    '''Mine.'''\n    " + form.replace("\n", "\n    ")
    assert form != other_form(lesson, "dprobs", mine) != ""
    assert other_form(checked.lesson, "dprobs", own) == ""  # a kit has no solutions


def test_the_end_of_a_lesson_says_what_comes_next(judge):
    desk = Desk(ROOT, print)
    desk.state_file = type("Nothing", (StateFile,), {"read": lambda self: State()})(ROOT, print)
    lesson = desk.course.find("04")
    files = type(read_own(lesson))(lesson.name, {"backward.py": solved("04", "dlogits").encode()}, shown="backward.py")
    done = Checked(lesson, files, judge.judge(lesson, files), 0.1)
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(*finish_lines(desk, done, ["dlogits"]), sep="\n")
    lines = captured.get().splitlines()
    assert lines[:2] == ["That was the last row of lesson 04.", "3 of 3 points; 1 try."]
    assert lines[2] == "Another right form of dlogits:" and "Next: lesson " in "".join(lines[-2:])


def test_a_lesson_with_rows_for_later_is_not_called_finished(judge):
    desk = Desk(ROOT, print)
    desk.state_file = type("Nothing", (StateFile,), {"read": lambda self: State()})(ROOT, print)
    lesson = desk.course.find("02")
    later = solved("02", *(item.name for item in lesson.items if item.name not in ("dlogits", "dh")))
    files = type(read_own(lesson))(lesson.name, {"backward.py": later.encode()}, shown="backward.py")
    done = Checked(lesson, files, judge.judge(lesson, files), 0.1)
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(*finish_lines(desk, done), sep="\n")
    lines = captured.get().splitlines()
    assert lines[0] == "Lesson 02 is done for now."
    assert lines[1] == "What is left needs a later lesson: dlogits after lesson 04, dh after lesson 05."


def test_titles_are_cut_only_where_the_terminal_is_narrow(course):
    longest = max((lesson.title for lesson in course.lessons.values()), key=len)
    progress = [Progress(lesson, {}) for lesson in course.lessons.values()]

    def listed(columns: int) -> list[str]:
        console = Console(width=columns, color_system=None)
        with console.capture() as captured:
            console.print(*list_screen(progress, None), sep="\n")
        return captured.get().splitlines()

    assert any(longest in line for line in listed(150)) and not any("…" in line for line in listed(150))
    for columns in (60, 80, 150):
        lines = listed(columns)
        assert len(lines) == 2 + len(progress) and max(map(len, lines)) <= columns
        assert lines[4].endswith("0 of 26  not begun")


class Watching:
    """`dojo watch 04` without a terminal: each check is shown before the test goes on. `paper` is what it writes."""

    def __init__(self, kit: Path, judge: Any) -> None:
        self.kit, self.paper = kit, io.StringIO()
        desk = Desk(kit, print)
        desk._judge = judge
        self.watch = Watch(desk, desk.course.find("04"), Console(file=self.paper, width=80, highlight=False))
        self.session = self.watch._session = CheckSession(desk, self.watch._note)

    def check(self, text: str | None = None) -> str:
        """What is written when the file is saved with `text`, or checked as it is."""
        if text is not None:
            file_of(self.kit, "04").write_text(text)
        self.session.check(self.watch._lesson, saved=0.0).exception(GUARD_SECONDS)
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


def test_a_note_is_read_once(watching):
    right = solved("04", "dlogits")
    assert "is a rounding difference" in watching.check(right)
    again = watching.check(right + "# more\n")
    assert "exact: False |" in again and "rounding" not in again


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
    assert re.search(r"\d+ ms · ", first) and re.search(r"\d+ ms · ", last)


def test_a_check_that_runs_is_on_the_screen_and_greys_the_old_verdict(watching):
    watching.check(solved("04", "dlogits"))
    lesson = watching.watch._lesson
    assert "checking: dlogits · save again to stop it · q quit" in watching.written(
        lambda: watching.watch.show(Event("running", lesson, "checking: dlogits"))
    )
    assert watching.watch._view.is_outdated and "checking" not in watching.check()


def test_a_hint_stays_when_the_same_text_is_checked_again(watching):
    right = solved("04", "dlogits")
    watching.check(right)
    watching.check(right.replace("/ n", "/ n / n"))
    hint = re.search(r"Hint 1 of 3 for dlogits\n.*?\n\n", watching.press("h"), re.S)
    after = watching.check()
    assert hint and hint[0] in after and "✗ dlogits, in_one_go were right before." in after


def test_the_last_row_of_a_lesson_is_checked_once_and_has_a_card(watching, judge, monkeypatch):
    judged: list[str] = []
    judge_file = judge.judge
    monkeypatch.setattr(judge, "judge", lambda lesson, *of: judged.append(lesson.number) or judge_file(lesson, *of))
    watching.check()
    right = solved("04", "dlogits")
    watching.check(right.replace("-= 1", "+= 1"))
    card = watching.check(right)
    assert judged == ["04"] * 3
    assert "That was the last row of lesson 04.\n3 of 3 points; 3 tries; mistakes: " in card


def test_a_key_is_answered_while_a_file_with_an_endless_loop_is_checked(watching):
    """The check of lesson 03 goes on until the next one ends it; no key waits for it."""
    watching.check()
    loop = solved("03", "dprobs").replace("return dlogprobs / probs", "while True:\n        pass")
    file_of(watching.kit, "03").write_text(loop)
    started, note = threading.Event(), watching.watch._note
    watching.session._tell = lambda event: (note(event), started.set() if event.kind == "saved" else None)
    endless = watching.session.check(watching.watch._desk.course.find("03"))
    assert started.wait(GUARD_SECONDS)
    assert "Hint 1 of 3 for dlogits" in watching.press("h") and "Backprop Ninja: " in watching.press("l")
    watching.check()
    assert isinstance(endless.exception(GUARD_SECONDS), Interrupted) or endless.result().judged.rows


def test_keys_go_through_the_rows_to_fix_and_to_write_and_then_to_other_lessons(watching):
    wrong = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")
    wrong = wrong.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    watching.check()
    for number in ("06", "03"):
        watching.press("n")
        assert watching.watch._lesson.number == number
    file_of(watching.kit, "03").write_text(wrong)
    watching.check()
    focused = [watching.watch._view.focus]
    for key in "np":
        watching.press(key)
        focused.append(watching.watch._view.focus)
    assert focused == ["dprobs", "dcounts_sum", "dprobs"]
    watching.press("p")
    assert watching.watch._lesson.number == "06"


def test_what_a_key_has_shown_stays_until_the_file_is_another(watching):
    watching.check(solved("04", "dlogits"))
    assert watching.press("l") == (
        "Backprop Ninja: 3 of 48 points\n"
        "\n"
        "  03 The makemore network, step by step          0 of 26  not begun\n"
        "✓ 04 Cross-entropy in one go                      3 of 3  done\n"
        "  06 The whole backward pass in one function     0 of 19  not begun\n"
        "\n"
        "The hidden suite decides 1 of these points, with other problems: what counts\n"
        "here passed its public examples.\n"
        "\n"
        "n next · p previous · h hint · l list · r report · q quit\n"
    )
    assert "Backprop Ninja: 3 of 48 points" in watching.check()
    assert "2 of 2 right" in watching.check(solved("04", "dlogits") + "# more\n")


def test_a_key_says_that_there_is_no_file(watching):
    assert "There is no hint yet: the first check is still running.\n" in watching.press("h")
    assert "There is no report yet: the first check is still running.\n" in watching.press("r")
    file_of(watching.kit, "04").unlink()
    watching.check()
    assert "Waiting for it.\n\nThere is no hint yet: the file cannot be read.\n" in watching.press("h")
    assert "There is no report yet: the file cannot be read.\n" in watching.press("r")


def test_a_check_that_runs_says_its_deadline_and_not_what_has_passed(judge, monkeypatch):
    """The deadline does not count waiting for a processor: after 47 s on a busy machine it may still be 10 s."""
    monkeypatch.setattr(judge.zygote, "running", "dprobs")
    assert judge.running == "dprobs is running, at most 0.5 s"
    monkeypatch.setattr(judge.zygote, "running", "")
    assert judge.running == "your functions, at most 0.5 s each"


def test_a_line_does_not_contradict_its_figures():
    gradient = Row("db", "failed", 0, 1, True, True, 0.0, 0, shape=[3], expected_shape=[3], chain="passed")
    exact = "exact on the published problem"
    assert row_line(RowView(gradient)).plain == f"db              | {exact:<52} | wrong ✓"
    assert row_line(RowView(gradient), columns=60).plain == f"db              | wrong ✓ {exact}"
    shape = replace(gradient, status="shape")
    assert row_line(RowView(shape)).plain == f"db              | {exact:<52} | wrong ✓"
    other = replace(shape, exact=None, approximate=None, maxdiff=None, shape=[2], chain="failed")
    assert row_line(RowView(other)).plain == f"db              | {'shape: (2,), expected: (3,)':<52} | wrong ✗"
    assert row_line(RowView(replace(other, shape=[3]))).plain == "db              | wrong type"
    right = replace(gradient, status="passed")
    assert (
        row_line(RowView(right)).plain
        == "db              | exact: True  | approximate: True  | maxdiff: 0       | right ✓"
    )
