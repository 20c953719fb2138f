"""Keys pressed in a terminal, by name."""

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
"""What a terminal sends for an arrow, a function key, Alt and a letter, or Escape alone."""
NAMED_KEYS = {
    **dict.fromkeys(("\x1b[A", "\x1bOA"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB"), "down"),
    **dict.fromkeys(("\r", "\n"), "enter"),
    **dict.fromkeys(("\x7f", "\b"), "backspace"),
    "\x1b": "escape",
}


def keys_in(text: str) -> list[str]:
    """The keys that a terminal sent as `text`: a character as itself, others by name; unknown ones are left out."""
    found = []
    at = 0
    while at < len(text):
        sequence = SEQUENCE.match(text, at)
        key = sequence[0] if sequence else text[at]
        at += len(key)
        if key in NAMED_KEYS or (len(key) == 1 and key.isprintable()):
            found.append(NAMED_KEYS.get(key, key))
    return found


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
        """The keys pressed; None when the terminal is gone."""
        try:
            data = os.read(self.fileno(), 100)
        except OSError:
            return None
        return keys_in(data.decode("utf-8", "replace")) if data else None
