"""Python files of a course's author as modules: forward passes, answers, hidden suites.

They run with the user's rights. Of a folder that nobody has named as a course, only what was installed with this
package runs, and it runs from where it was installed.
"""

from __future__ import annotations

import filecmp
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.errors import LessonError
from grader.lesson.paths import installed_course, installed_file

_NOT_NAMED: set[str] = set()
"""The folders exercises/ and solutions/, as absolute paths, of which only installed files run."""


def set_named(course: Path, is_named: bool) -> None:
    """Whether somebody has named the folder `course` as a course whose code may run; the checkout's own always may."""
    change = _NOT_NAMED.discard if is_named or course.resolve() == installed_course() else _NOT_NAMED.add
    for part in ("exercises", "solutions"):
        change(os.path.join(os.path.abspath(course), part))


def installed_copy(path: Path) -> Path:
    """`path`; in a course that nobody has named, the place of the installed file that corresponds to it."""
    place = os.path.abspath(path)
    part = next((folder for folder in _NOT_NAMED if place.startswith(f"{folder}{os.sep}")), None)
    return path if part is None else installed_file(os.path.relpath(place, os.path.dirname(part)))


def require_named(path: Path) -> Path:
    """`path`. Raises LessonError in a course that nobody has named, unless the file equals the installed one."""
    installed = installed_copy(path)
    if installed == path or not path.is_file():
        return path
    if not installed.is_file() or not filecmp.cmp(path, installed, shallow=False):
        raise LessonError(
            f"{path} differs from what was installed with `dojo`, and would run with your rights. If you trust this "
            "folder, name it with --course, as in `dojo check --course .`"
        )
    return path


class UncachedLoader(SourceFileLoader):
    """Runs the text of a file, not what `__pycache__` next to it claims to be the same."""

    def path_stats(self, path: str) -> Any:
        raise OSError(f"no cache for {path}")


def load_module(path: Path, name: str) -> ModuleType:
    """Run a Python file of the course's author.

    Raises LessonError when it is missing, does not run, or may not run (`require_named`).
    """
    require_named(path)
    spec = importlib.util.spec_from_file_location(name, path, loader=UncachedLoader(name, str(path)))
    if spec is None or spec.loader is None or not path.is_file():
        raise LessonError(f"{path} is missing: every lesson needs one.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # inspect.getsource and dataclasses look modules up by name
    depth = sys.getrecursionlimit()
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise LessonError(f"{path} does not run: {type(error).__name__}: {error}") from error
    finally:
        sys.setrecursionlimit(depth)  # an answer that changes it, as students do, must not change how others are judged
    return module


def forward_of(suite: str) -> ModuleType:
    """forward.py of the lesson whose hidden suite is the file `suite`, for the changes that both draw."""
    folder = Path(suite).resolve().parent
    path = folder.parents[1] / "exercises" / folder.name / "forward.py"
    return load_module(path, f"backprop_ninja_forward_of_suite_{folder.name}")
