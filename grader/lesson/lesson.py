"""A lesson: a pair of folders, exercises/NN_name and solutions/NN_name, read from disk."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import CodeType, MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from grader.errors import LessonError as LessonError
from grader.lesson.config import CourseSettings, course_settings, lesson_config
from grader.lesson.config import Item as Item
from grader.lesson.course_modules import load_module, require_named
from grader.lesson.mistakes import Mistake, Signature, mistakes_of, signatures_in
from grader.lesson.paths import STUB
from grader.lesson.toml_tables import read_lesson_text

if TYPE_CHECKING:  # torch comes with these and takes a second: reading titles and hints need not wait for it
    import torch

    from grader.calling.steps import Joint
    from grader.reference.problem import Draw, Problem

MAX_SIZES = 4
MAX_EPSILON = 1e-2
"""A constant of a forward pass below this may be an epsilon."""


@functools.lru_cache(maxsize=64)  # each mistake that is a function goes below the same answer key
def compiled(text: str) -> CodeType:
    return compile(text, "<answer key with a mistake>", "exec")


def imports_of(lessons: Iterable[Lesson]) -> tuple[str, ...]:
    """The modules that submissions to any of these lessons may import in addition: one zygote grades them all."""
    return tuple(sorted({module for lesson in lessons for module in lesson.imports}))


class Lesson:
    """A lesson by its two folders `exercise` and `solution`. A student's kit has only the first.

    Without `secrets` no known mistake is read, even if solutions/ is there. So a student's own check says the same in
    a checkout of the course as in a kit. Raises LessonError for a lesson.toml that cannot be used.
    """

    def __init__(self, course: Path, name: str, secrets: bool = True, settings: CourseSettings | None = None) -> None:
        self.name, self.course, self._secrets = name, course, secrets
        self.settings = settings or course_settings(course)
        self.exercise, self.solution = course / "exercises" / name, course / "solutions" / name
        config = self.config = lesson_config(self.exercise)
        self.title, self.seed, self.notebook = config.title, config.seed, config.notebook
        self.gradients, self.checks = tuple(config.gradients.values()), tuple(config.checks.values())
        self.items: tuple[Item, ...] = (*self.gradients, *self.checks)
        self.imports, self.not_allowed = config.sandbox.imports, config.sandbox.not_allowed
        self._wrong: dict[str, ModuleType] = {}
        self._at_sizes: dict[tuple[tuple[str, int], ...], tuple[Problem, Problem]] = {}

    @cached_property
    def joint(self) -> Joint | None:
        """The one function that returns all gradients, if the lesson asks for one."""
        from grader.calling.steps import Joint

        function = self.config.function
        return Joint(function.name, function.returns) if function else None

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions and classes that a student writes, in the order of the rows."""
        return tuple(dict.fromkeys(item.function for item in self.items))

    @property
    def number(self) -> str:
        return self.name.split("_", 1)[0]

    @property
    def max_score(self) -> float:
        return sum(item.points for item in self.items)

    @cached_property
    def module(self) -> ModuleType:
        """forward.py, with `inputs(generator, **sizes)`, `forward(t)` and perhaps `GROUPS`."""
        return load_module(self.exercise / "forward.py", f"backprop_ninja_forward_{self.name}")

    def problem(self, draw: Draw, seed: int, dtype: torch.dtype | None = None, random_upstream: bool = True) -> Problem:
        """Draw a problem, in float64 unless another `dtype` is given.

        With one function for all gradients no step is fed an upstream gradient, so these are the true ones.
        """
        import torch

        from grader.reference.problem import Problem

        fed = random_upstream and self.joint is None
        groups = getattr(self.module, "GROUPS", None)
        problem = Problem(self.module.forward, self.module.inputs, draw, seed, dtype or torch.float64, fed, groups)
        for item in self.gradients:
            if item.target not in problem.values:
                asks = f"{self.exercise / 'lesson.toml'} asks for {item.name}"
                raise LessonError(f"{asks}, but forward.py names no value `{item.target}`.")
        if self.joint is not None:
            problem.refuse_open_ends(self.joint.name, self.exercise / "forward.py")
        return problem

    @cached_property
    def small_numbers(self) -> tuple[float, ...]:
        """The small numbers in the text of forward.py, such as the 1e-5 that it adds to a variance."""
        try:
            tree = ast.parse((self.exercise / "forward.py").read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            return ()
        found = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is float)
        return tuple(dict.fromkeys(value for value in found if 0 < value < MAX_EPSILON))

    def problem_at(self, sizes: Mapping[str, int | float], dtype: torch.dtype | None = None) -> Problem:
        """The published problem at other sizes, in float64 unless another `dtype` is given; true upstream gradients."""
        from grader.reference.problem import Draw

        return self.problem(Draw(sizes), self.seed, dtype, random_upstream=False)

    def published_at(self, sizes: Mapping[str, int]) -> tuple[Problem, Problem]:
        """Return `public` and `public_chain` at other sizes. Those of the latest MAX_SIZES sizes are kept."""
        import torch

        key = tuple(sizes.items())
        found = self._at_sizes.pop(key, None) or (self.problem_at(sizes, torch.float32), self.problem_at(sizes))
        self._at_sizes = dict([*self._at_sizes.items(), (key, found)][-MAX_SIZES:])
        return found

    @cached_property
    def public(self) -> Problem:
        """The published problem in float32 with the true upstream gradients. Its bits are reported."""
        import torch

        return self.problem_at({}, torch.float32)

    @cached_property
    def public_chain(self) -> Problem:
        """The published problem in float64, on which a student's whole backward pass is judged."""
        return self.problem_at({})

    @cached_property
    def public_draws(self) -> tuple[Draw, ...]:
        """The problems of `dojo check`: the published sizes and those of `[public] draws`."""
        from grader.reference.problem import Draw

        found = [Draw()]
        for draw in self.config.public.draws or ({},):
            sizes: dict[str, Any] = dict(draw)
            named = {key: str(sizes.pop(key)) for key in ("change", "note") if key in sizes}
            for name in named.values():
                if not hasattr(self.module, name):
                    raise LessonError(f"{self.exercise / 'lesson.toml'}: [public] draws: forward.py has no `{name}`.")
            found.append(Draw(sizes, **{key: getattr(self.module, name) for key, name in named.items()}))
        return tuple(found)

    @property
    def answer_key(self) -> str:
        """The text of solutions/NN_name/backward.py. Raises LessonError where it cannot be read or may not run."""
        return read_lesson_text(require_named(self.solution / "backward.py"))

    @property
    def variants(self) -> list[Path]:
        """Right answers in other styles."""
        return sorted((self.solution / "variants").glob("*.py"))

    def public_text(self, name: str) -> str:
        """The text of a file in exercises/NN_name, "" where there is none."""
        path = self.exercise / name
        return read_lesson_text(path) if path.is_file() else ""

    @property
    def pristine(self) -> Path:
        """A copy of the stub for `dojo reset`: a kit has no solution to generate it from."""
        return self.exercise / STUB

    def expected_shape(self, item: Item) -> list[int]:
        return list(self.public.values[item.target].shape) if item.target else []

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        path = self.solution / "mistakes.py"
        if not self._secrets or not path.is_file():
            return ()
        module = load_module(path, f"backprop_ninja_mistakes_{self.name}")
        try:
            return tuple(mistakes_of(module, path.read_text(encoding="utf-8"), self._signature))
        except (ValueError, OSError) as error:
            raise LessonError(f"{path}: {error}") from error

    @cached_property
    def _key_functions(self) -> dict[str, Signature]:
        return signatures_in(self.answer_key)

    def _signature(self, function: str) -> Signature:
        """Of a gradient's function, or of another one of the answer key. Raises ValueError if there is none."""
        if self.joint is None and any(item.name == function for item in self.gradients):
            return Signature({*self.public.given, *("d" + name for name in self.public.upstream)})
        if function not in self._key_functions:
            raise ValueError(f"the answer key has no function `{function}`")
        return self._key_functions[function]

    @cached_property
    def answers(self) -> ModuleType:
        """The answer key as a module."""
        return load_module(self.solution / "backward.py", f"backprop_ninja_solution_{self.name}")

    def wrong(self, mistake: Mistake) -> ModuleType:
        """The answer key with `mistake` in it. Raises LessonError when it does not fit, or does not run."""
        if mistake.name not in self._wrong:
            module = ModuleType(f"backprop_ninja_{self.name}_{mistake.id}")
            try:
                exec(compiled(mistake.applied_to(self.answer_key) if mistake.old else self.answer_key), vars(module))
                exec("" if mistake.old else mistake.source(), vars(module))
            except Exception as error:
                raise LessonError(f"{self.name}, mistake {mistake.name}: {error}") from error
            self._wrong[mistake.name] = module
        return self._wrong[mistake.name]

    @property
    def suite(self) -> Path:
        found = sorted(self.solution.glob("test_*.py"))
        if len(found) != 1:
            raise LessonError(f"{self.solution} must hold exactly one hidden suite test_*.py; found {len(found)}.")
        return found[0]

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """The draws of the hidden suite, for `grade verify`."""
        suite = load_module(self.suite, f"backprop_ninja_suite_{self.name}")
        return tuple(getattr(suite, "DRAWS", ()))

    @cached_property
    def digest(self) -> str:
        """A hash of all files of the lesson, part of the key under which results are kept."""
        total = hashlib.sha256()
        for folder in (self.exercise, self.solution):
            for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
                total.update(str(path.relative_to(self.course)).encode() + b"\0" + path.read_bytes() + b"\0")
        return total.hexdigest()

    def item_for(self, name: str) -> Item:
        return next(item for item in self.items if item.name == name)


class Course:
    """A folder with exercises/ and solutions/. Raises LessonError when it holds no lesson.

    `changed` are {setting: value} that take the place of those in course.toml, such as an assignment's.
    """

    def __init__(self, root: Path, secrets: bool = True, changed: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.root, self.changed = root, dict(changed)
        names = sorted(p.parent.name for p in (root / "exercises").glob("*/lesson.toml"))
        if not names:
            raise LessonError(
                f"{root} holds no lessons: expected exercises/NN_name/lesson.toml. Give the course's folder with "
                "--course."
            )
        self.settings = replace(course_settings(root), **changed)
        self.lessons = {name: Lesson(root, name, secrets, self.settings) for name in names}
        self.imports = imports_of(self.lessons.values())

    def find(self, reference: str) -> Lesson:
        """A lesson by number ("03" or "3"), name ("makemore_steps") or both."""
        for name, lesson in self.lessons.items():
            number, _, rest = name.partition("_")
            same_number = reference.isdecimal() and number.isdecimal() and reference.lstrip("0") == number.lstrip("0")
            if same_number or reference in (name, rest, number):
                return lesson
        raise LessonError(f"There is no lesson {reference!r}; there are: {', '.join(self.lessons)}.")
