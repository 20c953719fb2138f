"""lesson.toml, read once into typed values. docs/authoring.md describes the file. Nothing here imports torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from grader.errors import LessonError
from grader.lesson.toml_tables import (
    Table,
    is_number,
    is_string,
    is_whole,
    parse_toml,
    read_lesson_text,
    setting,
    toml_value_text,
)
from grader.source.module_names import NEVER_ALLOWED

LECTURE_SEED = 2147483647
"""The lecture's generator seed; lesson.toml may give another."""
MAX_SEED = 2**63 - 1
PART_OF_TORCH = re.compile(r"torch(\.\w+)+|torch\.ops\.aten\.[\w*]+", re.ASCII)
MODULE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

NO_DRAWS = (
    "[public] draws is a list of tables of numbers, such as [{batch = 5}]; in it `change` and `note` are names of what "
    "forward.py holds."
)


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


def gradient_items(lesson: Table) -> tuple[Item, ...]:
    """`[gradients.dW]`; of a lesson with one function for all, each row is about that one."""
    joint = lesson.table("function").text("name") if "function" in lesson else ""
    found = []
    for name, row in lesson.table("gradients").tables().items():
        row.choice("drawn", ("forces",))
        given = {"target": name[1:], "function": joint or name, "differentiates": ""}
        found.append(row.record(Item, name=name, **given))
    return tuple(found)


def checks(lesson: Table) -> tuple[Item, ...]:
    """`[checks.in_one_go]`."""
    rows = lesson.table("checks").tables().items()
    found = [row.record(Item, name=name, target=None, earned_with=()) for name, row in rows]
    return tuple(replace(item, function=item.function or item.name) for item in found)


@dataclass(frozen=True)
class Item:
    """A row of a report: a gradient (`target` is the forward value's name) or a check (`target` is None).

    Attributes:
        function: the name of the student's function or class that the row is about.
        drawn: what the report draws of the answer: of a gradient "forces", of a check the part of its scenario's
            result that is a curve.
        differentiates: the function, or `Class.method`, that returns the gradients that a check is about.
        earned_with: gradients that the points of this one are earned together with. It is for a gradient that is zero
            whatever the inputs are.
        taught_in: the number of a later lesson that teaches how to write it, or "".
    """

    name: str
    target: str | None
    points: float = setting(1, check=(lambda value: is_number(value) and value >= 0, "a number that is at least 0"))
    hints: tuple[str, ...] = ()
    function: str = ""
    drawn: str = ""
    differentiates: str = ""
    earned_with: tuple[str, ...] = setting((), "with")
    taught_in: str = ""


@dataclass(frozen=True)
class JointFunction:
    """`[function]`: the name of the one function that returns all gradients, and what it returns, in order."""

    name: str = ""
    returns: tuple[str, ...] = ()


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
class PublicSettings:
    """`[public]`.

    Attributes:
        draws: what a student's own check draws in addition to the published sizes.
        worked: functions whose answers README.md works out in full, on purpose.
    """

    draws: tuple[PublicDraw, ...] = setting((), read=public_draws)
    worked: tuple[str, ...] = ()


@dataclass(frozen=True)
class SandboxSettings:
    """`[sandbox]`.

    Attributes:
        imports: top-level modules that submissions may import in addition to the usual ones.
        not_allowed: modules of torch, and operators as ``torch.ops.aten.rnn_tanh*``, that submissions may not call: the
            lesson asks the student to write what they do.
    """

    imports: tuple[str, ...] = setting((), read=sandbox_imports)
    not_allowed: tuple[str, ...] = setting((), read=not_allowed)


COUNT = (lambda value: is_whole(value) and value > 0, "a number of at least 1")


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
    sizes: Mapping[str, Mapping[str, float]] = field(default_factory=dict, metadata={"key": "lessons"})


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
        LECTURE_SEED,
        check=(lambda value: is_whole(value) and 0 <= value <= MAX_SEED, f"a whole number from 0 to {MAX_SEED}"),
    )
    function: JointFunction | None = None
    gradients: tuple[Item, ...] = setting((), read=gradient_items)
    checks: tuple[Item, ...] = setting((), read=checks)
    notebook: NotebookSettings | None = None
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
    found = parse_toml(text, path, None).record(LessonConfig)
    joint = found.function
    if joint is not None and not (joint.name and joint.returns):
        raise LessonError(f'{path}: [function] needs a name and what it returns, such as returns = ["dW", "db"].')
    return found if found.title else replace(found, title=folder.name)


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
