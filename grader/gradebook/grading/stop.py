"""Ctrl-C, SIGTERM and a closed terminal end a run between two results, never in the midst of writing one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stop:
    """The first signal is a KeyboardInterrupt inside what makes the next item; any other is too late to matter."""

    def __init__(self) -> None:
        self._asked = self._pending = self._waiting = False

    def heard(self, number: int, frame: FrameType | None) -> None:
        if not self._asked:
            self._asked = self._pending = True
            if self._waiting:
                self._pending = False
                raise KeyboardInterrupt

    def over(self, items: Generator[Item, None, None]) -> Iterator[Item]:
        """Every item; a signal while one is being used is kept until the next is wanted."""
        while True:
            self._waiting = True
            try:
                if self._pending:
                    self._pending = False
                    raise KeyboardInterrupt
                item = next(items)
            except StopIteration:
                return
            except KeyboardInterrupt:
                item = items.throw(KeyboardInterrupt())  # raises it again, unless they have something left to give
            finally:
                self._waiting = False
            yield item


@contextmanager
def stopping_at_signals() -> Iterator[Stop]:
    """Handles the signals of the main thread. One that is ignored stays so: `nohup`, or a shell's background job."""
    stop = Stop()
    before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
    if threading.current_thread() is threading.main_thread():
        heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, stop.heard) for number in heeded}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
