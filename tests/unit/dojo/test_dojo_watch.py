"""`dojo watch` in a real terminal: what is on the screen after a save, whatever editors and students do to the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kits import file_of, line_of, make_kit, replace, solved

from bench.watch_terminal import START_SECONDS, WatchTerminal

BELOW = "n next · p previous · h hint · l list · r report · q quit"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kit(tmp_path_factory.mktemp("kit"))


@pytest.fixture(scope="module")
def terminal(place: Path) -> Iterator[WatchTerminal]:
    """One `dojo watch 03` for all tests here, which go on where the last one left off."""
    watching = WatchTerminal(place, "03")
    assert watching.until("0 of 26 right", START_SECONDS) == (
        "03 The makemore network, step by step · exercises/03_makemore_steps/backward.py\n"
        "░░░░░░░░░░░░░░░░░░░░░░░░░░  0 of 26 right, 26 to do · 0 of 26 points\n"
        "\n"
        f"· dlogprobs to do  exercises/03_makemore_steps/backward.py:{line_of(place, '03', 'dlogprobs')}\n"
        "    forward: loss = -logprobs[range(n), Yb].mean()\n"
        "\n"
        "26 to do: dlogprobs, dprobs, dcounts_sum_inv and 23 more\n"
        "\n"
        f"{BELOW}"
    )
    yield watching
    watching.close()


def test_screens_at_60_80_and_150_columns_begin_with_the_row_that_was_just_changed(place, terminal):
    right = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts_sum")
    first = right.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    replace(file_of(place), first)
    terminal.until("dcounts_sum turned right")  # the verdicts, and then why `dprobs` is wrong
    terminal.until("the wrong way round?")
    terminal.resize(60, 26)
    replace(file_of(place), first.replace("return -(counts_sum**-2)", "return counts_sum**-2"))
    terminal.until("✗ dcounts_sum was right before.")
    terminal.until("the wrong way round?")
    line, of_dprobs = line_of(place, "03", "dcounts_sum"), line_of(place, "03", "dprobs")
    assert terminal.screen == (
        "03 The makemore network, step by step\n"
        "exercises/03_makemore_steps/backward.py\n"
        "██░░░░░░░░░░░░░░░░░░░░░░░░  2 of 26 right, 2 wrong, 22 to do\n"
        "\n"
        "✗ dcounts_sum wrong value\n"
        f"exercises/03_makemore_steps/backward.py:{line}\n"
        "    forward: counts_sum_inv = counts_sum**-1\n"
        "    The sign is flipped: your `dcounts_sum` is exactly minus\n"
        "    the gradient. Is a minus missing or one too many, or a\n"
        "    difference the wrong way round?\n"
        "✗ dcounts_sum was right before.\n"
        f"Next: fix dprobs  exercises/03_makemore_steps/backward.py:{of_dprobs}\n"
        "\n"
        "dlogprobs       | right ✓ exact\n"
        "dprobs          | wrong ✗ maxdiff 5.9\n"
        "dcounts_sum_inv | right ✗ exact\n"
        "dcounts_sum     ▸ wrong ✓ maxdiff 0.0072\n"
        "22 to do: dcounts, dnorm_logits, dlogit_maxes and 19 more\n"
        "\n"
        "✗ dcounts_sum_inv, in your chain: correct; red only because\n"
        "`dprobs` above it is wrong.\n"
        "\n"
        f"{BELOW}"
    )
    terminal.resize(150, 40)
    terminal.press("p")
    wide = terminal.until("dprobs          ▸").split("\n")
    assert wide[1] == "██░░░░░░░░░░░░░░░░░░░░░░░░  2 of 26 right, 2 wrong, 22 to do · 2 of 26 points"
    assert wide[3] == f"✗ dprobs wrong value  exercises/03_makemore_steps/backward.py:{of_dprobs}"
    assert wide[5].endswith("or a difference the wrong way round?")
    assert wide[8] == "dlogprobs       | exact: True  | approximate: True  | maxdiff: 0       | right ✓"
    terminal.resize(80, 24)
    terminal.press("n")
    assert terminal.until("dcounts_sum     ▸").split("\n")[3:7] == [
        f"✗ dcounts_sum wrong value  exercises/03_makemore_steps/backward.py:{line}",
        "    forward: counts_sum_inv = counts_sum**-1",
        "    The sign is flipped: your `dcounts_sum` is exactly minus the gradient. Is a",
        "    minus missing or one too many, or a difference the wrong way round?",
    ]
    terminal.press("h")
    terminal.until("Hint 1 of 3 for dcounts_sum")


def test_a_file_that_does_not_run_one_written_in_pieces_and_one_that_is_away(place, terminal):
    path, text = file_of(place), solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")
    path.write_text(solved("03", "dlogprobs") + "def f(:\n")
    screen = terminal.until("does not run")
    assert "SyntaxError: invalid" in screen and "│ def f(:\n" in screen and "\nNext: make the file run " in screen
    path.write_text(solved("03", "dlogprobs", "dprobs"))
    assert "✓ dprobs turned right." in terminal.until("2 of 26 right")  # wrong before the syntax error, right after it
    with open(path, "w") as file:
        file.write(text[: text.index("keepdim=True") + 3])
        file.flush()
        file.write(text[text.index("keepdim=True") + 3 :])
    terminal.until("3 of 26 right")
    path.unlink()
    screen = " ".join(terminal.until("is not there").split())
    assert "`dojo reset 03` puts the stub there. Waiting for it." in screen
    path.write_text(solved("03", "dlogprobs"))
    terminal.until("1 of 26 right")


def test_keys(place, terminal):
    replace(file_of(place), solved("03", "dlogprobs"))
    terminal.until("1 of 26 right")
    terminal.press("h")
    assert "Hint 1 of 3 for dprobs\n    The forward line works" in terminal.until("h gives the next one.")
    terminal.press("h")
    assert "Hint 2 of 3 for dprobs\n" in terminal.until("Hint 2 of 3")
    assert json.loads((place / ".dojo.json").read_text())["hints"] == {
        "03_makemore_steps": {"dcounts_sum": 1, "dprobs": 2}
    }
    terminal.press("\x1b[C")  # this arrow is no key of ours
    terminal.press("l")
    assert "\n→ 03 The makemore network, step by step          1 of 26  25 to do\n" in terminal.until("Backprop Ninja:")
    terminal.press("r")
    terminal.until("Open it in a browser: my-report.html")
    assert "Your own check" in (place / "my-report.html").read_text()
    terminal.press("n")
    assert terminal.until("04 Cross-entropy").startswith("04 Cross-entropy in one go · ")
    terminal.press("p")
    assert "03 The makemore network" in terminal.until("1 of 26 right")
    terminal.press("n")
    terminal.until("0 of 2 right")


def test_another_lesson_is_checked_only_when_a_key_says_so(place, terminal):
    file_of(place, "04").write_text(solved("04", "dlogits"))
    screen = terminal.until("dlogits turned right")
    assert "\nThat was the last row of lesson 04.\n" in screen
    assert "\nNext: lesson 06 The whole backward pass in one function  n goes there\n" in screen
    file_of(place, "03").write_text(solved("03", "dlogprobs", "dprobs"))  # a save elsewhere checks this one again
    assert terminal.frame().startswith("04 ")
    terminal.press("n")
    terminal.until("06 The whole backward pass")
    terminal.press("n")
    assert "03 The makemore network" in terminal.until("2 of 26 right")


@pytest.mark.full
def test_a_key_a_save_and_ctrl_c_are_answered_while_a_loop_runs(place):
    right = solved("03", "dlogprobs", "dprobs")
    loop = right.replace("return dlogprobs / probs", "while True:\n        pass")
    file_of(place).write_text(loop)
    watching = WatchTerminal(place, "03")
    watching.until("checking: dprobs is running, at most 10 s · ", START_SECONDS)
    watching.press("l")
    while "Backprop Ninja: " not in watching.frame():  # each frame has a guard
        pass
    file_of(place).write_text(right)
    watching.until("2 of 26 right")
    assert not any("out of time" in frame for frame in watching.frames)  # nobody waited for its deadline
    file_of(place).write_text(loop)
    watching.until("checking: dprobs is running")
    watching.press("\x03")
    assert watching.ended() == 130
    file_of(place).write_text(right)


def test_q_quits(place, terminal):
    terminal.press("q")
    assert terminal.ended() == 0
    assert json.loads((place / ".dojo.json").read_text())["last"] == "03_makemore_steps"
