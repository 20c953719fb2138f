"""A row chosen with the arrow keys or its number."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

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
