"""Ctrl-C, SIGTERM and a closed terminal end a run between two results, never in the midst of writing one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

ElementType = TypeVar("ElementType")
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stop:
    """The first signal is a KeyboardInterrupt inside what makes the next item; any other is too late to matter."""

    def __init__(self) -> None:
        self._stopped = self._pending = self._waiting = False

    def handle_signal(self, number: int, frame: FrameType | None) -> None:
        if not self._stopped:
            self._stopped = self._pending = True
            if self._waiting:
                self._pending = False
                raise KeyboardInterrupt

    def each_item(self, items: Generator[ElementType, None, None]) -> Iterator[ElementType]:
        """Yield every item. A signal that arrives while the caller uses an item takes effect before the next one."""
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
def stop_at_signals() -> Iterator[Stop]:
    """Handles the signals of the main thread. One that is ignored stays so: `nohup`, or a shell's background job."""
    stop = Stop()
    before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
    if threading.current_thread() is threading.main_thread():
        handled = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, stop.handle_signal) for number in handled}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
