"""A submission's files as modules, from memory, and what else a submission may import.

It gets numpy, the standard library, the parts of torch that are loaded, and its own files. The worker decides by the
module's name alone, in a finder that Python asks before every other one. A name that is not allowed does not exist
here, whether it is installed or not. A submission's `torch.py` or `sitecustomize.py` never stands in for the real
thing; its `sympy.py` is its own.

The finder is Python in the student's own process, so a submission can remove it. Where there is Landlock, the files of
all other modules cannot be opened either, and library_off.py removes those that were loaded.
"""

from __future__ import annotations
import __future__

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import random
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any

import numpy
import torch

from grader.calling.autograd_used import AutogradUsed
from grader.calling.failures import remember_source
from grader.sandbox.workers.imports import INERT, NotAvailable, StandIn
from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY, importable_name
from grader.source.parsing import encoding_of
from grader.source.syntax import DefinitionNode

PACKAGE = "submission"
"""The package in which the graded file is, for its own relative imports: `from .utils import ops`."""
EXCUSED = (AutogradUsed, OSError, NotAvailable)
"""Raised for what is not here: automatic differentiation, a file, the network, a library."""


class Gate(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module before any other finder does: the submission's own, what is allowed, or a stand-in.

    Attributes:
        left_out: errors of statements that were left out of the submission's own modules, see `run_source`.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` is {path: text}, the submission's own."""
        self._files = {importable_name(path): (path, files[path]) for path in files if path.endswith(".py")}
        folders = {str(folder) for path in files for folder in PurePosixPath(path).parents}
        self._packages = {PACKAGE} | {importable_name(folder) for folder in folders}
        self._own = {name.partition(".")[0] for name in self._files} | {PACKAGE}
        self.left_out: list[BaseException] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """None where the other finders may look. Raises NotAvailable."""
        root = fullname.partition(".")[0]  # torch's modules are loaded, or do not exist
        in_the_library = root in sys.stdlib_module_names and root not in NOT_FROM_THE_STANDARD_LIBRARY
        if in_the_library or root == "numpy" or root in NotAvailable.allowed:
            return None
        if root in self._own:
            own = fullname.removeprefix(f"{PACKAGE}.")
            is_package = own in self._packages
            found = is_package or own in self._files
            return importlib.util.spec_from_loader(fullname, self, is_package=is_package) if found else None
        if root not in INERT:
            raise NotAvailable(fullname)
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        stand_in: Any = None if spec.name.partition(".")[0] in self._own else StandIn(spec.name)
        return stand_in  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        if not isinstance(module, StandIn):
            name, source = self._files.get(module.__name__.removeprefix(f"{PACKAGE}."), ("", b""))
            self.left_out += run_source(module, name, source)


def run_source(module: ModuleType, filename: str, source: bytes) -> list[BaseException]:
    """Compiles bytes as Python does (coding cookie, BOM) and runs them as `module`. Raises what the code raises.

    A statement that fails for want of what is not here is left out, and so are those after it that fail without it.
    Returns their errors; an import of a library that is not here counts for nothing. A file in an encoding that the
    readers of source text do not know is a SyntaxError: they would see another text.
    """
    module.__file__ = filename
    encoding_of(source)
    remember_source(filename, source.decode("utf-8", errors="replace"))
    code = compile(source, filename, "exec", dont_inherit=True)
    try:
        exec(code, module.__dict__)
        return []
    except BaseException as error:
        if missing_cause(error) is None:
            raise
        failed = next(line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code is code)
        first = error
    left_out: list[BaseException] = []
    flags = code.co_flags & __future__.annotations.compiler_flag
    for statement in simple_imports(ast.parse(source, filename).body):
        is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
        if (statement.end_lineno or 0) < failed:
            continue
        try:
            if statement.lineno <= failed and not is_import:
                raise first  # it is not run twice: what it printed would appear twice
            exec(compile(ast.Module([statement], []), filename, "exec", flags, dont_inherit=True), module.__dict__)
        except (Exception, AutogradUsed, SystemExit) as error:
            cause = missing_cause(error)
            if cause is None and not left_out:
                raise
            if not (is_import and isinstance(cause, NotAvailable)):
                left_out.append(cause or error)
            set_stand_ins(module, statement, cause)
    return left_out


def simple_imports(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with one for each module of `import a, b`."""
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (ast.copy_location(ast.Import([alias]), statement) for alias in statement.names)
        else:
            yield statement


def missing_cause(error: BaseException) -> BaseException | None:
    """The error if it is EXCUSED; for `from torch import _decomp`, the error that any other library gives."""
    if type(error) is ImportError and (error.name or "").partition(".")[0] == "torch":
        name = str(error).partition("'")[2].partition("'")[0]  # Python 3.12 has it as an attribute
        return NotAvailable(f"{error.name}.{name}").with_traceback(error.__traceback__)
    return error if isinstance(error, EXCUSED) else None


def set_stand_ins(module: ModuleType, statement: ast.stmt, cause: BaseException | None) -> None:
    """Give the names that a left-out statement would set a stand-in, so that a step that uses one names the library."""
    if isinstance(cause, NotAvailable) and not isinstance(statement, DefinitionNode):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                module.__dict__.setdefault(node.id, StandIn(str(cause.name)))
            elif isinstance(node, ast.alias):
                name = node.asname or node.name.partition(".")[0]
                module.__dict__.setdefault(name, StandIn(str(cause.name), node.name))


def load(files: Mapping[str, bytes], main: str) -> tuple[dict[str, Any], list[BaseException]]:
    """Runs `files[main]` as a module; its neighbours can be imported by it. Raises what the code raises.

    Returns the module's names, and the errors of statements that were left out. From then on this process imports only
    these, what is always allowed, and the modules in `NotAvailable.allowed`.
    """
    gate = Gate({name: source for name, source in files.items() if name != main})
    sys.meta_path.insert(0, gate)
    module = ModuleType(main.removesuffix(".py"))
    module.__spec__ = importlib.machinery.ModuleSpec(f"{PACKAGE}.{module.__name__}", None)
    sys.modules.setdefault(module.__name__, module)
    own = run_source(module, main, files[main])
    return vars(module), [*gate.left_out, *own]


def seed_generators() -> None:
    """A step that draws numbers draws the same ones in every run."""
    random.seed(0)
    numpy.random.seed(0)
    torch.default_generator.manual_seed(0)  # torch.manual_seed also asks every accelerator, which takes 2 ms in a fork
