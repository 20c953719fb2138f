"""The `dojo` command: what a student types about their own work. Every error is a sentence on standard error."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from grader.training import Options, Outcome, Unusable, Watch, load_checkpoint

DONE, UNUSABLE, STOPPED = 0, 2, 130
NEW = {"steps": 200_000, "seed": 2147483647, "hidden": 200, "autograd": True}
"""What a new run is made of where nothing else is asked for: the lecture's numbers."""

EPILOG = """\b
Examples:
  dojo train                       trains with your gradients, for a few minutes

\b
Shell completion: eval "$(_DOJO_COMPLETE=bash_source dojo)"   (or zsh_source, fish_source)
"""

TRAIN_EPILOG = """\b
Examples:
  dojo train                            your own file, the lecture's 200,000 steps
  dojo train --steps 2000               a first look, in seconds
  dojo train --names names.txt          the lecture's list of names, if you have it
  dojo train --resume                   goes on after Ctrl-C, as if nothing had been
  dojo train ada/backward.py -o ada     somebody else's file that you trust

\b
Exit status: 0 done, 2 something is missing or wrong (told in one sentence), 130 stopped by Ctrl-C.
"""


def fail(message: str, status: int = UNUSABLE) -> NoReturn:
    click.echo(f"dojo: {message}", err=True)
    raise SystemExit(status)


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="backprop-ninja")
def main() -> None:
    """Practises backpropagation by hand. Your files run as if you ran them yourself: only for code that you trust."""


@main.command(epilog=TRAIN_EPILOG)
@click.argument("submission", required=False, type=click.Path(path_type=Path))
@click.option(
    "--names", type=click.Path(path_type=Path), metavar="FILE", help="A name a line.  [default: the lesson's]"
)
@click.option("--steps", type=click.IntRange(1), help=f"[default: {NEW['steps']:,}]")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of parameters and batches.  [default: the lecture's]")
@click.option("--hidden", type=click.IntRange(1), help=f"Units in the hidden layer.  [default: {NEW['hidden']}]")
@click.option(
    "--cmp",
    "compared",
    type=click.IntRange(0),
    multiple=True,
    metavar="STEP",
    help="Compare the gradients at this step; may be repeated.  [default: first, quarters, last]",
)
@click.option("--without-autograd", is_flag=True, help="Train your own network only: twice as fast, nothing beside it.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("training"),
    show_default=True,
    metavar="DIR",
    help="Where page, log and checkpoint go.",
)
@click.option("--resume", is_flag=True, help="Go on with the run in DIR.")
@click.option("--fresh", is_flag=True, help="Start anew, even if the run in DIR is not finished.")
@click.option("--lesson", "wanted", metavar="L", help="Which lesson, if a course has several that train.")
@click.option("--course", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with exercises/.")
def train(
    submission: Path | None,
    names: Path | None,
    steps: int | None,
    seed: int | None,
    hidden: int | None,
    compared: tuple[int, ...],
    without_autograd: bool,
    out: Path,
    resume: bool,
    fresh: bool,
    wanted: str | None,
    course: Path | None,
) -> None:
    """Trains a network with your own gradients, and one with autograd's beside it.

    SUBMISSION is your file or its folder; without it, the lesson's own in the course around you.
    """
    asked = {"steps": steps, "seed": seed, "hidden": hidden, "compared": compared or None}
    asked |= {"names": str(names.resolve()) if names else None, "autograd": False if without_autograd else None}
    asked = {name: value for name, value in asked.items() if value is not None}
    with Terminal() as terminal:
        watch = Watch(out, terminal.line, terminal.step)
        with heeding(watch, terminal):
            try:
                lesson, script = find_script(find_course(course), wanted)
                kept = kept_run(out, resume, fresh, shlex.join(go_on(submission, out)))
                options = options_for(asked, kept)
                outcome, page = train_with(script, own_path(submission, lesson), options, watch, kept, submission)
            except Unusable as error:
                terminal.close()
                fail(str(error))
            except KeyboardInterrupt:
                terminal.close()
                fail("stopped; what there was is kept.", STOPPED)
    finish(outcome, page, watch, shlex.join(go_on(submission, out)))


def train_with(
    script: Path, path: Path, options: Options, watch: Watch, kept: dict[str, Any] | None, submission: Path | None
) -> tuple[Outcome, Path]:
    """Runs a lesson's script on a student's file; the page is on disk afterwards. Raises Unusable."""
    from grader.lesson import LessonError, load_module
    from grader.own_file import OwnFile, OwnFileError
    from grader.training_page import write_page

    try:
        module = load_module(script, f"backprop_ninja_script_{script.parent.name}")
        student = OwnFile(path)
        watch.lines += kept["log"] if kept else []
        outcome: Outcome = module.run(student, options, watch, kept["state"] if kept else None)
    except (LessonError, OwnFileError) as error:
        raise Unusable(str(error)) from error
    return outcome, write_page(outcome, watch.out, shlex.join(go_on(submission, watch.out)))


def finish(outcome: Outcome, page: Path, watch: Watch, resume: str) -> None:
    """Says where everything is, and ends with the run's exit status."""
    if not outcome.finished and not outcome.problem:
        where = "before the evaluation" if outcome.step == outcome.steps else f"at step {outcome.step:,}"
        click.echo(f"Stopped {where} of {outcome.steps:,}; all of it is kept. Go on with: {resume}")
    click.echo(f"The page: {page}")
    click.echo(f"The log:  {watch.out / 'log.txt'}")
    if outcome.problem:
        fail(outcome.problem + (f"\nWhat there is, is kept. When it is mended: {resume}" if outcome.can_resume else ""))
    raise SystemExit(DONE if outcome.finished else STOPPED)


# What was asked for ---------------------------------------------------------------------------------------------------


def find_course(given: Path | None) -> Path:
    """As given, or the nearest folder upwards that has exercises/, or the one beside this package."""
    here = Path.cwd()
    for folder in [given] if given else [here, *here.parents, Path(__file__).resolve().parent.parent]:
        if any((folder / "exercises").glob("*/lesson.toml")):
            return folder
    raise Unusable("no course found: run this inside a folder that has exercises/, or name one with --course.")


def find_script(course: Path, wanted: str | None) -> tuple[Path, Path]:
    """(the folder of the lesson that can be trained, its script)."""
    found = {}
    for path in sorted((course / "exercises").glob("*/lesson.toml")):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8")).get("train")
        except (OSError, tomllib.TOMLDecodeError):
            continue  # `grade verify` tells about it
        if table:
            found[path.parent.name] = (path.parent, path.parent / table["script"])
    number = wanted.zfill(2) if wanted and wanted.isdigit() else wanted
    chosen = [name for name in found if number is None or number in (name, *name.split("_", 1))]
    if len(chosen) == 1:
        return found[chosen[0]]
    if not found:
        raise Unusable(f"{course} has no lesson to train: none has a table [train] in its lesson.toml.")
    raise Unusable(f"name the lesson to train with --lesson: {', '.join(found)}.")


def own_path(submission: Path | None, lesson: Path) -> Path:
    """The student's file."""
    if submission is None or submission.is_file():
        path = submission or lesson / "backward.py"
        shown = Path(os.path.relpath(path))
        path = shown if ".." not in shown.parts else path
    else:
        places = [submission / "backward.py", submission / lesson.name / "backward.py"]
        places.append(submission / "exercises" / lesson.name / "backward.py")
        path = next((place for place in places if place.is_file()), places[0])
    if not path.is_file():
        raise Unusable(f"{path} does not exist: name your file or its folder.")
    return path


def kept_run(out: Path, resume: bool, fresh: bool, command: str) -> dict[str, Any] | None:
    """The checkpoint to go on from. Raises Unusable rather than throw away a run that is not finished."""
    if fresh and not resume:
        return None
    kept = load_checkpoint(out)
    if resume and kept is None:
        raise Unusable(f"there is nothing to go on from in {out}/. Start a run with `dojo train`.")
    if kept and not resume:
        done, steps = len(kept["state"]["losses"]), kept["options"].steps
        if done < steps:
            raise Unusable(
                f"{out}/ holds a run that was stopped at step {done:,} of {steps:,}. Go on with `{command}`, "
                "start anew with --fresh, or choose another folder with --out."
            )
        return None
    return kept


def options_for(asked: dict[str, Any], kept: dict[str, Any] | None) -> Options:
    """A new run's options, or the kept ones, with which whatever is asked for must agree."""
    if kept is None:
        return Options(**{**NEW, **asked})
    options: Options = kept["options"]
    for name, value in asked.items():
        if name == "names":
            continue  # the file may have moved; its contents are compared
        if value != getattr(options, name):
            option = {"compared": "--cmp", "autograd": "--without-autograd"}.get(name, f"--{name}")
            raise Unusable(
                f"the run in this folder began with another {option}; it goes on as it began. Leave {option} away, or "
                "start a new run with --fresh or in another folder with --out."
            )
    return Options(**{**vars(options), "names": asked.get("names", options.names)})


def go_on(submission: Path | None, out: Path) -> list[str]:
    """The command that goes on with this run."""
    folder = ["-o", str(out)] if out != Path("training") else []
    return ["dojo", "train", *([str(submission)] if submission else []), *folder, "--resume"]


# The terminal ---------------------------------------------------------------------------------------------------------


class Terminal:
    """A bar with loss and ETA on a terminal; elsewhere plain lines, those of the log with the time left."""

    def __init__(self) -> None:
        self._console = Console()
        self._live = self._console.is_terminal and not self._console.is_dumb_terminal
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task("", total=None)
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
        self._bar.update(
            self._task, total=steps, completed=step, description=f"loss {loss:.4f}" if loss == loss else ""
        )
        if not self._live and now - self._said > 20 and step < steps and step > self._began[1]:
            self._said = now
            left = (now - self._began[0]) / (step - self._began[1]) * (steps - step)
            self.line(f"({100 * step // steps} % done, about {left // 60:.0f} min {left % 60:02.0f} s left)")


@contextmanager
def heeding(watch: Watch, terminal: Terminal) -> Iterator[None]:
    """The first Ctrl-C lets the step that runs end; a second one does not wait for it."""
    before = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: object) -> None:
        if watch.stopping:
            raise KeyboardInterrupt
        watch.stopping = True
        if sys.stderr.isatty():
            terminal.line("Stopping after this step. (Ctrl-C once more: at once.)")

    if before is signal.SIG_IGN:  # started in the background: Ctrl-C is meant for somebody else
        yield
        return
    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    main()
