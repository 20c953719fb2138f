"""A training run's progress on a terminal and elsewhere, and its response to Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from grader.dojo.training.contract import Watch
from grader.publish.progress_bar import progress_bar


class Terminal:
    """A bar with loss and ETA on a terminal; elsewhere the log's lines and the time left."""

    def __init__(self) -> None:
        self._console = Console(markup=False, emoji=False, highlight=False)
        self._live = self._console.is_terminal and not self._console.is_dumb_terminal
        self._bar = progress_bar(self._console, self._live)
        self._task = self._bar.add_task("", start=False, total=None)
        self._began: tuple[float, int] | None = None
        self._said = time.monotonic()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._bar.stop()

    def line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def step(self, step: int, steps: int, loss: float) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = (now, step)
            self._bar.start()
            self._bar.start_task(self._task)
        self._bar.update(
            self._task, total=steps, completed=step, description=f"loss {loss:.4f}" if loss == loss else ""
        )
        if not self._live and now - self._said > 20 and step < steps and step > self._began[1]:
            self._said = now
            left = (now - self._began[0]) / (step - self._began[1]) * (steps - step)
            self.line(f"({100 * step // steps} % done, about {left // 60:.0f} min {left % 60:02.0f} s left)")


@contextmanager
def stop_on_interrupt(watch: Watch, terminal: Terminal) -> Iterator[None]:
    """The first Ctrl-C sets `watch.stopping`, so that the current step ends first; the second interrupts it."""
    before = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: object) -> None:
        if watch.stopping:
            raise KeyboardInterrupt
        watch.stopping = True
        if sys.stderr.isatty():
            terminal.line("Stopping after this step. (Ctrl-C again: at once.)")

    if before is signal.SIG_IGN:  # started in the background: Ctrl-C is for another program
        yield
        return
    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
