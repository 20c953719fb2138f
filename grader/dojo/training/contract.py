"""The interface between `dojo train` and a lesson's training script, and the files in DIR.

A lesson that can be trained names a script in its lesson.toml,

    [train]
    script = "training.py"

and the script has one function:

    def run(student: OwnFile, options: Options, watch: Watch, kept: dict | None) -> Outcome

It calls the student's functions with `student.call(name, ...)`, calls `watch.start` once when nothing prevents the run
any more, and reports each step to `watch`. When `watch.due`, it gives `watch.keep` all that it needs to continue; after
`--resume` it gets the same back as `kept`, and continues as if the run had not stopped. When `watch.stopping` becomes
true (Ctrl-C) it returns the results so far. It raises UserError with a sentence where nothing can be done; OwnFileError
may pass through.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.publish.inert import inert

CHECKPOINT, LOG, PAGE = "checkpoint.pt", "log.txt", "index.html"
TRAINING_RTOL = 1e-4
"""A gradient that differs from autograd's by more than this share of its size is wrong: rounding is far smaller."""
SECONDS_BETWEEN = 15.0
"""Seconds between two checkpoints: at most so much work is lost when the machine goes off."""


@dataclass(frozen=True)
class Options:
    """A run's options. `names` is None for the lesson's own data, `compared` None for the script's own choice.

    With `goes_on`, a gradient that is wrong is reported and the run goes on, next to autograd's; else it ends the run.
    """

    steps: int
    seed: int
    hidden: int
    autograd: bool = True
    names: str | None = None
    compared: tuple[int, ...] | None = None
    goes_on: bool = False


@dataclass(frozen=True)
class Comparison:
    """The lecture's `cmp` of one gradient. `maxdiff` is None where shapes differ, as `note` says.

    `relative` is maxdiff divided by the size of autograd's gradient, or by the size that is expected of it.
    """

    name: str
    shape: tuple[int, ...]
    exact: bool
    approximate: bool
    maxdiff: float | None
    relative: float | None = None
    note: str = ""

    @property
    def is_wrong(self) -> bool:
        return self.relative is None or not self.relative <= TRAINING_RTOL

    def line(self) -> str:
        found = "–" if self.maxdiff is None else repr(self.maxdiff)
        head = f"{self.name + ' ' + str(self.shape):15s} | exact: {self.exact!s:5s} | "
        return head + f"approximate: {self.approximate!s:5s} | maxdiff: {found}{f'   {self.note}' if self.note else ''}"


@dataclass
class Outcome:
    """All that the page shows. `problem` is why the run ended early, if not by Ctrl-C.

    `step` of `steps` are done; `finished`: nothing is left to do, including the evaluation.
    """

    title: str
    step: int
    steps: int
    finished: bool
    problem: str = ""
    can_resume: bool = True
    figures: list[tuple[str, str]] = field(default_factory=list)  # the most important numbers, with their names
    losses: list[float] = field(default_factory=list)  # one per step
    reference: list[float] | None = None  # autograd's losses
    window: int = 1  # the steps averaged in one point of the smooth curve
    comparisons: list[tuple[int, list[Comparison]]] = field(default_factory=list)
    table_head: list[str] = field(default_factory=list)  # of the table of losses
    table: list[list[str]] = field(default_factory=list)
    samples: list[tuple[str, bool]] = field(default_factory=list)  # what the network generates, and whether that is new
    facts: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Watch:
    """What a script reports to. `out` is DIR; `print_line` and `show_step` are the terminal's."""

    out: Path
    print_line: Callable[[str], None] = print
    show_step: Callable[[int, int, float], None] = lambda step, steps, loss: None
    stopping: bool = False  # Ctrl-C was pressed: end soon and keep everything
    lines: list[str] = field(default_factory=list)
    _kept_at: float = field(default_factory=time.monotonic)

    def start(self, anew: bool) -> None:
        """Makes DIR and its log.txt; called when nothing prevents the run any more."""
        with writing(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / LOG).write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")
            if anew:
                self.forget()

    def say(self, line: str) -> None:
        """A line for the terminal and for log.txt."""
        line = inert(line)  # a names file may hold anything
        self.lines.append(line)
        self.print_line(line)
        with writing(self.out), open(self.out / LOG, "a", encoding="utf-8") as log:
            log.write(line + "\n")

    def step(self, step: int, steps: int, loss: float) -> None:
        """`step` of `steps` are done, and the last loss was `loss`."""
        self.show_step(step, steps, loss)

    @property
    def due(self) -> bool:
        """Whether it is time to `keep` again."""
        return time.monotonic() - self._kept_at > SECONDS_BETWEEN

    def keep(self, options: Options, step: int, state: dict[str, Any]) -> None:
        """Writes the checkpoint of `step` steps; `state` is made of tensors, numbers, strings, lists and dicts."""
        import torch

        self._kept_at = time.monotonic()
        entry = {"version": 1, "options": asdict(options), "step": step, "state": state, "log": list(self.lines)}
        written = self.out / (CHECKPOINT + ".new")
        with writing(self.out):
            torch.save(entry, written)
            os.replace(written, self.out / CHECKPOINT)

    def forget(self) -> None:
        """Deletes the checkpoint: there is nothing to resume."""
        (self.out / CHECKPOINT).unlink(missing_ok=True)


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Raises UserError where a file cannot be written. (torch.save raises a RuntimeError.)"""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0][:200]
        raise UserError(f"{out} cannot be written ({reason}); give another folder with --out.") from error


def load_checkpoint(out: Path) -> dict[str, Any] | None:
    """{"options", "step", "state", "log"} of the run in `out`; None where there is none. Raises UserError."""
    import torch

    path = out / CHECKPOINT
    if not path.is_file():
        return None
    try:
        entry = torch.load(path, weights_only=True)
        if entry["version"] != 1:
            raise ValueError("it is of another version")
        known = dict(entry["options"])
        compared = known.pop("compared")
        options = Options(**known, compared=None if compared is None else tuple(compared))
        return {"options": options, "step": int(entry["step"]), "state": entry["state"], "log": list(entry["log"])}
    except Exception as error:
        raise UserError(
            f"{path} cannot be read as a checkpoint ({type(error).__name__}: {str(error).splitlines()[0][:200]}). "
            "Start anew with --fresh."
        ) from error
