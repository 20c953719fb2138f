"""Does something again and again in a thread while other work goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def repeating(act: Callable[[], object], first: float, between: float) -> Iterator[None]:
    """Inside, `act` is called after `first` seconds and then every `between` seconds; never after the end."""
    over = threading.Event()

    def repeat() -> None:
        wait = first
        while not over.wait(wait):
            act()
            wait = between

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
