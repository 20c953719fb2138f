"""How `grade` and `dojo` start, and what graders read of their coordinator."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import GUARD_SECONDS, ROOT


@pytest.mark.full
def test_dojo_needs_no_standard_output():
    """A job may start it with standard output closed; torch is loaded, so the program ends by itself."""
    code = "import torch; from grader.commands.start_dojo import main; main()"
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-c", code, "list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_while_dojo_is_imported_is_one_sentence():
    """A command's modules take half a second, in which somebody who has mistyped a word stops it."""
    code = (
        "import sys\n"
        "class Stops:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'grader.commands.dojo_work': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stops())\n"
        "from grader.commands.start_dojo import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ndojo: stopped.\n")
