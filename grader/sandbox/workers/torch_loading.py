"""Loads torch in less time than `import torch` takes, in processes for which somebody waits."""

from __future__ import annotations

import gc
import importlib
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

POSTPONED = "torch._meta_registrations"
"""Shape formulas in Python for tensors without values (device "meta"). With what it imports (torch._decomp,
torch._refs, torch._prims), it takes a quarter of `import torch`. Arithmetic on tensors with values never calls it."""


def load_torch() -> None:
    """Imports torch for one thread, without collecting garbage, and without POSTPONED until something reads of it.

    Does nothing where torch is loaded already. Until then, a tensor on the device "meta" has only the operators that
    torch implements in C++.
    """
    if "torch" in sys.modules:
        return
    collects = gc.isenabled()
    gc.disable()  # an import leaves little garbage behind, and looking for it takes a fifth of the time
    try:
        sys.modules[POSTPONED] = lazy_module(POSTPONED)
        torch: Any = importlib.import_module("torch")
        torch.broadcast_shapes = torch.functional.broadcast_shapes = broadcast_shapes
        complete(torch)
        sys.meta_path.insert(0, BeforeCompiler())
        torch.set_num_threads(1)  # a fork of a process with a pool of threads hangs
    finally:
        if collects:
            gc.enable()


class BeforeCompiler(MetaPathFinder):
    """Imports torch._prims before the compiler, which torch.func.vjp and torch.optim import at their first call.

    So does `import torch`. In the other order it and torch.utils._content_store import each other in a circle.
    """

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> None:
        if fullname == "torch._dynamo":
            sys.meta_path.remove(self)
            importlib.import_module("torch._prims")


def lazy_module(name: str) -> Any:
    """A module that imports the real one in its own place when one of its names is read."""
    stand_in: Any = ModuleType(name)

    def read(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return getattr(importlib.import_module(name), attribute)

    stand_in.__getattr__ = read
    return stand_in


def broadcast_shapes(*shapes: Any) -> Any:
    """torch.broadcast_shapes, whose own code is the only one for tensors with values that calls torch._refs."""
    import numpy  # with torch, which takes long

    return sys.modules["torch"].Size(numpy.broadcast_shapes(*shapes))


def complete(torch: Any) -> None:
    """Does what eager torch needs of the postponed modules: torch 2.13 makes a Generator only after this."""
    if hasattr(torch._C, "_set_generator_metaclass"):
        try:
            metaclass = importlib.import_module("torch._custom_class_base").CustomClassBaseMeta
        except ModuleNotFoundError:  # its name in torch 2.13; 2.15 warns about that one
            metaclass = importlib.import_module("torch._opaque_base").OpaqueBaseMeta
        torch._C._set_generator_metaclass(metaclass)
    try:
        torch.Generator()
    except RuntimeError:  # another version of torch, which keeps this elsewhere
        del sys.modules[POSTPONED]
        importlib.import_module(POSTPONED)
