"""Libraries that a submission does not get, and what stands in for them.

A file often begins with imports that say nothing about its gradients, so they must not cost any. A statement at its top
that imports nothing else costs no points, see loader.run_source. A use that a gradient depends on raises `NotAvailable`
in that step alone, with the name of the library. Of a library of INERT, an import gives a `StandIn`.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

from grader.source.module_names import is_beneath

PROGRESS = frozenset({"tqdm", "rich", "alive_progress", "progressbar", "fastprogress", "stqdm", "enlighten", "numba"})
"""Libraries with functions that are iterated over as their argument is."""
INERT = PROGRESS | frozenset(
    {"matplotlib", "seaborn", "plotly", "bokeh", "altair", "graphviz", "torchviz", "IPython", "ipywidgets", "jupyter"}
    | {"notebook", "wandb", "tensorboard", "tensorboardX", "mlflow", "loguru", "torchinfo", "torchsummary", "colorama"}
    | {"jaxtyping", "torchtyping", "beartype", "typeguard", "line_profiler", "memory_profiler"}
)
"""Libraries that draw, show progress, log, check types or compile: without them, the same code computes the same."""
COMPILER = frozenset({"torch._dynamo", "torch._inductor"})
"""Parts of torch that its other parts call, such as to ask whether they are being compiled: they are not."""
COMPUTE_WITH_FUNCTIONS = frozenset(
    {"jax", "autograd", "tensorflow", "functorch", "torch", "scipy", "sympy", "numdifftools"}
)
"""What these return for a function is another function, such as its derivative."""
RANGES = frozenset({"trange", "tnrange", "prange"})


class NotAvailable(ModuleNotFoundError):
    """A module that submissions do not get; the text is for the student.

    `allowed` are the top-level modules that an instructor allows, in this process.
    """

    allowed: Collection[str] = ()

    def __init__(self, module: str) -> None:
        also = "".join(f"{name}, " for name in sorted(self.allowed))
        super().__init__(
            f"`{module}` is not available where steps are graded: use torch, numpy, {also}the standard library "
            "(without ctypes) and the files that you submitted next to this one.",
            name=module,
        )


class StandIn:
    """A library that is not available, or anything of it: an attribute, an entry, or what a call returned.

    A decorator returns the function that it decorates, an annotation can be subscripted. Where the library is one of
    INERT, a call does nothing, and a progress bar passes its iterable through. Every other use raises NotAvailable.
    PyTorch's compiler is a stand-in, too: whatever torch asks of it is false.
    """

    __version__ = "0"

    def __init__(self, module: str, name: str = "", items: Any = None) -> None:
        """`name` is the last name, iterating goes over `items`."""
        root = module.partition(".")[0]
        self._module, self._name, self._items = module, name, items
        self._is_compiler = is_beneath(module, COMPILER)
        self._inert = root in INERT or self._is_compiler
        self._decorates = self._inert or root not in COMPUTE_WITH_FUNCTIONS
        self._is_iterated = root in PROGRESS

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self._module, name)

    def __call__(self, *arguments: Any, **_keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        is_alone = len(arguments) == 1 or self._is_compiler
        if self._decorates and is_alone and (callable(first) or isinstance(first, (classmethod, property))):
            return first
        items = range(*arguments) if self._name in RANGES else first
        return StandIn(self._module, items=self._value(items if self._is_iterated else None))

    def _value(self, value: Any) -> Any:
        return value if self._inert else self._refuse()

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise NotAvailable(self._module)

    def __getitem__(self, _key: object) -> StandIn:
        return self

    __or__ = __ror__ = __getitem__  # Float[Tensor, "n"] | None

    def __setitem__(self, _key: object, _value: object) -> None:
        return None  # plt.rcParams["figure.figsize"] = (8, 6)

    def __enter__(self) -> StandIn:
        return self._value(self)  # type: ignore[no-any-return]

    def __exit__(self, *_: object) -> None:
        return None

    def __mro_entries__(self, _bases: object) -> tuple[type, ...]:
        return ()

    def __instancecheck__(self, _value: object) -> bool:
        return bool(self._value(True))  # assert isinstance(x, Float[Tensor, "n"])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._refuse() if self._items is None else self._items)

    def __reversed__(self) -> Iterator[Any]:
        return iter(reversed(self._refuse() if self._items is None else self._items))

    def __len__(self) -> int:
        return len(self._refuse() if self._items is None else self._items)

    def __bool__(self) -> bool:
        return bool(self._value(not self._is_compiler))

    @classmethod
    def __torch_function__(cls, _function: object, _types: object, args: Any = (), _keywords: Any = None) -> Any:
        """Called by functions of torch with a stand-in among their arguments."""
        for each in args:
            if isinstance(each, StandIn):
                each._refuse()
        return NotImplemented

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __abs__ = __float__ = __int__ = __index__ = __array__ = __fspath__ = _refuse


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
