"""The parts of `dojo watch` and `dojo start` that need no terminal: keys, choices, searches, screens, forms, hints."""

from __future__ import annotations

import io
import os
import re
import selectors
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from kits import file_of, make_kit, solved
from rich.console import Console
from support import ROOT, wait_until

from grader.dojo.changes import repeating
from grader.dojo.desk import Checked, Desk
from grader.dojo.file import changed_rows, read_own
from grader.dojo.graph_line import graph_line, graph_marks
from grader.dojo.guide import Guide
from grader.dojo.keys import RowChoice, keys_in
from grader.dojo.lesson_end import finish_lines, other_forms, what_it_taught
from grader.dojo.mistake_question import BY_ID, question_about_mistake
from grader.dojo.new_verdict import news_of
from grader.dojo.overview import list_screen
from grader.dojo.progress import Progress
from grader.dojo.rows import numbered_line, row_line
from grader.dojo.search import Search
from grader.dojo.state_file import State, StateFile
from grader.dojo.view import View, bar, default_focus, watch_screen
from grader.dojo.watch import SEARCHING, WatchSession
from grader.gradebook.grading.trials import FileTrials
from grader.publish.view import RowView
from grader.results import NamedMistake, Row
from grader.source.reader import ReadingStopped, SourceReader

pytest_plugins = ["dojos"]
SLIP = "The number 2 in `gradient[torch.arange(n), Yb] -= 2` is not the right one"
NAMES = [f"d{number}" for number in range(1, 16)]


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


def test_keys_by_name():
    assert keys_in("a/é\r\x7f\x1b") == ["a", "/", "é", "enter", "backspace", "escape"]
    assert keys_in("\x1b[A\x1bOB\x1b[A") == ["up", "down", "up"]
    assert keys_in("\x1b[C\x1b[15~\x1bx\x01n") == ["n"]  # another arrow, F5, Alt and x, Ctrl-A


def test_rows_are_chosen_by_arrows_and_numbers():
    now = 100.0
    choice = RowChoice(lambda: now)
    assert choice.press("down", NAMES, None) == "d1" and choice.press("up", NAMES, None) == "d15"
    assert choice.press("down", NAMES, "d15") == "d15" and choice.press("up", NAMES, "d2") == "d1"
    assert choice.press("1", NAMES, None) == "d1" and choice.press("2", NAMES, "d1") == "d12"
    assert choice.press("7", NAMES, "d12") == "d7"  # 127 is too many: a new number
    now = 102.0
    assert choice.press("1", NAMES, "d7") == "d1" and choice.press("0", NAMES, "d1") == "d10"
    now = 104.0
    assert choice.press("0", NAMES, "d7") == "d7" and choice.press("down", [], None) is None


def test_a_search_finds_lessons_and_rows_by_their_names(course):
    lessons = list(course.lessons.values())
    search = Search(lessons, course.find("03"))

    def found(words: str) -> list[str]:
        search.typed = words
        return [f"{lesson.number}.{row}" if row else lesson.number for lesson, row in search.found()]

    assert found("") == [] and found("makemore") == ["03"] and found("checkp")[0] == "09"
    assert found("dw2") == found("w2")
    assert found("w2")[:4] == ["03.dW2", "02.dW2", "06.dW2", "07.dW2"]  # first the lesson that is open
    assert found("04") == ["04", "04.dlogits", "04.in_one_go"]
    assert found("nothing of the kind") == []
    search.typed = ""
    for key in "dpx":
        assert search.press(key) is None
    assert search.press("backspace") is None and search.typed == "dp"
    first, second = search.found()[:2]
    assert search.press("down") is None and search.press("enter") == second != first and search.is_over
    assert Search(lessons, lessons[0]).press("enter") is None


def test_a_graph_in_one_line_keeps_the_row_in_focus_in_sight():
    marks = [(f"n{number}", "✓" if number < 6 else "·", "") for number in range(20)]
    assert graph_line(marks, 0, 31).plain == "n0 ✓ n1 ✓ n2 ✓ n3 ✓ n4 ✓ n5 ✓ …"[:31]
    assert graph_line(marks, 10, 20).plain == "… n9 · n10 · n11 · …"
    assert graph_line(marks, 19, 20).plain == "… n17 · n18 · n19 ·"
    assert len(graph_line(marks, 3, 400).plain.split()) == 40 and graph_line([], 0, 80).plain == ""
    for columns in (10, 40, 60):
        assert all(
            len(graph_line(marks, at, columns).plain) <= columns and f"n{at} " in graph_line(marks, at, columns).plain
            for at in range(20)
        )


def test_a_bar_is_full_only_when_all_is_done(course):
    assert [bar(done, 26, 10).plain.count("█") for done in (0, 1, 13, 25, 26)] == [0, 1, 5, 9, 10]
    progress = Progress(course.find("07"), {"loss": "here", "dW2": "passed", "db2": "failed", "update": "hidden"})
    signs = {name: sign for name, sign, _ in graph_marks(progress, ["loss"])}
    assert [signs[name] for name in ("W2", "b2", "update", "loss", "C")] == ["✓", "✗", "?", "✓", "·"]
    assert list(signs).count("loss") == 1


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
    assert len(lines) <= 19 and lines[0] == "03 The makemore network, step by step · backward.py"
    assert "▸ 5 dcounts         right ✗ exact" in lines and max(map(len, lines)) <= 60
    assert any(line.startswith("✓ dcounts right") for line in lines)
    assert drawn(View(checked.lesson, "backward.py", checked, focus="dprobs"), 80, 12).count("\n") <= 18


def test_a_narrow_line_shows_both_shapes():
    row = Row("dW", "shape", 0, 1, shape=[32, 16], expected_shape=[16, 32], chain="failed")
    assert numbered_line(RowView(row), 12, True, 60, 15).plain == (
        "▸12 dW              wrong ✗ (32, 16), expected: (16, 32)"
    )
    assert numbered_line(RowView(row), 12, False, 90, 15).plain.endswith(
        "| shape: (32, 16), expected: (16, 32)                  | wrong ✗"
    )


def test_an_old_verdict_is_grey_while_a_check_runs(checked):
    old = View(checked.lesson, "b.py", checked, "dprobs", running="checking: dx · 1 s", outdated=True)
    assert colours_of(old) == set()
    assert colours_of(replace(old, running="looking for the slip in your code · 1 s", outdated=False)) != set()


def colours_of(view: View) -> set[str]:
    """The control sequences of the screen, without those of dim italics."""
    console = Console(width=80, height=40, force_terminal=True, color_system="standard", file=io.StringIO())
    with console.capture() as captured:
        for part in watch_screen(view, console):
            console.print(part)
    assert "wrong value" in captured.get()
    return {code for code in captured.get().split("\x1b[")[1:] if not code.startswith(("0m", "2;3m", "3;2m"))}


def test_the_next_step_of_the_guide(checked, judge):
    def said(each: Checked) -> str:
        console = Console(width=400, color_system=None)
        with console.capture() as captured:
            console.print(*Guide().lines(each), sep="\n")
        return captured.get()

    assert said(checked).startswith("\nStep 2 of 3: dprobs is not right yet.")
    stub = checked.lesson.pristine.read_text()

    def version(text: str) -> Checked:
        files = type(checked.submitted)(checked.lesson.name, {"backward.py": text.encode()}, shown="backward.py")
        return Checked(checked.lesson, files, judge.judge(checked.lesson, files), 0.1)

    assert "Step 1 of 3: Open backward.py:20 in your editor" in said(version(stub))
    assert "Step 3 of 3: dlogprobs is right. The word" in said(version(solved("03", "dlogprobs")))
    assert "Step 2 of 3: Python cannot read" in said(version("def f(:"))
    guide, done = Guide(), version(solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv"))
    assert len(guide.lines(done)) == 2 and guide.lines(done) == []


def test_other_right_forms_come_from_the_variants_and_only_where_they_are(checked):
    lesson = Desk(ROOT, print).course.find("03")
    own = (lesson.solution / "backward.py").read_text()
    forms = other_forms(lesson, "dprobs", own)
    assert len(forms) == 2 == len(set(forms)) and all("dlogprobs" in form and "def " not in form for form in forms)
    mine = "def dprobs(dlogprobs, probs):\n    '''Mine.'''\n    " + forms[0].replace("\n", "\n    ")
    assert forms[0] not in other_forms(lesson, "dprobs", mine) and forms[1] in other_forms(lesson, "dprobs", mine)
    assert other_forms(checked.lesson, "dprobs", own) == []  # a kit has no solutions


def test_what_a_lesson_taught_is_in_its_readme(tmp_path):
    path = tmp_path / "README.md"
    assert what_it_taught(path) == ""
    path.write_text(
        "# A\n\n## What you will be able to do\n\nYou *can* read\n[this](x.md) `a * b`.\n\n## Next\n\nNo.\n"
    )
    assert what_it_taught(path) == "You can read this `a * b`."
    for readme in (ROOT / "exercises").glob("*/README.md"):
        assert len(what_it_taught(readme)) > 50, readme


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
    assert lines[0] == "That was the last row of lesson 04." and lines[1] == "The goal of this lesson was:"
    assert "Two other right forms of dlogits:" in lines and "Next: lesson " in "".join(lines[-2:])


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


def test_a_question_is_about_the_mistake_and_is_asked_once(checked, tmp_path):
    def row(mistake: str) -> Row:
        return Row("dprobs", "failed", 0, 1, mistake=NamedMistake(mistake, "…"))

    for mistake in BY_ID:
        question = question_about_mistake(checked.lesson, row(mistake))
        assert question.endswith(("?", ".")) and "{" not in question and len(question) < 260
    assert "`logprobs = probs.log()`" in question_about_mistake(checked.lesson, row("sign"))
    assert question_about_mistake(checked.lesson, row("no such mistake")) == ""
    state_file = StateFile(tmp_path, print)
    state_file.keep_verdict(checked.lesson, "abc", {}, True, {"dprobs": "Why?"})
    assert [state_file.take_question(checked.lesson, "dprobs") for _ in range(2)] == ["Why?", ""]
    state_file.keep_verdict(checked.lesson, "abc", {}, True, {"dprobs": "Why?"})  # the same file again
    assert state_file.take_question(checked.lesson, "dprobs") == ""
    state_file.keep_verdict(checked.lesson, "def", {}, True, {"dprobs": "Why?"})
    assert state_file.take_question(checked.lesson, "dprobs") == "Why?"


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


@pytest.fixture
def watching(judge, tmp_path) -> tuple[WatchSession, io.StringIO]:
    """`dojo watch 04` without a terminal or a thread, and what it writes."""
    desk = Desk(make_kit(tmp_path), print)
    desk._judge = judge
    paper = io.StringIO()
    return WatchSession(desk, desk.course.find("04"), Console(file=paper, width=80, highlight=False)), paper


def test_rounding_is_explained_once(watching, tmp_path):
    session, paper = watching
    file_of(tmp_path, "04").write_text(solved("04", "dlogits"))
    assert session._check() and session._check()
    assert paper.getvalue().count("exact: False |") == 2 and paper.getvalue().count("is a rounding difference") == 1


@pytest.mark.full
def test_the_verdict_is_shown_before_slips_are_searched_for(watching, tmp_path, monkeypatch):
    session, paper = watching
    console = Console(file=paper, width=80, height=40, highlight=False, force_terminal=True, color_system=None)
    monkeypatch.setattr(session, "_console", console)
    right = solved("04", "dlogits")
    wrong = right.replace("-= 1", "-= 2")
    find_edits = FileTrials._find_edits

    def find_slowly(*of):
        assert wait_until(lambda: SEARCHING in paper.getvalue())
        return find_edits(*of)

    for text in (right, wrong):
        file_of(tmp_path, "04").write_text(text)
        session._saved = 0.0  # long ago: how long ago is shown all the same
        assert session._check()
        monkeypatch.setattr(FileTrials, "_find_edits", find_slowly)
    screens = paper.getvalue().split("\x1b[2J")
    first = next(n for n, screen in enumerate(screens) if "✗ dlogits, in_one_go were right before." in screen)
    *search, last = screens[first:]
    assert all("✗ dlogits, in_one_go were right before." in screen for screen in (*search, last))
    assert re.search(r"^\d+ ms · ", search[0], re.M) and f"{SEARCHING} · " in search[1]
    assert (
        not any(SLIP in " ".join(screen.split()) for screen in search)
        and SLIP in " ".join(last.split())
        and "looking" not in last
    )


def test_a_hint_stays_when_its_key_interrupts_the_search(watching, tmp_path):
    session, paper = watching
    right = solved("04", "dlogits")
    for text in (right, right.replace("/ n", "/ n / n")):
        file_of(tmp_path, "04").write_text(text)
        assert session._check()
    session._press("h")
    assert session._check()  # of the same text
    *_, before, after = paper.getvalue().split("04 Cross-entropy in one go")
    hint = before[before.index("About this mistake in dlogits") :].split("\n\n")[0]
    assert hint in after and "✗ dlogits, in_one_go were right before." in after


def test_the_last_row_of_a_lesson_is_checked_once(watching, judge, tmp_path, monkeypatch):
    session, paper = watching
    judged: list[str] = []
    judge_file = judge.judge
    monkeypatch.setattr(judge, "judge", lambda lesson, *of: judged.append(lesson.number) or judge_file(lesson, *of))
    assert session._check()
    file_of(tmp_path, "04").write_text(solved("04", "dlogits"))
    assert session._check() and judged == ["04", "04"]
    assert "That was the last row of lesson 04." in paper.getvalue()


def test_a_file_that_is_incomplete_or_away_while_it_is_saved(watching, tmp_path):
    session, paper = watching
    path, (read_end, write_end) = file_of(tmp_path, "04"), os.pipe()
    session._selector.register(read_end, selectors.EVENT_READ)
    os.write(write_end, b".")  # another change has come already: this is the middle of a save
    path.write_text("def f(:")
    assert not session._check()
    path.unlink()
    assert not session._check() and paper.getvalue() == ""
    os.read(read_end, 1)
    assert session._check() and "is not there" in paper.getvalue()
    path.write_text("def f(:")
    assert session._check() and "does not run" in paper.getvalue()
    os.close(read_end), os.close(write_end)


def test_what_is_repeated_ends_with_its_context():
    ran, before = list[int](), threading.enumerate()
    with repeating(lambda: ran.append(1), 0, 0.001):
        while len(ran) < 3:
            os.sched_yield()
    count = len(ran)
    assert not [each for each in threading.enumerate() if each not in before]
    assert len(ran) == count


@pytest.mark.full
def test_a_hang_is_reported_with_its_line(judge, checked):
    source = solved("03", "dlogprobs", "dprobs")
    text = source.replace("return dlogprobs / probs", "print('before')\n    while True:\n        probs = probs + 0")
    line = text[: text.index("while True")].count("\n") + 1
    files = type(checked.submitted)(checked.lesson.name, {"backward.py": text.encode()}, shown="backward.py")
    judged = judge.judge(checked.lesson, files)
    row = judged.rows[1]
    assert row.status == "timeout" and row.line == line
    assert "most recent call first" not in judged.printed


def test_code_that_is_read_ahead_is_what_it_is_otherwise(monkeypatch):
    """Where the reading of several functions was stopped, each is read when it is needed."""
    student, text = SimpleNamespace(), b"def f(x):\n    return x + g(x)\n\n\ndef g(y):\n    return 2 * y\n"
    ordinary, ahead, stopped = (FileTrials(student, text) for _ in range(3))
    ahead.read_ahead(["f", "g"])
    assert [ahead.contents(name) for name in ("f", "g", "h")] == [ordinary.contents(name) for name in ("f", "g", "h")]
    assert ahead.contents("f") is not None

    call, calls = SourceReader.call, []

    def call_that_stops(self, function, source, names):
        calls.append(names)
        if len(names) > 1:
            raise ReadingStopped("reading it took more than 2 seconds")
        return call(self, function, source, names)

    monkeypatch.setattr(SourceReader, "call", call_that_stops)
    stopped.read_ahead(["f", "g"])
    assert stopped.contents("g") == ordinary.contents("g")
    assert calls == [["f", "g"], ["g"]]


def test_no_key_checks_a_lesson_whatever_the_student_s_code_does(watching, tmp_path, monkeypatch):
    """With an endless loop in two lessons, a key that checked them would freeze the screen."""
    session, paper = watching
    checks = []
    monkeypatch.setattr(session._desk, "check", lambda lesson, *more, **named: checks.append(lesson.number))
    loop = "while True:\n        pass"
    file_of(tmp_path, "03").write_text(solved("03", "dprobs").replace("return dlogprobs / probs", loop))
    file_of(tmp_path, "06").write_text(solved("06") + f"\n\ndef forever():\n    {loop}\n")
    for key, following in (("n", "06"), ("n", "03"), ("n", "04"), ("p", "03"), ("p", "06"), ("h", "06"), ("r", "06")):
        session._press(key)
        assert session._lesson.number == following
    paper.seek(paper.truncate(0))
    session._press("l")
    listed = (
        "Backprop Ninja: 0 of 48 points\n"
        "\n"
        "  03 The makemore network, step by step          0 of 26  not checked\n"
        "  04 Cross-entropy in one go                      0 of 3  not begun\n"
        "→ 06 The whole backward pass in one function     0 of 19  not checked\n"
        "\n"
        "Changed and not checked yet: 03, 06. `dojo check 03 06` counts their points\n"
        "again.\n"
        "\n"
        "↑↓ row · h hint · n p lesson · / find · l list · r report · q quit\n"
    )
    assert paper.getvalue() == listed
    session._draw()  # as it is while a check runs, which a key has interrupted
    assert paper.getvalue() == 2 * listed and checks == []
    session._press("escape")
    assert "Backprop Ninja" not in paper.getvalue()[2 * len(listed) :]


def test_what_a_key_has_shown_stays_until_the_file_is_another(watching, tmp_path):
    session, paper = watching
    file_of(tmp_path, "04").write_text(solved("04", "dlogits"))
    assert session._check()
    session._press("l")
    assert session._check() and "Backprop Ninja: 3 of 48 points" in paper.getvalue().rpartition("dlogits")[2]
    file_of(tmp_path, "04").write_text(solved("04", "dlogits") + "# more\n")
    assert session._check() and "2 of 2 right" in paper.getvalue().rpartition("Backprop Ninja")[2]


def test_a_key_says_that_there_is_no_file(watching, tmp_path):
    session, paper = watching
    session._press("h")
    session._press("r")
    assert "There is no hint yet: the first check is still running.\n" in paper.getvalue()
    assert "There is no report yet: the first check is still running.\n" in paper.getvalue()
    file_of(tmp_path, "04").unlink()
    assert session._check()
    paper.seek(paper.truncate(0))
    session._press("h")
    assert "Waiting for it.\n\nThere is no hint yet: the file cannot be read.\n" in paper.getvalue()
    session._press("r")
    assert "There is no report yet: the file cannot be read.\n" in paper.getvalue()


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
    assert numbered_line(RowView(gradient), 1, False, 60, 15).plain == f"  1 db              wrong ✓ {exact}"
    assert numbered_line(RowView(gradient), 1, False, 84, 15).plain == f"  1 db              | {exact:<52} | wrong ✓"
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
