"""Stand-ins for plotting and progress libraries that are not installed where steps are graded.

A learner's file often begins with `import matplotlib.pyplot as plt`. That says nothing about the gradients, so it must
not cost them: a known library that is missing becomes a module whose every attribute can be used and does nothing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

KNOWN = frozenset(
    {"matplotlib", "seaborn", "plotly", "bokeh", "altair", "PIL", "graphviz", "torchviz", "torchvision", "torchaudio"}
    | {"tqdm", "pandas", "rich", "IPython", "ipywidgets", "google", "jupyter", "notebook"}
    | {"wandb", "tensorboard", "tensorboardX", "requests"}
)


class Nothing:
    """Anything at all, doing nothing: called, indexed, iterated over, entered as a context."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        # tqdm(range(3)) and the like are used for what they are given
        return arguments[0] if arguments and hasattr(arguments[0], "__iter__") and not keywords.get("data") else self

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> Nothing:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter((self, self))  # `figure, axes = plt.subplots()`

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder: only for libraries of KNOWN that are really missing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in KNOWN:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        nothing = Nothing()
        module.__getattr__ = lambda name: getattr(nothing, name)  # type: ignore[method-assign]
