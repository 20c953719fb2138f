"""`dojo watch` in a real terminal: what is on the screen after a save, whatever editors and students do to the file."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kits import file_of, line_of, make_kit, solved

from bench.watch import START_SECONDS, WatchTerminal

BELOW = "n next · h hint · l list · r report · q quit"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kit(tmp_path_factory.mktemp("kit"))


@pytest.fixture(scope="module")
def terminal(place: Path) -> Iterator[WatchTerminal]:
    """One `dojo watch 03` for all tests here, which go on where the last one left off."""
    watching = WatchTerminal(place, "03")
    assert watching.until("0 of 26 right", START_SECONDS) == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n"
        "\n"
        "26 to do: dlogprobs, dprobs, dcounts_sum_inv and 23 more\n"
        "\n"
        "0 of 26 right, 26 to do · 0 of 26 points\n"
        "\n"
        f"Next: write dlogprobs  exercises/03_makemore_steps/backward.py:{line_of(place, '03', 'dlogprobs')}\n"
        "\n"
        f"{BELOW}"
    )
    yield watching
    watching.close()


def replace(path: Path, text: str) -> None:
    """As many editors save: beside it, then renamed."""
    beside = path.with_name(path.name + "~")
    beside.write_text(text)
    os.replace(beside, path)


def test_what_turned_right_is_said(place, terminal):
    file_of(place).write_text(solved("03", "dlogprobs"))
    screen = re.sub(r"^\d+ ms", "… ms", terminal.until("turned right"), flags=re.MULTILINE)
    assert screen == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n"
        "\n"
        "dlogprobs       | exact: True  | approximate: True  | maxdiff: 0       | right ✓\n"
        "25 to do: dprobs, dcounts_sum_inv, dcounts_sum and 22 more\n"
        "\n"
        "1 of 26 right, 25 to do · 1 of 26 points\n"
        "\n"
        "✓ dlogprobs turned right.\n"
        f"Next: write dprobs  exercises/03_makemore_steps/backward.py:{line_of(place, '03', 'dprobs')}\n"
        "\n"
        f"… ms · {BELOW}"
    )


def test_what_turned_wrong_is_said_too(place, terminal):
    right = solved("03", "dlogprobs", "dprobs")
    replace(file_of(place), right)
    terminal.until("✓ dprobs turned right.")
    replace(file_of(place), right.replace("return dlogprobs / probs", "return -dlogprobs / probs"))
    screen = terminal.until("✗ dprobs was right before.")
    assert "dprobs          | exact: False | approximate: False | maxdiff: 5.9     | wrong ✗\n" in screen
    assert "\n✗ dprobs wrong value  exercises/" in screen and "\nNext: fix dprobs  exercises/" in screen


def test_a_syntax_error_and_what_was_right_before_it(place, terminal):
    file_of(place).write_text(solved("03", "dlogprobs") + "def f(:\n")
    screen = terminal.until("does not run")
    assert "SyntaxError: invalid" in screen and "│ def f(:\n" in screen and "\nNext: make the file run " in screen
    file_of(place).write_text(solved("03", "dlogprobs", "dprobs"))
    assert "✓ dprobs turned right." in terminal.until("2 of 26 right")  # wrong before the syntax error, right after it


def test_a_file_written_in_pieces_is_judged_once_it_is_whole(place, terminal):
    text = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")
    seen = len(terminal.frames)
    with open(file_of(place), "w") as file:
        file.write(text[: text.index("keepdim=True") + 3])
        file.flush()
        time.sleep(0.03)
        file.write(text[text.index("keepdim=True") + 3 :])
    terminal.until("3 of 26 right")
    assert not any("does not run" in frame for frame in terminal.frames[seen:])


def test_a_file_that_is_away_for_a_moment_and_one_that_stays_away(place, terminal):
    seen = len(terminal.frames)
    file_of(place).rename(place / "elsewhere")
    time.sleep(0.03)
    (place / "elsewhere").rename(file_of(place))
    terminal.until("3 of 26 right")
    assert not any("is not there" in frame for frame in terminal.frames[seen:])
    path = file_of(place)
    path.unlink()
    screen = " ".join(terminal.until("is not there").split())
    assert "`dojo reset 03` puts the stub there. Waiting for it." in screen
    path.write_text(solved("03", "dlogprobs"))
    terminal.until("1 of 26 right")


def test_a_loop_is_given_up_as_soon_as_the_file_is_saved_again(place, terminal):
    source = solved("03", "dlogprobs", "dprobs")
    file_of(place).write_text(source.replace("return dlogprobs / probs", "while True:\n        pass"))
    time.sleep(0.5)
    started = time.monotonic()
    file_of(place).write_text(source)
    terminal.until("2 of 26 right")
    assert time.monotonic() - started < 8  # a step has ten seconds


def test_the_time_from_the_save_to_the_screen(place, terminal):
    """The figure is bench/watch.py's to measure; here it must only not be seconds, on whatever machine."""
    times = []
    for number in range(6):
        time.sleep(0.2)
        started = time.perf_counter()
        replace(file_of(place), solved("03", "dlogprobs") if number % 2 else solved("03", "dlogprobs", "dprobs"))
        screen = terminal.until("1 of 26 right" if number % 2 else "2 of 26 right")
        times.append(time.perf_counter() - started)
        said = re.search(r"^(\d+) ms · n next", screen, re.MULTILINE)
        assert said and 0 < int(said[1]) / 1000 < times[-1] + 0.02
    assert sorted(times)[len(times) // 2] < 2


def test_keys(place, terminal):
    terminal.press("h")
    assert "Hint 1 of 3 for dprobs\n    The forward line works" in terminal.until("h gives the next one.")
    terminal.press("h")
    assert "Hint 2 of 3 for dprobs\n" in terminal.until("Hint 2 of 3")
    assert json.loads((place / ".dojo.json").read_text())["hints"] == {"03_makemore_steps": {"dprobs": 2}}
    terminal.press("\x1b[A")  # an arrow is no key of ours
    terminal.press("l")
    assert "\n→ 03 The makemore network, step by step          1 of 26  25 to do\n" in terminal.until("Backprop Ninja:")
    terminal.press("r")
    terminal.until("Open it in a browser: my-report.html")
    assert "Your own check" in (place / "my-report.html").read_text()
    terminal.press("n")
    assert terminal.until("04 Cross-entropy in one go\n").startswith("04 Cross-entropy in one go\n")


def test_another_lesson_is_looked_at_only_when_a_key_says_so(place, terminal):
    file_of(place, "04").write_text(solved("04", "dlogits"))
    screen = terminal.until("dlogits turned right")
    assert "That was the last one of this lesson. n goes to the next." in screen
    file_of(place, "03").write_text(solved("03", "dlogprobs", "dprobs"))  # a save elsewhere checks this one again
    assert terminal.frame().startswith("04 ")
    terminal.press("n")
    terminal.until("06 The whole backward pass")
    terminal.press("n")
    assert "2 of 26 right" in terminal.until("03 The makemore network")


def test_q_quits(place, terminal):
    terminal.press("q")
    assert terminal.ended() == 0
    assert json.loads((place / ".dojo.json").read_text())["last"] == "03_makemore_steps"
