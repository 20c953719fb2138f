"""The start of `dojo train`: the lesson's script, the student's file, the run to resume, the options."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.dojo.lesson_words import named_lesson
from grader.dojo.training.contract import Options, Outcome, Watch, load_checkpoint
from grader.errors import LessonError, UserError
from grader.gradebook.assignment.rows import names_of_lesson
from grader.lesson.config import LessonConfig, lesson_config
from grader.lesson.course_modules import set_named
from grader.lesson.lesson import Course
from grader.lesson.paths import nearest_course

DEFAULT_TRAINING_FOLDER = Path(
    "my-training"
)  # not "training": a folder of that name would be taken for a submission of the lesson
NEW = {"steps": 200_000, "seed": 2147483647, "hidden": 200, "autograd": True}
"""The options of a new run where the command line gives no others: the lecture's numbers."""


def training_course(given: Path | None) -> Path:
    """The course at `given`, else the nearest one around the current folder: of that, only installed code runs.

    Raises UserError.
    """
    found = nearest_course(given)
    if found is None and given is not None:
        raise UserError(f"{given} holds no lessons: name the folder that has exercises/ with --course.")
    if found is None:
        raise UserError(
            "there is no folder exercises/ here. Make a folder to work in with `dojo start`, or change to the "
            "folder that has exercises/, or name it with --course."
        )
    set_named(found, given is not None)
    return found


def find_script(course: Path, lesson_name: str | None) -> tuple[Path, LessonConfig]:
    """(the folder of the lesson to train, its lesson.toml): the first that can be trained. Raises UserError."""
    found = trainable(course)
    chosen = [name for name in found if lesson_name is None or lesson_name in names_of_lesson(name)]
    if chosen:
        return course / "exercises" / chosen[0], found[chosen[0]]
    if not found:
        raise UserError(f"{course} has no lesson to train: none has a table [train] in its lesson.toml.")
    raise UserError(f"lesson {lesson_name} has nothing to train; --lesson can be {', '.join(found)}.")


def trainable(course: Path) -> dict[str, LessonConfig]:
    """{name: lesson.toml} of the lessons with a table [train], in order."""
    found = {}
    for path in sorted((course / "exercises").glob("*/lesson.toml")):
        try:
            config = lesson_config(path.parent)
        except LessonError:
            continue  # `grade verify` reports it
        if config.training_script:
            found[path.parent.name] = config
    return found


def lesson_and_file(course: Path, submission: Path | None, lesson: str | None) -> tuple[str | None, Path | None]:
    """(the lesson that is meant, the submission): `dojo train 15` names a lesson, and a path may be in its folder.

    Raises UserError.
    """
    if submission is None or lesson is not None:
        return lesson, submission
    names = trainable(course)
    if not submission.exists():
        named, _, after = named_lesson(Course(course, secrets=False), str(submission))
        if named is None or after:  # a file that is not there
            return None, submission
        if named.name not in names:
            others = ", ".join(f"`dojo train {name.partition('_')[0]}`" for name in names)
            raise UserError(f"Lesson {named.number} has no network to train; these have: {others or 'none'}.")
        return named.name, None
    return next((name for name in names if name in submission.resolve().parts), None), submission


def folder_for(course: Path, lesson: Path) -> Path:
    """Where a run goes unless the command line says otherwise: a folder of its own for every lesson after the first."""
    return (
        DEFAULT_TRAINING_FOLDER
        if lesson.name == next(iter(trainable(course)))
        else DEFAULT_TRAINING_FOLDER / lesson.name.split("_", 1)[0]
    )


def own_path(submission: Path | None, lesson: Path) -> Path:
    """The student's file: `submission`, or in it, or the lesson's own. Raises UserError."""
    if submission is None or not submission.is_dir():
        path = submission or lesson / "backward.py"
        shown = Path(os.path.relpath(path))
        path = shown if ".." not in shown.parts else path
    else:
        places = [submission / "backward.py", submission / lesson.name / "backward.py"]
        places.append(submission / "exercises" / lesson.name / "backward.py")
        path = next((place for place in places if place.is_file()), places[0])
    if not path.is_file():
        raise UserError(f"{path} does not exist: name your file or its folder.")
    return path


def kept_run(out: Path, resume: bool, fresh: bool, go_on: str) -> dict[str, Any] | None:
    """The checkpoint to resume from, None for a new run. Raises UserError where an unfinished run would be lost."""
    if fresh:
        return None
    kept = load_checkpoint(out)
    if resume and kept is None:
        raise UserError(f"there is nothing to go on from in {out}/. Start a run with `dojo train`.")
    if kept and not resume:
        done, steps = kept["step"], kept["options"].steps
        if done < steps:
            raise UserError(
                f"{out}/ holds a run that was stopped at step {done:,} of {steps:,}. Go on with `{go_on}`, "
                "start anew with --fresh, or choose another folder with --out."
            )
        return None
    return kept


def options_for(given: dict[str, Any], kept: dict[str, Any] | None, lesson: Mapping[str, int]) -> Options:
    """A new run's options, or a kept run's, which the `given` options must match. Raises UserError.

    `lesson` are the options of lesson.toml.
    """
    if kept is None:
        return Options(**{**NEW, **lesson, **given})
    options: Options = kept["options"]
    for name, value in given.items():
        if name == "names":
            continue  # the file may have moved; its contents are compared
        if name != "goes_on" and value != getattr(options, name):
            option = {"compared": "--cmp", "autograd": "--without-autograd"}.get(name, f"--{name}")
            raise UserError(
                f"the run in this folder was started with another {option}. Leave out {option} to go on, or start "
                "a new run with --fresh or in another folder with --out."
            )
    changed = {name: given.get(name, getattr(options, name)) for name in ("names", "goes_on")}
    return Options(**{**vars(options), **changed})


def resume_command(submission: Path | None, out: Path | None, lesson: str | None, course: Path | None) -> str:
    """The command line for the same student and folder."""
    typed = ["dojo", "train", *([str(submission)] if submission else [])]
    for option, value in (
        ("-o", None if out == DEFAULT_TRAINING_FOLDER else out),
        ("--lesson", lesson),
        ("--course", course),
    ):
        typed += [option, str(value)] if value is not None else []
    return shlex.join(typed)


def train_with(script: Path, path: Path, options: Options, watch: Watch, kept: dict[str, Any] | None) -> Outcome:
    """Run a lesson's script on a student's file. Raises UserError."""
    from grader.dojo.training.own_file import OwnFile
    from grader.lesson.course_modules import load_module  # torch, which takes a second, after every look at the options

    module = load_module(script, f"backprop_ninja_script_{script.parent.name}")
    watch.lines += kept["log"] if kept else []
    outcome: Outcome = module.run(OwnFile(path), options, watch, kept["state"] if kept else None)
    return outcome
