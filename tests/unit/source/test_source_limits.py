"""The readers of source text: linear in its length, and in a process that is ended when a limit is reached."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from long_texts import FAMILIES
from support import GUARD_SECONDS, ROOT, calls_in, sampled, wait_until

from grader.intake.notebook.cells import Cell, NotebookError
from grader.intake.notebook.reading import read_lesson_part, read_notebook, read_notebook_limited
from grader.intake.notebook.script import Page
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.publish.excerpt import excerpt
from grader.source.own_functions import joint_gradients, nested_definitions
from grader.source.reader import ReadingFailed, ReadingStopped, SourceReader
from grader.source.similar_names import MAX_CANDIDATES, close_name, close_names
from grader.source.syntax import WrittenNumber
from grader.verdict.explain.edits.changed_functions import MAX_EDITED_NODES, MAX_EDITS, edits_of
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.contents import contents_of

SMALL = 500
TIMES = 4
GROWTH = 1.5 * TIMES
"""A text 4 times as long may take 6 times as many calls. Quadratic work would be 16 times."""
MAX_CALLS = 10 * MAX_EDITS * MAX_EDITED_NODES
"""Calls that the changes of one function may take: so many texts of so many nodes, ten calls for each node."""


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Course(ROOT).lessons["03_makemore_steps"]


def readers(lesson: Lesson) -> dict[str, Callable[[str], object]]:
    """Every reader of a student's text, in this process."""
    lessons = [notebook_lesson(lesson)]

    def as_notebook(text: str) -> object:
        cells = [{"cell_type": "code", "source": text}]
        return read_notebook(json.dumps({"cells": cells}).encode(), "a.ipynb", True, lessons)

    return {
        "contents": lambda text: contents_of(text, lesson.functions),
        "nested definitions": lambda text: nested_definitions(text, lesson.functions),
        "joint gradients": lambda text: joint_gradients(text, "dprobs", ["dlogprobs"], lesson.functions),
        "notebook": as_notebook,
        "excerpts": lambda text: [excerpt(text, name, None) for name in lesson.functions],
    }


def changes_of_the_code(lesson: Lesson) -> Callable[[str], object]:
    """Not linear, but bounded: as many changed texts as there are places to change, up to a number."""
    known = Known({"dlogprobs": [32, 27], "probs": [32, 27]}, ["n"], (1e-5,))
    return lambda text: [edits_of(text, name, "changed_", known) for name in lesson.functions[:2]]


def assert_linear(lesson: Lesson, text: Callable[[int], str]) -> None:
    for name, read in readers(lesson).items():
        short, long = (calls_in(partial(read, text(size))) for size in (SMALL, TIMES * SMALL))
        assert long <= GROWTH * short, f"{name}: {short:,} calls for {SMALL} characters, {long:,} for 4 times as many"


@sampled("family", FAMILIES, keep=1)
def test_work_is_linear_in_the_length_of_a_text(lesson, family):
    assert_linear(lesson, FAMILIES[family])


MAX_CHANGED = ["nonlocals", "globals", "functions in functions"]
"""Of 8,000 characters, these take the most calls."""


@sampled("family", [f if f in MAX_CHANGED else pytest.param(f, marks=pytest.mark.slow) for f in FAMILIES], keep=1)
def test_the_changes_of_a_function_are_bounded(lesson, family):
    assert calls_in(partial(changes_of_the_code(lesson), FAMILIES[family](8_000))) <= MAX_CALLS


# ---- the process ----


def test_a_notebook_comes_back_as_it_was_read(lesson):
    text = "n = 8\ndlogprobs = torch.zeros(8, 27)\ndlogprobs[range(n), Yb] = -1.0 / 8\n"
    there = read_notebook_limited(text.encode(), "a.py", False, [notebook_lesson(lesson)])
    here = read_lesson_part(notebook_lesson(lesson), Page([Cell("a.py", text)]), "a.py")
    assert there == {lesson.name: here}
    assert here.origin.texts == {"a.py": text}
    assert WrittenNumber(27.0, "a.py", 2) in here.origin.numbers["dlogprobs"]


@pytest.fixture(scope="module")
def limited() -> Iterator[SourceReader]:
    opened = SourceReader(0.3, 1 << 28)
    yield opened
    opened.close()


COMPUTES = sum, range(10**15)
"""A call that takes processor time only, without end."""


def read_well(reader: SourceReader) -> bool:
    nested = reader.call(nested_definitions, "if x:\n    def dprobs(a): pass\n", ["dprobs"])
    return bool(nested == {"dprobs": [2, "a block"]})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (COMPUTES, "reading it took more than 0.3 seconds"),
        ((bytearray, 1 << 30), "reading it took more than 256 MiB of memory"),
        ((os.abort,), "the process that read it was stopped twice"),
    ],
)
def test_a_text_that_reaches_a_limit_is_given_up_and_the_next_is_read(limited, call, sentence):
    with pytest.raises(ReadingStopped, match=f"^{re.escape(sentence)}$"):
        limited.call(*call)
    number = read_well(limited) and limited._process.pid
    assert read_well(limited) and limited._process.pid == number  # one process reads one text after another


def test_an_error_of_ours_is_no_fault_of_the_text(limited):
    with pytest.raises(ReadingFailed, match=r"int: ValueError: .*a mistake of ours"):
        limited.call(int, "a mistake of ours")
    assert read_well(limited)


def test_threads_share_one_process(limited):
    found: list[int] = []

    def read(is_right: bool) -> None:
        try:
            found.append(read_well(limited) if is_right else limited.call(*COMPUTES))
        except ReadingStopped:
            found.append(-1)

    threads = [threading.Thread(target=read, args=(is_right,)) for is_right in (True, False, True, True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD_SECONDS)
    assert sorted(found) == [-1, 1, 1, 1]


def test_the_process_ends_with_who_started_it(tmp_path):
    code = (
        "import os; from grader.source.reader import SourceReader\n"
        "reader = SourceReader(); reader.call(len, b'')\n"
        "print(reader._process.pid, flush=True); os._exit(0)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS, cwd=tmp_path
    )
    number = int(result.stdout)

    def has_ended() -> bool:
        try:
            os.kill(number, 0)
            return ") Z " in Path(f"/proc/{number}/stat").read_text()
        except (ProcessLookupError, FileNotFoundError):
            return True

    assert wait_until(has_ended), "the reader outlives its parent"


def test_the_readers_need_no_torch():
    code = (
        "import sys, grader.source.reader, grader.source.own_functions, grader.source.statement_names\n"
        "import grader.intake.notebook.reading\n"
        "import grader.verdict.explain.edits.contents\n"
        "import grader.verdict.explain.edits.changed_functions\n"
        "print('torch' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS, check=True
    )
    assert result.stdout == "False\n"


# ---- what becomes of a submission ----


def test_a_notebook_that_reaches_a_limit_is_refused_with_a_sentence(lesson, monkeypatch):
    def stopped(*_: object) -> None:
        raise ReadingStopped("reading it took more than 0.05 seconds")

    monkeypatch.setattr(SourceReader, "call", stopped)
    text = FAMILIES["in the lecture's manner"](1_000).encode()
    with pytest.raises(NotebookError, match=r"reading it took more than 0\.05 seconds\. Submit the exercise's cells"):
        read_notebook_limited(text, "a.py", False, [notebook_lesson(lesson)])


def test_a_close_name_is_looked_for_among_few():
    assert close_name("dlogits", ["dlogit", "x"]) == "dlogit"
    assert close_name("dlogits", ["x" * 1_000_000, "dlogit" + "s" * 1000]) is None
    assert close_name("dlogits", [*(f"zzzz{n}" for n in range(MAX_CANDIDATES)), "dlogit"]) is None
    for other in ("DLOGITS", "d_logits", "grad_logits", "logits_grad", "compute_dlogits", "dL_dlogits", "dlogts"):
        assert close_name("dlogits", ["dprobs", other, "helper"]) == other
    for other in ("helper", "softmax", "d", "grad", "backward", ""):
        assert close_name("dlogits", [other]) is None


def test_each_name_is_meant_by_one_name_at_most():
    wanted = ["dcounts", "dcounts_sum", "dcounts_sum_inv", "dx"]
    assert close_names(wanted, ["dcount_sum"]) == {"dcounts_sum": "dcount_sum"}
    assert close_names(wanted, ["dcounts_suminv", "grad_x", "dcounts2"]) == {
        "dcounts_sum_inv": "dcounts_suminv",
        "dx": "grad_x",
        "dcounts": "dcounts2",
    }
