"""Single keys from a terminal."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import tty
from collections.abc import Callable
from types import FrameType

SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What a terminal sends for an arrow, a function key, Alt and a letter, or Escape. `dojo` uses none of these keys."""


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

    def take(self) -> list[str] | None:
        """The letters pressed, in lower case; None when the terminal is gone."""
        try:
            data = os.read(self.fileno(), 100)
        except OSError:
            return None
        return list(SEQUENCE.sub("", data.decode("utf-8", "replace")).lower()) if data else None
