"""Ctrl-C, SIGTERM and a closed terminal end a run between two results, never in the midst of writing one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stop:
    """Whether a run should end: it looks after each result, and while it waits for one."""

    def __init__(self) -> None:
        self.is_requested = False

    def request(self, *_: object) -> None:
        self.is_requested = True


@contextmanager
def stop_at_signals() -> Iterator[Stop]:
    """Handles the signals of the main thread. One that is ignored stays so: `nohup`, or a shell's background job."""
    stop, before = Stop(), {}
    if threading.current_thread() is threading.main_thread():
        handled = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, stop.request) for number in handled}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
