"""A submission's files as modules, from memory: the worker reads no file of the submission's from disk.

A submission's `torch.py` or `sitecustomize.py` never stands in for the real thing; its `sympy.py` is its own.
"""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import random
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType

import numpy
import torch

from grader.calling.failures import remember_source
from grader.sandbox.workers.imports import Gate
from grader.source.parsing import encoding_of, older_text


class MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports top-level modules from `{file name: bytes}`, for `from helpers import ...` in the graded file."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {
            name.removesuffix(".py"): (name, source) for name, source in files.items() if name.endswith(".py")
        }

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._files)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname in self._files else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name, source = self._files[module.__name__]
        run_source(module, name, source)


def run_source(module: ModuleType, filename: str, source: bytes) -> None:
    """Compiles bytes as Python does (coding cookie, BOM) and runs them as `module`. Raises what the code raises.

    A file in an encoding that the readers of source text do not know is a SyntaxError: they would see another text.
    """
    module.__file__ = filename
    encoding_of(source)
    remember_source(filename, source.decode("utf-8", errors="replace"))
    exec(compiled(source, filename), module.__dict__)


def compiled(source: bytes, filename: str) -> CodeType:
    """The code of a file, which may be written for a later Python's f-strings. Raises SyntaxError."""
    try:
        return compile(source, filename, "exec", dont_inherit=True)
    except SyntaxError:
        older = older_text(source)
        if older is None:
            raise
        return compile(older, filename, "exec", dont_inherit=True)


def load(files: Mapping[str, bytes], main: str, imports: Sequence[str] = ()) -> tuple[ModuleType, BaseException | None]:
    """(the module of `files[main]`, what it raised when it was run); its neighbours can be imported by it.

    From then on this process imports only what imports.py allows, and top-level modules in `imports`.
    """
    own = MemoryFinder({name: source for name, source in files.items() if name != main})
    sys.meta_path.insert(0, Gate(own, own.names, files, imports))
    sys.meta_path.append(own)
    module = ModuleType(main.removesuffix(".py"))
    sys.modules.setdefault(module.__name__, module)
    try:
        run_source(module, main, files[main])
    except BaseException as error:  # whatever a student's file does is a result
        return module, error
    return module, None


def forget(main: str) -> None:
    """Undoes what `load` left in this process: the module, the finders, and memory that only garbage holds."""
    if sys.modules.pop(main.removesuffix(".py"), None) is None:
        return
    gc.collect()  # a list that contains itself keeps its tensors until then
    linecache.cache.pop(main, None)
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, (MemoryFinder, Gate))]


def seed_generators() -> None:
    """A step that draws numbers draws the same ones in every run."""
    random.seed(0)
    numpy.random.seed(0)
    torch.default_generator.manual_seed(0)  # torch.manual_seed also asks every accelerator, which takes 2 ms in a fork
