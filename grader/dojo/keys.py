"""What `dojo watch` waits for, as descriptors: keys, and changes of Python files and notebooks."""

from __future__ import annotations

import contextlib
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

SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?")
"""What a terminal sends for an arrow, a function key or Alt and a letter."""
STEP = 5
"""Milliseconds without another change before a change is reported. The library's default of 50 costs 70 per save."""


class Keys:
    """Single keys from standard input, without Enter; the terminal's settings are restored at the end."""

    def __init__(self, resumed: Callable[[], None]) -> None:
        """`resumed` is called when the program goes on after Ctrl-Z."""
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty()
        self._resumed = resumed

    def fileno(self) -> int:
        return sys.stdin.fileno()

    def __enter__(self) -> Keys:
        if self.is_terminal:
            self._settings = termios.tcgetattr(self.fileno())
            self._handler = signal.signal(signal.SIGCONT, self._continue)
            tty.setcbreak(self.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_terminal:
            signal.signal(signal.SIGCONT, self._handler)
            termios.tcsetattr(self.fileno(), termios.TCSADRAIN, self._settings)

    def _continue(self, number: int, frame: FrameType | None) -> None:
        tty.setcbreak(self.fileno())  # the shell has put its own settings back
        self._resumed()

    def take(self) -> str | None:
        """The keys pressed, without arrow keys and the like; None when the terminal is gone."""
        try:
            data = os.read(self.fileno(), 100)
        except OSError:
            return None
        if not data:
            return None
        return SEQUENCE.sub("", data.decode("utf-8", "replace")).lower()


class Changes:
    """Readable after a Python file or notebook in `folder` was written, replaced, moved or removed."""

    def __init__(self, folder: Path, deep: bool = True) -> None:
        """`deep`: also in its subfolders."""
        self._folder, self._deep, self._stop = folder, deep, threading.Event()
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def fileno(self) -> int:
        return self._read_end

    def __enter__(self) -> Changes:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(2)

    def report(self) -> None:
        """Reports a change that was not one."""
        with contextlib.suppress(BlockingIOError):  # it is readable already
            os.write(self._write_end, b".")

    def take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._read_end, 1000):
                pass

    def _watch(self) -> None:
        changes = watchfiles.watch(
            self._folder,
            watch_filter=lambda change, path: (
                path.endswith((".py", ".ipynb")) and not os.path.basename(path).startswith(".")
            ),
            recursive=self._deep,
            debounce=100,
            step=STEP,
            stop_event=self._stop,
            rust_timeout=1000,
            raise_interrupt=False,
        )
        for _ in changes:
            self.report()
