"""Hears of files that a student saves."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import watchfiles

from grader.dojo.session import Wakeup

DEBOUNCE_MILLISECONDS = 3
"""Milliseconds without another change before a change is reported. The library's default of 50 costs 70 per save."""


class Changes(Wakeup):
    """Reports that a Python file or notebook in `folder` was written, replaced, moved or removed."""

    def __init__(self, folder: Path, deep: bool = True) -> None:
        """`deep`: also in its subfolders."""
        super().__init__()
        self._folder, self._deep, self._stop = folder, deep, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Changes:
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
            self.report()


def time_since_save(path: Path, noticed: float | None) -> str:
    """`93 ms · ` since a save `noticed` at that time, by the file's time stamp where it is plausible; "" for None."""
    if noticed is None:
        return ""
    try:
        stamp = path.stat().st_mtime
    except OSError:
        stamp = noticed
    start = stamp if noticed - 1 < stamp <= noticed else noticed
    return f"{1000 * (time.time() - start):.0f} ms · "
