"""The settings files of a lesson and of a course, lesson.toml and course.toml, as typed values.

docs/authoring.md describes the files. Nothing here imports torch.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from grader.errors import LessonError
from grader.lesson.notebook_table import NotebookTable
from grader.lesson.toml_tables import FROM_ZERO, NOT_IN_THE_FILE, parse_toml, read_lesson_text, read_toml, setting
from grader.source.module_names import NEVER_ALLOWED

LECTURE_SEED = 2147483647
"""The lecture's generator seed; lesson.toml may give another."""
MAX_SEED = 2**63 - 1
PART_OF_TORCH = re.compile(r"torch(\.\w+)+|torch\.ops\.aten\.[\w*]+", re.ASCII)
MODULE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
COURSE_SETTINGS_FILE = "course.toml"

ShapeRule = Literal["strict", "broadcast"]
NumericalDifferentiation = Literal["no points", "points"]


@dataclass(frozen=True)
class CourseSettings:
    """What an instructor decides for a whole course: the keys of course.toml, next to exercises/.

    shape: "strict" asks for a gradient with exactly the shape of its value; "broadcast" also accepts the right numbers
        in a shape that differs in axes of length one only. None, the default: strict for the functions of a stub,
        broadcast for a notebook or a script in the lecture's style.
    numerical_differentiation: whether gradients that were found with difference quotients or complex numbers earn
        points. They are recorded either way.
    question_seed: of the values that are drawn for each student's questions. Change it from term to term.
    """

    shape: ShapeRule | None = None
    numerical_differentiation: NumericalDifferentiation = "no points"
    question_seed: int = 0


def course_settings(course: Path) -> CourseSettings:
    """Read `course`/course.toml; without the file, the defaults. Raises LessonError, in one sentence."""
    path = course / COURSE_SETTINGS_FILE
    settings: CourseSettings = read_toml(path, CourseSettings) if path.exists() else CourseSettings()
    return settings


def settings_text(settings: CourseSettings) -> str:
    """The settings as one line that changes whenever one of them does."""
    return ", ".join(f"{field.name}={getattr(settings, field.name)}" for field in fields(settings))


# lesson.toml ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """A row of a report: a gradient (`target` is the forward value's name) or a check (`target` is None).

    Attributes:
        function: the name of the student's function or class that the row is about.
        method: the method of the class that the row is about, or "".
        drawn: what the report draws of a gradient: "forces", or nothing.
        differentiates: the function, or `Class.method`, that returns the gradients that a check is about.
        earned_with: gradients that the points of this one are earned together with. It is for a gradient that is zero
            whatever the inputs are.
        taught_in: the number of a later lesson that teaches how to write it, or "".
    """

    name: str = field(default="", metadata=NOT_IN_THE_FILE)
    target: str | None = field(default=None, metadata=NOT_IN_THE_FILE)
    points: float = setting(1, check=FROM_ZERO)
    hints: tuple[str, ...] = ()
    function: str = field(default="", metadata=NOT_IN_THE_FILE)
    method: str = field(default="", metadata=NOT_IN_THE_FILE)
    drawn: Literal["", "forces"] = field(default="", metadata=NOT_IN_THE_FILE)
    differentiates: str = field(default="", metadata=NOT_IN_THE_FILE)
    earned_with: tuple[str, ...] = field(default=(), metadata=NOT_IN_THE_FILE)
    taught_in: str = ""


@dataclass(frozen=True)
class GradientItem(Item):
    """`[gradients.dW]`."""

    drawn: Literal["", "forces"] = setting("", check=(lambda value: value == "forces", '"forces"'))
    earned_with: tuple[str, ...] = setting((), "with")


@dataclass(frozen=True)
class CheckItem(Item):
    """`[checks.in_one_go]`."""

    function: str = ""
    method: str = ""
    differentiates: str = ""


@dataclass(frozen=True)
class JointFunction:
    """`[function]`: the name of the one function that returns all gradients, and what it returns, in order."""

    name: str = ""
    returns: tuple[str, ...] = ()


def are_draws(draws: Sequence[Mapping[str, float | str]]) -> bool:
    """Whether `change` and `note` are texts, and all others are finite numbers."""
    pairs = [pair for draw in draws for pair in draw.items()]
    return all(
        isinstance(value, str) if key in ("change", "note") else isinstance(value, float | int) and math.isfinite(value)
        for key, value in pairs
    )


@dataclass(frozen=True)
class PublicSettings:
    """`[public]`.

    Attributes:
        draws: what a student's own check draws in addition to the published sizes: {parameter of `inputs` in
            forward.py: its value}. `change` is the name of a function in forward.py that edits the drawn inputs, and
            `note` the name of a text there that makes the draw advisory.
        worked: functions whose answers README.md works out in full, on purpose.
    """

    draws: tuple[Mapping[str, float | str], ...] = setting(
        (),
        check=(
            are_draws,
            "a list of tables of numbers, such as [{batch = 5}]; `change` and `note` name what forward.py holds",
        ),
    )
    worked: tuple[str, ...] = ()


@dataclass(frozen=True)
class SandboxSettings:
    """`[sandbox]`.

    Attributes:
        imports: top-level modules that submissions may import in addition to the usual ones.
        not_allowed: modules of torch, and operators as ``torch.ops.aten.rnn_tanh*``, that submissions may not call: the
            lesson asks the student to write what they do.
    """

    imports: tuple[str, ...] = setting(
        (),
        check=(
            lambda names: all(MODULE_NAME.fullmatch(name) and name not in NEVER_ALLOWED for name in names),
            f'a list of top-level modules, such as ["scipy"], without {", ".join(sorted(NEVER_ALLOWED))}',
        ),
    )
    not_allowed: tuple[str, ...] = setting(
        (),
        check=(
            lambda names: all(map(PART_OF_TORCH.fullmatch, names)),
            "a list of modules of torch, such as torch.optim, and operators, such as torch.ops.aten.rnn_tanh*",
        ),
    )


COUNT = (lambda value: value > 0, "a number of at least 1")


@dataclass(frozen=True)
class TrainingSettings:
    """`[train]`: `script` is the file in the lesson's folder that `dojo train` runs, or "".

    `steps` and `hidden` are what it takes unless the command line says otherwise; None for its own defaults.
    """

    script: str = ""
    steps: int | None = setting(None, check=COUNT)
    hidden: int | None = setting(None, check=COUNT)


@dataclass(frozen=True)
class Verification:
    """`[verify]`: the student's function that checks gradients for `dojo verify`, and which ones.

    Attributes:
        function: called with (f, x, claimed gradient); returns a pair whose first part is True, False or None.
        sizes: {number of a lesson: the sizes at which its gradients are checked}, in order.
    """

    function: str = ""
    sizes: Mapping[str, Mapping[str, float]] = field(default_factory=dict, metadata={"json_name": "lessons"})


@dataclass(frozen=True)
class LessonConfig:
    """The contents of a lesson.toml.

    Attributes:
        seed: of the generator that draws the published problem.
        function: None where the student writes one function per gradient.
        notebook: None where the lesson takes nothing from the lecture's notebook.
        verification: empty where the student writes no gradient checker.
    """

    title: str = ""
    seed: int = setting(
        LECTURE_SEED, check=(lambda value: 0 <= value <= MAX_SEED, f"a whole number from 0 to {MAX_SEED}")
    )
    function: JointFunction | None = None
    gradients: Mapping[str, GradientItem] = field(default_factory=dict)
    checks: Mapping[str, CheckItem] = field(default_factory=dict)
    notebook: NotebookTable | None = None
    public: PublicSettings = PublicSettings()
    sandbox: SandboxSettings = SandboxSettings()
    train: TrainingSettings = TrainingSettings()
    verification: Verification = setting(Verification(), "verify")


def lesson_config(folder: Path) -> LessonConfig:
    """Read `folder`/lesson.toml, where `folder` is exercises/NN_name.

    Raises LessonError, in one sentence, for a file that cannot be read, a key that does not exist and a value of
    another type than docs/authoring.md says.
    """
    return config_of_text(folder, read_lesson_text(folder / "lesson.toml"))


@lru_cache(maxsize=64)
def config_of_text(folder: Path, text: str) -> LessonConfig:
    """The same, of a text that was read: a command reads a course several times, and parsing takes milliseconds."""
    path = folder / "lesson.toml"
    found: LessonConfig = parse_toml(text, path, LessonConfig)
    joint = found.function
    if joint is not None and not (joint.name and joint.returns):
        raise LessonError(f'{path}: [function] needs a name and what it returns, such as returns = ["dW", "db"].')
    gradients = {
        name: replace(each, name=name, target=name[1:], function=joint.name if joint else name)
        for name, each in found.gradients.items()
    }
    checks = {name: replace(each, name=name, function=each.function or name) for name, each in found.checks.items()}
    return replace(found, title=found.title or folder.name, gradients=gradients, checks=checks)
