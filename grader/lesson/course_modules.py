"""Python files of a course's author as modules: forward passes, answers, hidden suites."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from grader.errors import LessonError


def load_module(path: Path, name: str) -> ModuleType:
    """Run a Python file of the course's author. Raises LessonError when it is missing or does not run."""
    spec = importlib.util.spec_from_file_location(name, path)
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
