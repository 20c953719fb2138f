"""Keys pressed in a terminal, by name, and what they choose: a row, or a lesson or row found by its name."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

from rich.console import RenderableType
from rich.text import Text

from grader.lesson.lesson import Lesson

SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""What a terminal sends for an arrow, a function key, Alt and a letter, or Escape alone."""
NAMED = {
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
        if key in NAMED or (len(key) == 1 and key.isprintable()):
            found.append(NAMED.get(key, key))
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


TYPING_SECONDS = 1.0
"""Between two digits of one number."""


class RowChoice:
    """Remembers the digits typed so far: 1 and then 2 select row 1 and then row 12."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._typed, self._typed_at = clock, "", 0.0

    def press(self, key: str, names: Sequence[str], now: str | None) -> str | None:
        """The row in focus after a key; `now` is the one before it."""
        if not key.isdigit():
            step = 1 if key == "down" else -1
            at = names.index(now) + step if now in names else 0 if step > 0 else len(names) - 1
            return names[min(max(at, 0), len(names) - 1)] if names else None
        pressed_at = self._clock()
        self._typed = (self._typed if pressed_at - self._typed_at < TYPING_SECONDS else "") + key
        self._typed_at = pressed_at
        if int(self._typed) > len(names):
            self._typed = key
        return names[int(self._typed) - 1] if 0 < int(self._typed) <= len(names) else now


MOST_FOUND = 6

Found = tuple[Lesson, str | None]
"""A lesson, and a row of it or None for the lesson itself."""


class Search:
    """The state of a search: what was typed, what it finds, and which of that is selected."""

    def __init__(self, lessons: Sequence[Lesson], current: Lesson) -> None:
        """Rows of `current` come first."""
        self._lessons = [current, *(lesson for lesson in lessons if lesson.name != current.name)]
        self.typed, self.at, self.is_over = "", 0, False

    def found(self) -> list[Found]:
        """Lessons by number, name or title, then rows by name: those that begin with what was typed first."""
        words = self.typed.strip().lower()
        if not words:
            return []
        scored = sorted(
            ((score, number, entry) for number, entry in enumerate(self._all()) if (score := rank(words, entry)) < 3),
            key=lambda each: each[:2],
        )
        return [entry for _, _, entry in scored[:MOST_FOUND]]

    def _all(self) -> Iterator[Found]:
        for lesson in self._lessons:
            yield lesson, None
        for lesson in self._lessons:
            for item in lesson.items:
                yield lesson, item.name

    def press(self, key: str) -> Found | None:
        """Act on a key; what was chosen, once Enter is pressed."""
        found = self.found()
        if key == "escape" or (key == "backspace" and not self.typed):
            self.is_over = True
        elif key == "enter":
            self.is_over = True
            return found[self.at] if found else None
        elif key in ("up", "down"):
            self.at = min(max(self.at + (1 if key == "down" else -1), 0), max(len(found) - 1, 0))
        elif key == "backspace":
            self.typed, self.at = self.typed[:-1], 0
        elif len(key) == 1:
            self.typed, self.at = self.typed + key, 0
        return None

    def lines(self) -> Iterator[RenderableType]:
        yield Text.assemble(("find: ", "bold"), f"{self.typed}▏", ("  Enter goes there, Esc ends the search", "dim"))
        found = self.found()
        for number, (lesson, row) in enumerate(found):
            name = f"{lesson.number} {lesson.title}" if row is None else f"{lesson.number}.{row}"
            yield Text(f"{'▸' if number == self.at else ' '} {name}", "bold" if number == self.at else "")
        if self.typed.strip() and not found:
            yield Text("  No lesson and no row has this in its name.", "dim")


def rank(words: str, entry: Found) -> int:
    """0 for the beginning of a name, 1 for the middle of one, 2 for a title, 3 for nothing."""
    lesson, row = entry
    name = f"{lesson.number}.{row}".lower() if row else lesson.name.lower()
    short = row.lower() if row else lesson.name.partition("_")[2].lower()
    if name.startswith(words) or short.startswith(words) or (row is not None and short.startswith("d" + words)):
        return 0
    if words in name:
        return 1
    return 2 if row is None and words in lesson.title.lower() else 3
