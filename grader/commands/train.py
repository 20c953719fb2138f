"""`dojo train`: the student's own gradients train a network."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import click

from grader.commands.command_line import POSITIVE, STOPPED, argument, fail, option
from grader.commands.console import console_for, progress_bar
from grader.commands.options import ExercisesFolder
from grader.dojo.desk import named_lesson, student_course
from grader.dojo.file import is_file, shown_path
from grader.errors import LessonError, UserError
from grader.lesson.config import LessonConfig, lesson_config
from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE

TRAINING_FOLDER = Path("my-training")  # not "training": that name would be taken for a submission of the lesson
DEFAULT_STEPS, DEFAULT_HIDDEN = 1000, 100


def train(
    word: Annotated[str | None, argument("[LESSON]")],
    steps: Annotated[int | None, option("--steps N", "[default: the lesson's; 200,000 in lesson 07]", POSITIVE)],
    resume: Annotated[bool, option("--resume", "Continue the last run of this lesson.")],
    course: ExercisesFolder,
) -> None:
    """Trains a network with your own gradients, next to a second one that learns with autograd's.

    The curve and what --resume needs are in my-training/. Instead of a LESSON you may name your FILE. A file
    with a function `forward` is a network of your own: see my_network.py in the folder of lesson 07.

    Examples:
      dojo train                            lesson 07: the lecture's network, 200,000 steps
      dojo train 15 --steps 2000            a first look at the GPT of lesson 15
      dojo train my_network.py              a network of your own

    Exit status: 0 done, 2 something is missing or wrong (the message says what), 130 stopped by Ctrl-C.
    """
    root = student_course(course)
    networks = trainable(root)
    lesson, path = lesson_and_file(root, networks, word)
    config, first = networks[lesson], next(iter(networks))
    out = TRAINING_FOLDER if lesson == first else TRAINING_FOLDER / lesson.partition("_")[0]
    from grader.dojo.training import CURVE, OwnFile, TrainingRun, load_checkpoint  # torch comes with it
    from grader.lesson.course_modules import load_module

    steps = steps or (load_checkpoint(out)["steps"] if resume else config.train.steps or DEFAULT_STEPS)
    script = load_module(root / "exercises" / lesson / config.train.script, f"backprop_ninja_script_{lesson}")
    network = script.network(OwnFile(path), steps, config.train.hidden or DEFAULT_HIDDEN)
    out_of_terminal = console_for()
    with progress_bar(out_of_terminal, out_of_terminal.is_terminal) as bar:
        task = bar.add_task("", total=steps)

        def show_step(step: int, loss: float) -> None:
            bar.update(task, completed=step, description=f"loss {loss:.4f}")

        def print_line(line: str) -> None:
            out_of_terminal.print(line, soft_wrap=True)

        run = TrainingRun(network, out, print_line, show_step)
        finished = run.run(resume)
    click.echo(f"The curve: {out / CURVE}")
    if not finished:
        typed = " ".join(["dojo train", *([word] if word else []), "--resume"])
        fail(f"stopped after {run.step:,} of {steps:,} steps, which are kept. Go on with: {typed}", STOPPED, "dojo")


def trainable(course: Path) -> dict[str, LessonConfig]:
    """{name: lesson.toml} of the lessons with a table [train], in order. Raises UserError where there is none."""
    found = {}
    for path in sorted((course / "exercises").glob("*/lesson.toml")):
        with contextlib.suppress(LessonError):  # `grade verify` reports it
            config = lesson_config(path.parent)
            if config.train.script:
                found[path.parent.name] = config
    if not found:
        raise UserError(f"{course} has no lesson to train: none has a table [train] in its lesson.toml.")
    return found


def lesson_and_file(course: Path, networks: dict[str, LessonConfig], word: str | None) -> tuple[str, Path]:
    """(the lesson to train, the student's file) for a LESSON, a FILE or nothing. Raises UserError."""
    lesson, path = next(iter(networks)), None
    if word is not None and (is_file(word) or Path(word).is_dir()):
        path = Path(word) / BACKWARD_FILE if Path(word).is_dir() else Path(word)
        lesson = next((name for name in networks if name in path.resolve().parts), lesson)
    elif word is not None:
        named, _, after = named_lesson(Course(course, secrets=False), word)
        if named is None or after or named.name not in networks:
            others = ", ".join(f"`dojo train {name.partition('_')[0]}`" for name in networks)
            what = f"Lesson {named.number}" if named is not None else repr(word)
            raise UserError(f"{what} has no network to train; these have: {others}.")
        lesson = named.name
    path = Path(shown_path(path or course / "exercises" / lesson / BACKWARD_FILE))
    if not path.is_file():
        raise UserError(f"{path} does not exist.")
    return lesson, path
