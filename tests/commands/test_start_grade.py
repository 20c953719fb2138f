"""What starts before the command line of `grade` is read, and ends whatever comes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from support import GUARD_SECONDS, ROOT

from grader.commands import early_nursery, start_grade
from grader.gradebook.grading.settings import Settings
from grader.sandbox.isolation.probe import Isolation
from grader.sandbox.workers import forked


class Counted:
    """A nursery that starts nothing."""

    made: list[Counted]

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self.preload, self.closed = tuple(preload), False
        Counted.made.append(self)

    def close(self, at_once: bool = False) -> None:
        self.closed = at_once


@pytest.fixture
def nurseries(monkeypatch: pytest.MonkeyPatch) -> list[Counted]:
    Counted.made = []
    monkeypatch.setattr(forked, "Nursery", Counted)
    return Counted.made


@pytest.mark.parametrize(
    "line, number",
    [
        ("run submissions --lesson 03", 1),
        ("run", 1),  # click says what is missing
        ("run --help", 0),
        ("run x --cluster tcp://127.0.0.1:8786", 0),
        ("run x --cluster=tcp://127.0.0.1:8786", 0),
        ("verify 03", 0),
        ("", 0),
    ],
)
def test_a_nursery_starts_for_a_run_here_and_for_nothing_else(nurseries, line, number):
    early_nursery.start_for(line.split())
    assert len(nurseries) == number
    early_nursery.close_nursery()
    assert all(nursery.closed for nursery in nurseries)


def test_a_run_takes_the_one_that_was_started(nurseries):
    early_nursery.start_for(["run", "x"])
    assert early_nursery.take() is nurseries[0] and nurseries[0].preload
    early_nursery.close_nursery()
    assert not nurseries[0].closed, "whoever takes it closes it"
    assert early_nursery.take() is nurseries[1], "without one that was started, a new one"


def test_a_command_line_that_cannot_be_used_ends_it(nurseries, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grade", "run", "--no-such-option"])
    with pytest.raises(SystemExit) as ended:
        start_grade.main()
    assert ended.value.code == 2 and "No such option" in capsys.readouterr().err
    assert [nursery.closed for nursery in nurseries] == [True]


def test_little_is_imported_before_the_nursery_starts():
    """What takes a tenth of a second to import is imported while torch loads."""
    program = "import sys; from grader.commands import start_grade; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"click", "rich", "jinja2", "numpy", "torch", "dataclasses", "inspect"} & set(done.stdout.split())


def test_graders_read_what_the_coordinator_found_out_about_isolation():
    found = Isolation("good", ("uid", "limits"), ("No namespaces.",))
    settings = Settings("course", ["03"], 7, "out", program="", isolation=asdict(found))
    read = Settings(**json.loads(settings.to_json()))
    assert read.isolation is not None and Isolation.from_dict(read.isolation) == found


@pytest.mark.full
def test_dojo_needs_no_standard_output():
    """A job may start it with standard output closed; torch is loaded, so the program ends by itself."""
    code = "import torch; from grader.commands.start_dojo import main; main()"
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-c", code, "list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_while_dojo_is_imported_is_one_sentence():
    """The modules take half a second, in which somebody who has mistyped a word stops it."""
    code = (
        "import sys\n"
        "class Stops:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'grader.commands.dojo_questions': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stops())\n"
        "from grader.commands.start_dojo import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "dojo: stopped.\n")
