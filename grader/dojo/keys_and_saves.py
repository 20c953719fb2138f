"""What a student does while `dojo watch` runs: keys pressed and files saved, each reported by a thread of its own."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import watchfiles

SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What a terminal sends for an arrow, a function key, Alt and a letter, or Escape. `dojo` uses none of these keys."""
DEBOUNCE_MILLISECONDS = 3
"""Milliseconds without another change before a change is reported. The library's default of 50 costs 70 per save."""


class Keys:
    """Single keys from a terminal on standard input, without Enter; its settings are restored at the end."""

    def __init__(self, report: Callable[[str], object], resumed: Callable[[], object]) -> None:
        """`report` gets each letter, in lower case; `resumed` is called when the program goes on after Ctrl-Z."""
        self._report, self._resumed = report, resumed
        self._is_terminal = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> Keys:
        if self._is_terminal:
            self._input = sys.stdin.fileno()
            self._settings = termios.tcgetattr(self._input)
            self._handler = signal.signal(signal.SIGCONT, self._continue)
            tty.setcbreak(self._input)
            threading.Thread(target=self._read, name="keys", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal:
            signal.signal(signal.SIGCONT, self._handler)
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._settings)

    def _continue(self, number: int, frame: FrameType | None) -> None:
        tty.setcbreak(self._input)  # the shell has put its own settings back
        self._resumed()

    def _read(self) -> None:
        try:
            while data := os.read(self._input, 100):
                for key in SEQUENCE.sub("", data.decode("utf-8", "replace")).lower():
                    self._report(key)
        except OSError:  # the terminal is gone; saves are still checked
            return


class Saves:
    """Reports that a Python file or notebook in `folder` was written, replaced, moved or removed."""

    def __init__(self, folder: Path, deep: bool, report: Callable[[], object]) -> None:
        """`deep`: also in its subfolders."""
        self._folder, self._deep, self._report, self._stop = folder, deep, report, threading.Event()
        self._thread = threading.Thread(target=self._watch, name="saves", daemon=True)

    def __enter__(self) -> Saves:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(2)

    def _watch(self) -> None:
        changes = watchfiles.watch(
            self._folder,
            watch_filter=lambda change, path: (
                path.endswith((".py", ".ipynb")) and not os.path.basename(path).startswith(".")
            ),
            recursive=self._deep,
            debounce=100,
            step=DEBOUNCE_MILLISECONDS,
            stop_event=self._stop,
            rust_timeout=1000,
            raise_interrupt=False,
        )
        for _ in changes:
            self._report()
