"""`dojo train`: the student's own gradients train a network. Every error is a sentence on standard error."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from grader.commands.console import STOPPED, fail
from grader.commands.dojo_desk import exercises_option
from grader.commands.options import FOLDER_PATH
from grader.dojo.training.contract import LOG, Outcome, Watch
from grader.dojo.training.setup import (
    DEFAULT_TRAINING_FOLDER,
    NEW,
    find_script,
    folder_for,
    kept_run,
    lesson_and_file,
    options_for,
    own_path,
    resume_command,
    train_with,
    training_course,
)
from grader.errors import UserError
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


TRAIN_EPILOG = """\b
Examples:
  dojo train                            your own file, the lecture's 200,000 steps
  dojo train 15                         the GPT of lesson 15
  dojo train --steps 2000               a first look, in seconds
  dojo train --names names.txt          the lecture's list of names, if you have it
  dojo train --compare                  goes on although a gradient is wrong: see what that does
  dojo train --resume                   continues after Ctrl-C, with the same result
  dojo train my_network.py              a network of your own, next to autograd
  dojo train ada/backward.py -o ada     somebody else's file that you trust

\b
Exit status: 0 done, 2 something is missing or wrong (the message says what), 130 stopped by Ctrl-C.
"""


@click.command(epilog=TRAIN_EPILOG)
@click.argument("submission", required=False, type=click.Path(path_type=Path))
@click.option(
    "--names", type=click.Path(path_type=Path), metavar="FILE", help="One name per line.  [default: the lesson's]"
)
@click.option("--steps", type=click.IntRange(1), help=f"[default: {NEW['steps']:,}, or the lesson's]")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), help="Draws the parameters and the batches.  [default: the lecture's]"
)
@click.option(
    "--hidden", type=click.IntRange(1), help=f"Units in the hidden layer.  [default: {NEW['hidden']}, or the lesson's]"
)
@click.option(
    "--cmp",
    "compared",
    type=click.IntRange(0),
    multiple=True,
    metavar="STEP",
    help="Compare the gradients at this step; may be repeated.  [default: first, quarters, last]",
)
@click.option(
    "--compare", "goes_on", is_flag=True, help="Go on with a wrong gradient, next to autograd's run.  [default: stop]"
)
@click.option(
    "--without-autograd", is_flag=True, help="Train only your own network: twice as fast, without a comparison."
)
@click.option(
    "-o",
    "--out",
    type=FOLDER_PATH,
    metavar="DIR",
    help="Folder for the page, the log and the checkpoint.  "
    f"[default: {DEFAULT_TRAINING_FOLDER}, {DEFAULT_TRAINING_FOLDER}/15 for lesson 15]",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR.")
@click.option("--fresh", is_flag=True, help="Start a new run, even if the one in DIR is not finished.")
@click.option("--lesson", "lesson_name", metavar="L", help="The lesson, if several lessons of a course can be trained.")
@exercises_option
def train(
    submission: Path | None,
    names: Path | None,
    steps: int | None,
    seed: int | None,
    hidden: int | None,
    compared: tuple[int, ...],
    goes_on: bool,
    without_autograd: bool,
    out: Path | None,
    resume: bool,
    fresh: bool,
    lesson_name: str | None,
    course: Path | None,
) -> None:
    """Trains a network with your own gradients.

    Next to it, a second network learns with autograd's gradients.

    SUBMISSION is your file or its folder, or the number of a lesson. Without it, lesson 07 is trained. A file with a
    function `forward` is a network of your own: see my_network.py in the folder of lesson 07.
    """
    given: dict[str, Any] = {"steps": steps, "seed": seed, "hidden": hidden, "compared": compared or None}
    given |= {"names": str(names.resolve()) if names else None, "autograd": False if without_autograd else None}
    given |= {"goes_on": goes_on or None}
    if goes_on and without_autograd:
        raise UserError("--compare needs autograd's run: leave --without-autograd away.")
    given = {name: value for name, value in given.items() if value is not None}
    if resume and fresh:
        raise UserError("--resume goes on with a run and --fresh throws it away: give one of them.")
    go_on = resume_command(submission, out, lesson_name, course) + " --resume"
    try:
        with Terminal() as terminal:
            watch = Watch(out or DEFAULT_TRAINING_FOLDER, terminal.line, terminal.step)
            with stop_on_interrupt(watch, terminal):
                where = training_course(course)
                wanted, submission = lesson_and_file(where, submission, lesson_name)
                lesson, config = find_script(where, wanted)
                watch.out = out = out or folder_for(where, lesson)
                kept = kept_run(out, resume, fresh, go_on)
                options = options_for(given, kept, config.training_options)
                outcome = train_with(
                    lesson / config.training_script, own_path(submission, lesson), options, watch, kept
                )
                from grader.dojo.training.page import write_page  # torch comes with it: `dojo --help` need not wait

                page = write_page(outcome, out, go_on)
    except KeyboardInterrupt:
        fail("stopped at once; what the last checkpoint holds is kept.", STOPPED, "dojo")
    end_training(outcome, page, out, go_on)


def end_training(outcome: Outcome, page: Path, out: Path, go_on: str) -> None:
    """Print where page and log are, and end with the run's exit status. Raises UserError for a run with a problem."""
    if not outcome.finished and not outcome.problem:
        where = "before the evaluation" if outcome.step == outcome.steps else f"at step {outcome.step:,}"
        kept = f"; all of it is kept. Go on with: {go_on}" if outcome.can_resume else "; the page has what there is."
        click.echo(f"Stopped {where} of {outcome.steps:,}{kept}")
    click.echo(f"The page: {page}")
    click.echo(f"The log:  {out / LOG}")
    if outcome.problem:
        advice = f"\nWhat there is, is kept. When it is fixed: {go_on}" if outcome.can_resume else ""
        raise UserError(outcome.problem + advice)
    raise SystemExit(0 if outcome.finished else STOPPED)
