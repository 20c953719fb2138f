"""What a submission may import: numpy, the standard library, the parts of torch that are loaded, and its own files.

The worker decides by the module's name alone, not by who imports it and not by the text of the submission, in a finder
that Python asks before every other one. A name that is not allowed does not exist here, whether it is installed or not:

* guarded by ``try`` or ``with``, or while a step runs, the import raises `NotAvailable`, a ModuleNotFoundError;
* elsewhere, and where it is a library of stand_ins.INERT, it gives a stand-in: an unused import costs no points.

The finder is Python in the student's own process, so a submission can remove it. Where there is Landlock, the files of
all other modules cannot be opened either, and formulas_off.py removes those that were loaded.
Source of the exception table's format: CPython, InternalDocs/exception_handling.md.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Collection, Sequence
from types import CodeType, ModuleType
from typing import Any

from grader.sandbox.workers.stand_ins import INERT, NotAvailable, StandIn
from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY


class Gate(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked before every other finder. `files` finds the submission's own modules, `names` are what they are called.

    `filenames` are the names under which the student's files are compiled; `more` are top-level modules that the
    instructor allows.
    """

    def __init__(
        self,
        files: importlib.abc.MetaPathFinder | None = None,
        names: Collection[str] = (),
        filenames: Collection[str] = (),
        more: Collection[str] = (),
    ) -> None:
        self._files, self._names, self._filenames = files, frozenset(names), frozenset(filenames)
        self._more = frozenset(more)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """None where the other finders may look. Raises NotAvailable."""
        root = fullname.partition(".")[0]
        if is_allowed(root, self._more):
            return None
        if root in self._names and self._files is not None:
            return self._files.find_spec(fullname, path, target)
        if root not in INERT and not (StandIn.loading and self._is_unguarded()):
            raise NotAvailable(fullname, self._more)
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        stand_in: Any = StandIn(spec.name, self._more)
        return stand_in  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        return None

    def _is_unguarded(self) -> bool:
        """Whether a student's file imports outside of `try` and `with`. Decides how to refuse, no more."""
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None or frame.f_code.co_filename not in self._filenames:
            return False
        return not has_handler(frame.f_code, frame.f_lasti)


def is_allowed(root: str, more: Collection[str] = ()) -> bool:
    """Whether modules of this top-level package may be looked for on disk. torch's are loaded, or do not exist."""
    if root in sys.stdlib_module_names:
        return root not in NOT_FROM_THE_STANDARD_LIBRARY
    return root == "numpy" or root in more


def has_handler(code: CodeType, offset: int) -> bool:
    """Whether an exception at the instruction at `offset` has a handler in the same function."""
    table = iter(code.co_exceptiontable)

    def number() -> int:
        byte = next(table)
        value = byte & 63
        while byte & 64:
            byte = next(table)
            value = value << 6 | byte & 63
        return value

    try:
        while True:
            start, length, _, _ = (number() for _ in range(4))
            if 2 * start <= offset < 2 * (start + length):
                return True
    except (StopIteration, RuntimeError, ValueError):  # the table's end
        return False


# What is loaded already ----------------------------------------------------------------------------------------------


def forget_modules(names: Collection[str]) -> None:
    """Removes modules from where an import finds them: `sys.modules` and the module above each."""
    for name in names:
        module = sys.modules.pop(name, None)
        above, _, own = name.rpartition(".")
        parent: Any = sys.modules.get(above)
        if module is not None and parent is not None and vars(parent).get(own) is module:
            delattr(parent, own)
            if own in getattr(parent, "__all__", ()):  # else `from torch import *` asks for it
                parent.__all__.remove(own)
