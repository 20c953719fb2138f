"""What a step prints, shown with the name of the function that printed it."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT

from grader.sandbox.workers.printed import Output, lines_by_label

PROGRAM = """
import os, sys
from grader.sandbox.workers.printed import LabelledStream, flush_output, label_output
label_output()
LabelledStream.label = "backward.py"
print("loaded")
LabelledStream.label = "dx"
print("one\\n\\nthree")
print("half", end="")
LabelledStream.label = "dy"
print("\\rbar\\rbar", end="\\n")
print("an error", file=sys.stderr)
sys.stdout.close()
flush_output()
os.write(1, b"past the stream")
"""


def test_every_line_begins_with_the_function_that_ran() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b"dy: an error\n"
    lines = ["backward.py: loaded", "dx: one", "dx: ", "dx: three", "dx: half", "dy: ", "dy: bar", "dy: bar"]
    assert done.stdout.decode().splitlines() == [*lines, "past the stream"]
    assert lines_by_label(done.stdout, "backward.py") == [lines[0], "backward.py: past the stream", *lines[1:]]


def test_a_label_that_no_function_has_is_a_part_of_the_line() -> None:
    data = b"not a name: b\ndx!: c\n\xff\n"
    assert lines_by_label(data, "file") == ["file: not a name: b", "file: dx!: c", "file: \ufffd"]


def test_the_first_and_the_last_lines_of_each_function() -> None:
    data = b"".join(b"dx: %d\ndy: y\n" % i for i in range(30))
    shown = lines_by_label(data, "file")
    assert shown[:11] == [f"dx: {i}" for i in range(5)] + ["dx: … 20 more lines …"] + [
        f"dx: {i}" for i in range(25, 30)
    ]
    assert len(shown) == 22


def test_the_beginning_is_kept() -> None:
    output = Output(3)
    output.write(b"load")
    output.write(b"ed")
    assert (output.data, output.total) == (b"loa", 6)
