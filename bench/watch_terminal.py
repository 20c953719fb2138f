"""`dojo watch` in a terminal of its own, for bench.watch and for tests of what is on its screen."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pexpect
import pyte

from bench import ROOT

START_SECONDS, SECONDS = 180, 120  # guards: a start takes 4 seconds, a screen 2, on an idle machine
RUNNING = "checking: "
DOJO = "from grader.commands.dojo import main; main()"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def hears_ctrl_c() -> None:
    """Undo what a shell does to its background jobs, such as a part of `make test`: they ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class WatchTerminal:
    """`dojo watch` in a terminal of its own.

    `frames` are the screens it has drawn, without control sequences;
    `screen` is what a terminal shows of them, and `drawn` when the last of them was there, by time.perf_counter.
    """

    def __init__(
        self,
        kit: Path,
        number: str,
        height: int = 40,
        width: int = 80,
        command: str = "watch",
    ) -> None:
        environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES", "DISPLAY")}
        self.frames: list[str] = []
        self.drawn = 0.0
        self._shown = pyte.Screen(width, height)
        self._stream = pyte.Stream(self._shown)
        self._terminal = pexpect.spawn(
            sys.executable,
            ["-c", DOJO, command, number],
            cwd=str(kit),
            env=environment | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color"},
            dimensions=(height, width),
            timeout=START_SECONDS,
            encoding="utf-8",
            preexec_fn=hears_ctrl_c,
        )
        self._terminal.delaybeforesend = None

    def frame(self, seconds: float = SECONDS) -> str:
        """The next screen, whole."""
        self._terminal.expect(r"\x1b\[2J\x1b\[H(.*?q quit)", timeout=seconds)
        self.drawn = time.perf_counter()  # before pyte, which takes milliseconds
        self._stream.feed(self._terminal.match[0])
        self.frames.append(CONTROL.sub("", self._terminal.match[1]).replace("\r\n", "\n"))
        return self.frames[-1]

    def until(self, text: str, seconds: float = SECONDS) -> str:
        """The first screen from here on that has `text` in it; one with an old verdict only if that is the text."""
        end = time.monotonic() + seconds
        while True:
            frame = self.frame(max(0.1, end - time.monotonic()))
            if text in frame and (RUNNING in text or RUNNING not in frame):
                return frame

    @property
    def screen(self) -> str:
        """What a terminal shows after the latest frame, without spaces at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._shown.display).rstrip()

    def resize(self, width: int, height: int) -> None:
        """Another size of the window; the next screen that is drawn has it."""
        self._terminal.setwinsize(height, width)
        self._shown.resize(height, width)

    def press(self, keys: str) -> None:
        self._terminal.send(keys)

    def ended(self) -> int | None:
        """Its exit status, once it ends."""
        self._terminal.expect(pexpect.EOF, timeout=START_SECONDS)
        self._terminal.close()
        status: int | None = self._terminal.exitstatus
        return status

    def close(self) -> None:
        self._terminal.close(force=True)
