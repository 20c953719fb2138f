"""A lesson: a pair of folders, exercises/NN_name and solutions/NN_name, read from disk."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader.mistakes import Mistake
from grader.problem import Draw, Problem

LECTURE_SEED = 2147483647
"""The lecture's generator seed; lesson.toml may give another."""


class LessonError(Exception):
    """A course or a lesson folder that cannot be used; the text says what to do."""


@dataclass(frozen=True)
class Item:
    """A row of a report: a gradient (`target` is the forward value's name) or another check (`target` is None)."""

    name: str
    target: str | None
    points: float
    hints: tuple[str, ...]


def load_module(path: Path, name: str) -> ModuleType:
    """Runs a course author's own Python file. Raises LessonError when it is missing or does not run."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise LessonError(f"{path} is missing: every lesson needs one.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # inspect.getsource and dataclasses look modules up by name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise LessonError(f"{path} does not run: {type(error).__name__}: {error}") from error
    return module


class Lesson:
    """`exercise` and `solution` are its two folders; the second need not exist (a student's kit has none)."""

    def __init__(self, course: Path, name: str) -> None:
        self.name, self.course = name, course
        self.exercise, self.solution = course / "exercises" / name, course / "solutions" / name
        try:
            settings = tomllib.loads((self.exercise / "lesson.toml").read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise LessonError(f"{self.exercise / 'lesson.toml'} cannot be read: {error}") from error
        self.title: str = settings.get("title", name)
        self.seed: int = settings.get("seed", LECTURE_SEED)
        self.gradients = tuple(self._items(settings.get("gradients", {}), gradient=True))
        self.checks = tuple(self._items(settings.get("checks", {}), gradient=False))
        self.items = self.gradients + self.checks

    def _items(self, table: dict[str, Any], gradient: bool) -> list[Item]:
        return [
            Item(name, name[1:] if gradient else None, entry.get("points", 1), tuple(entry.get("hints", ())))
            for name, entry in table.items()
        ]

    @property
    def number(self) -> str:
        return self.name.split("_", 1)[0]

    @property
    def max_score(self) -> float:
        return sum(item.points for item in self.items)

    @cached_property
    def module(self) -> ModuleType:
        """forward.py, with `inputs(generator, **sizes)` and `forward(t)`."""
        return load_module(self.exercise / "forward.py", f"backprop_ninja_forward_{self.name}")

    def problem(
        self, draw: Draw, seed: int, dtype: torch.dtype = torch.float64, random_upstream: bool = True
    ) -> Problem:
        return Problem(self.module.forward, self.module.inputs, draw, seed, dtype, random_upstream)

    @cached_property
    def public(self) -> Problem:
        """The lecture's own problem, float32, fed the true upstream gradients: where bits are reported."""
        return self.problem(Draw(), self.seed, torch.float32, random_upstream=False)

    @cached_property
    def public_chain(self) -> Problem:
        """The same problem in float64: where a student's whole chain is judged."""
        return self.problem(Draw(), self.seed, torch.float64, random_upstream=False)

    def expected_shape(self, item: Item) -> list[int]:
        return list(self.public.values[item.target].shape) if item.target else []

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        path = self.solution / "mistakes.py"
        if not path.is_file():
            return ()
        module = load_module(path, f"backprop_ninja_mistakes_{self.name}")
        return tuple(value for value in vars(module).values() if isinstance(value, Mistake))

    @property
    def suite(self) -> Path:
        found = sorted(self.solution.glob("test_*.py"))
        if len(found) != 1:
            raise LessonError(f"{self.solution} must hold exactly one hidden suite test_*.py; found {len(found)}.")
        return found[0]

    @cached_property
    def digest(self) -> str:
        """Changes when any file of the lesson does: part of the key under which results are kept."""
        total = hashlib.sha256()
        for folder in (self.exercise, self.solution):
            for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
                total.update(str(path.relative_to(self.course)).encode() + b"\0" + path.read_bytes() + b"\0")
        return total.hexdigest()

    def item_for(self, name: str) -> Item:
        return next(item for item in self.items if item.name == name)


class Course:
    """A folder with exercises/ and solutions/. Raises LessonError when it holds no lesson."""

    def __init__(self, root: Path) -> None:
        self.root = root
        names = sorted(p.parent.name for p in (root / "exercises").glob("*/lesson.toml"))
        if not names:
            raise LessonError(
                f"{root} holds no lessons: expected exercises/NN_name/lesson.toml. Give the course's folder with "
                "--course."
            )
        self.lessons = {name: Lesson(root, name) for name in names}

    def find(self, wanted: str) -> Lesson:
        """A lesson by number ("03" or "3"), name ("makemore_steps") or both."""
        for name, lesson in self.lessons.items():
            number, _, rest = name.partition("_")
            if wanted in (name, rest, number) or (wanted.isdigit() and number.isdigit() and int(wanted) == int(number)):
                return lesson
        raise LessonError(f"There is no lesson {wanted!r}; there are: {', '.join(self.lessons)}.")
