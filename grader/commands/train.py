"""`dojo train`: the student's own gradients train a network. Every error is a sentence on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from grader.commands.console import STOPPED, fail
from grader.commands.options import EXISTING_FOLDER, FOLDER
from grader.dojo.training.contract import LOG, Outcome, Watch
from grader.dojo.training.setup import (
    NEW,
    OUT,
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
from grader.dojo.training.terminal import Terminal, stop_on_interrupt
from grader.errors import UserError

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
    type=FOLDER,
    metavar="DIR",
    help=f"Folder for the page, the log and the checkpoint.  [default: {OUT}, {OUT}/15 for lesson 15]",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR.")
@click.option("--fresh", is_flag=True, help="Start a new run, even if the one in DIR is not finished.")
@click.option("--lesson", "lesson_name", metavar="L", help="The lesson, if several lessons of a course can be trained.")
@click.option("--course", type=EXISTING_FOLDER, help="Folder with exercises/.")
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
            watch = Watch(out or OUT, terminal.line, terminal.step)
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
