"""What a submission may import: numpy, the standard library, the parts of torch that are loaded, and its own files.

The worker decides by the module's name alone, not by who imports it and not by the text of the submission, in a finder
that Python asks before every other one. A name that is not allowed does not exist here, whether it is installed or not:
the import raises `NotAvailable`, a ModuleNotFoundError; of a library of stand_ins.INERT it gives a stand-in. A
statement at the top of a file that imports nothing else costs no points, see loader.run_source.

The finder is Python in the student's own process, so a submission can remove it. Where there is Landlock, the files of
all other modules cannot be opened either, and formulas_off.py removes those that were loaded.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Collection, Sequence
from types import ModuleType
from typing import Any

from grader.sandbox.workers.stand_ins import INERT, NotAvailable, StandIn
from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY


class Gate(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked before every other finder. `files` finds the submission's own modules, `names` are what they are called.

    `more` are top-level modules that the instructor allows.
    """

    def __init__(
        self,
        files: importlib.abc.MetaPathFinder | None = None,
        names: Collection[str] = (),
        more: Collection[str] = (),
    ) -> None:
        self._files, self._names, self._more = files, frozenset(names), frozenset(more)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """None where the other finders may look. Raises NotAvailable."""
        root = fullname.partition(".")[0]
        if is_allowed(root, self._more):
            return None
        if root in self._names and self._files is not None:
            return self._files.find_spec(fullname, path, target)
        if root not in INERT:
            raise NotAvailable(fullname, self._more)
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        stand_in: Any = StandIn(spec.name, self._more)
        return stand_in  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        return None


def is_allowed(root: str, more: Collection[str] = ()) -> bool:
    """Whether modules of this top-level package may be looked for on disk. torch's are loaded, or do not exist."""
    if root in sys.stdlib_module_names:
        return root not in NOT_FROM_THE_STANDARD_LIBRARY
    return root == "numpy" or root in more


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
