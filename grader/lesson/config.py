"""lesson.toml, read once into typed values. docs/authoring.md describes the file. Nothing here imports torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from grader.errors import LessonError
from grader.lesson.toml_tables import Table, is_number, is_string, parse_toml, read_lesson_text, toml_value_text
from grader.source.module_names import NEVER_ALLOWED

LECTURE_SEED = 2147483647
"""The lecture's generator seed; lesson.toml may give another."""
MAX_SEED = 2**63 - 1
PART_OF_TORCH = re.compile(r"torch(\.\w+)+|torch\.ops\.aten\.[\w*]+", re.ASCII)
MODULE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

LESSON_KEYS = ("title", "seed", "function", "gradients", "checks", "notebook", "public", "sandbox", "train", "verify")
GRADIENT_KEYS = ("points", "hints", "drawn", "with", "taught_in")
NOTEBOOK_KEYS = ("names", "values", "again", "after", "loop", "same", "also")
TRAINING_OPTIONS = ("steps", "hidden")
CHECK_KEYS = ("points", "hints", "function", "drawn", "differentiates", "taught_in")

NO_DRAWS = (
    "[public] draws is a list of tables of numbers, such as [{batch = 5}]; in it `change` and `note` are names of what "
    "forward.py holds."
)


@dataclass(frozen=True)
class Item:
    """A row of a report: a gradient (`target` is the forward value's name) or a check (`target` is None).

    Attributes:
        function: the name of the student's function or class that the row is about.
        drawn: what the report draws of the answer: of a gradient "forces", of a check the part of its scenario's
            result that is a curve.
        earned_with: gradients that the points of this one are earned together with. It is for a gradient that is zero
            whatever the inputs are.
        differentiates: the function, or `Class.method`, that returns the gradients that a check is about.
        taught_in: the number of a later lesson that teaches how to write it, or "".
    """

    name: str
    target: str | None
    points: float
    hints: tuple[str, ...]
    function: str
    drawn: str = ""
    earned_with: tuple[str, ...] = ()
    differentiates: str = ""
    taught_in: str = ""


@dataclass(frozen=True)
class JointFunction:
    """`[function]`: the name of the one function that returns all gradients, and what it returns, in order."""

    name: str
    returns: tuple[str, ...]


@dataclass(frozen=True)
class PublicDraw:
    """An entry of `[public] draws`.

    Attributes:
        sizes: {parameter of `inputs` in forward.py: its value}.
        change: the name of a function in forward.py that edits the drawn inputs, or "".
        note: the name of a text in forward.py that makes the draw advisory, or "".
    """

    sizes: Mapping[str, int | float]
    change: str = ""
    note: str = ""


@dataclass(frozen=True)
class NotebookSettings:
    """`[notebook]`: what the lesson takes from the lecture's notebook, as grader/lesson/notebook_table.py describes it.

    `names` and `values` are None where the file leaves them out.
    """

    names: tuple[str, ...] | None = None
    values: tuple[str, ...] | None = None
    again: tuple[str, ...] = ()
    after: str = ""
    loop: str = ""
    same: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verification:
    """`[verify]`: the student's function that checks gradients for `dojo verify`, and which ones.

    Attributes:
        function: called with (f, x, claimed gradient); returns a pair whose first part is True, False or None.
        sizes: {number of a lesson: the sizes at which its gradients are checked}, in order.
    """

    function: str = ""
    sizes: Mapping[str, Mapping[str, int | float]] = field(default_factory=dict)


@dataclass(frozen=True)
class LessonConfig:
    """The contents of a lesson.toml.

    Attributes:
        seed: of the generator that draws the published problem.
        function: None where the student writes one function per gradient.
        notebook: None where the lesson takes nothing from the lecture's notebook.
        public_draws: what a student's own check draws in addition to the published sizes.
        imports: top-level modules that submissions may import in addition to the usual ones.
        not_allowed: modules of torch, and operators as ``torch.ops.aten.rnn_tanh*``, that submissions may not call: the
            lesson asks the student to write what they do.
        training_script: the file in the lesson's folder that `dojo train` runs, or "".
        training_options: {"steps" or "hidden": what `dojo train` takes unless the command line says otherwise}.
        worked: functions whose answers README.md works out in full, on purpose.
        verification: empty where the student writes no gradient checker.
    """

    title: str
    seed: int = LECTURE_SEED
    function: JointFunction | None = None
    gradients: tuple[Item, ...] = ()
    checks: tuple[Item, ...] = ()
    notebook: NotebookSettings | None = None
    public_draws: tuple[PublicDraw, ...] = ()
    imports: tuple[str, ...] = ()
    not_allowed: tuple[str, ...] = ()
    training_script: str = ""
    training_options: Mapping[str, int] = field(default_factory=dict)
    worked: tuple[str, ...] = ()
    verification: Verification = Verification()


def lesson_config(folder: Path) -> LessonConfig:
    """Read `folder`/lesson.toml, where `folder` is exercises/NN_name.

    Raises LessonError, in one sentence, for a file that cannot be read, a key that does not exist and a value of
    another type than docs/authoring.md says.
    """
    return config_of_text(folder, read_lesson_text(folder / "lesson.toml"))


@lru_cache(maxsize=64)
def config_of_text(folder: Path, text: str) -> LessonConfig:
    """The same, of a text that was read: a command reads a course several times, and parsing takes milliseconds."""
    table = parse_toml(text, folder / "lesson.toml", LESSON_KEYS)
    public = table.table("public", ("draws", "worked"))
    sandbox = table.table("sandbox", ("imports", "not_allowed"))
    training = table.table("train", ("script", *TRAINING_OPTIONS))
    function = joint_function(table.table("function", ("name", "returns"))) if "function" in table else None
    return LessonConfig(
        table.text("title", folder.name),
        table.value("seed", LECTURE_SEED, is_seed, f"a whole number from 0 to {MAX_SEED}"),
        function,
        items(table.table("gradients").tables(GRADIENT_KEYS), True, function),
        items(table.table("checks").tables(CHECK_KEYS), False),
        notebook_settings(table.table("notebook", NOTEBOOK_KEYS)) if "notebook" in table else None,
        public_draws(public),
        sandbox_imports(sandbox),
        not_allowed(sandbox),
        training.text("script"),
        {
            key: training.value(key, 1, is_count, "a number of at least 1")
            for key in TRAINING_OPTIONS
            if key in training
        },
        public.texts("worked"),
        verification_settings(table.table("verify", ("function", "lessons"))),
    )


def items(rows: Mapping[str, Table], are_gradients: bool, joint: JointFunction | None = None) -> tuple[Item, ...]:
    return tuple(
        Item(
            name,
            name[1:] if are_gradients else None,
            row.value("points", 1, is_points, "a number that is at least 0"),
            row.texts("hints"),
            joint.name if joint else row.text("function", name),
            row.choice("drawn", ("forces",), "") if are_gradients else row.text("drawn"),
            row.texts("with"),
            row.text("differentiates"),
            row.text("taught_in"),
        )
        for name, row in rows.items()
    )


def joint_function(table: Table) -> JointFunction:
    found = JointFunction(table.text("name"), table.texts("returns"))
    if not (found.name and found.returns):
        raise LessonError(f'{table.path}: [function] needs a name and what it returns, such as returns = ["dW", "db"].')
    return found


def notebook_settings(table: Table) -> NotebookSettings:
    return NotebookSettings(
        table.texts("names") if "names" in table else None,
        table.texts("values") if "values" in table else None,
        table.texts("again"),
        table.text("after"),
        table.text("loop"),
        table.table("same").all_texts(),
        table.table("also").all_texts(),
    )


def verification_settings(table: Table) -> Verification:
    lessons = table.table("lessons")
    return Verification(table.text("function"), {number: lessons.table(number).all_numbers() for number in lessons})


def is_points(value: object) -> bool:
    return isinstance(value, (int, float)) and is_number(value) and value >= 0


def is_count(value: object) -> bool:
    return type(value) is int and value > 0


def is_seed(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_SEED


def public_draws(table: Table) -> tuple[PublicDraw, ...]:
    """`[public] draws = [{batch = 5}, {batch = 7, change = "tied"}]`."""
    draws = table.value("draws", [], lambda _: True, "")
    if not isinstance(draws, list) or not all(isinstance(entry, dict) for entry in draws):
        raise LessonError(f"{table.path}: {NO_DRAWS}")
    found = []
    for entry in draws:
        names = {key: entry[key] for key in ("change", "note") if key in entry}
        sizes = {key: value for key, value in entry.items() if key not in names}
        if not all(map(is_number, sizes.values())) or not all(map(is_string, names.values())):
            raise LessonError(f"{table.path}: {NO_DRAWS}")
        found.append(PublicDraw(sizes, **names))
    return tuple(found)


def sandbox_imports(table: Table) -> tuple[str, ...]:
    """`[sandbox] imports = ["scipy"]`."""
    names = table.value("imports", [], lambda _: True, "")
    if reason := refusal_of_imports(names):
        raise LessonError(f"{table.path}: [sandbox] imports: {reason}.")
    return tuple(names)


def not_allowed(table: Table) -> tuple[str, ...]:
    """`[sandbox] not_allowed = ["torch.optim", "torch.ops.aten._fused_*"]`."""
    names = table.texts("not_allowed")
    for name in names:
        if not PART_OF_TORCH.fullmatch(name):
            raise LessonError(
                f"{table.path}: [sandbox] not_allowed: {toml_value_text(name)} is neither a module of torch, such as "
                "torch.optim, nor operators, such as torch.ops.aten.rnn_tanh*."
            )
    return names


def refusal_of_imports(names: object) -> str | None:
    """Why `names` is not a list of top-level modules that an instructor can allow; None if it is."""
    if not isinstance(names, list):
        return 'expected a list of names, such as ["scipy"]'
    for name in names:
        if not isinstance(name, str) or not MODULE_NAME.fullmatch(name):
            return f"{toml_value_text(name)} is not the name of a top-level module, such as scipy"
        if name in NEVER_ALLOWED:
            return f"{name} cannot be allowed"
    return None
