"""`dojo train`: the student's own gradients train a network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from grader.commands.command_line import POSITIVE, STOPPED, argument, fail, option
from grader.commands.console import ProgressBar, console_for, say
from grader.commands.dojo_work import AtDesk
from grader.dojo.work import Work
from grader.errors import UserError
from grader.lesson.lesson import Lesson

TRAINING_FOLDER = Path("my-training")  # not "training": that name would be taken for a submission of the lesson
DEFAULT_STEPS, DEFAULT_HIDDEN = 1000, 100


def train(
    word: Annotated[str | None, argument("[LESSON]")],
    steps: Annotated[int | None, option("--steps N", "[default: the lesson's; 200,000 in lesson 07]", POSITIVE)],
    resume: Annotated[bool, option("--resume", "Continue the last run of this lesson.")],
    at: AtDesk,
) -> None:
    """Trains a network with your own gradients, next to a second one that learns with autograd's.

    The curve and what --resume needs are in my-training/. Instead of a LESSON you may name your FILE. A file
    with a function `forward` is a network of your own: see my_network.py in the folder of lesson 07.

    Examples:
      dojo train 15 --steps 2000            a first look at the GPT of lesson 15; without a LESSON, lesson 07
      dojo train my_network.py              a network of your own
    """
    networks = [lesson for lesson in at.course.lessons.values() if lesson.config.train.script]
    work = Work.chosen(at, [word] if word else [])
    lesson = lesson_to_train(work, networks)
    path, settings = Path(work.shown(lesson)), lesson.config.train
    if not path.is_file():
        raise UserError(f"{path} does not exist.")
    out = TRAINING_FOLDER if lesson == networks[0] else TRAINING_FOLDER / lesson.number
    from grader.dojo.training import CURVE, OwnFile, TrainingRun, load_checkpoint  # torch comes with it
    from grader.lesson.course_modules import load_module

    steps = steps or (load_checkpoint(out)["steps"] if resume else settings.steps or DEFAULT_STEPS)
    script = load_module(lesson.exercise / settings.script, f"backprop_ninja_script_{lesson.name}")
    network = script.network(OwnFile(path), steps, settings.hidden or DEFAULT_HIDDEN)
    console = console_for()
    with ProgressBar(console) as bar:
        task = bar.add_task("", total=steps)

        def show_step(step: int, loss: float) -> None:
            bar.update(task, completed=step, description=f"loss {loss:.4f}")

        run = TrainingRun(network, out, lambda line: console.print(line, soft_wrap=True), show_step)
        finished = run.run(resume)
    say(f"The curve: {out / CURVE}")
    if not finished:
        typed = " ".join(["dojo train", *([word] if word else []), "--resume"])
        fail(f"stopped after {run.step:,} of {steps:,} steps, which are kept. Go on with: {typed}", STOPPED, "dojo")


def lesson_to_train(work: Work, networks: Sequence[Lesson]) -> Lesson:
    """The lesson that is named, or in whose folder the file is, or the first with a network. Raises UserError."""
    if not networks:
        raise UserError(f"{work.desk.course.root} has no lesson to train: none has a table [train] in its lesson.toml.")
    around = (each for each in networks if each.name in work.folder.parts)
    lesson = next(chain((each for each, _ in work.named), around, networks))
    if lesson not in networks:
        others = ", ".join(f"`dojo train {each.number}`" for each in networks)
        raise UserError(f"Lesson {lesson.number} has no network to train; these have: {others}.")
    return lesson
