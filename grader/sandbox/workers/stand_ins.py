"""What a submission gets in place of a library that is not available where steps are graded: one class for all of them.

A file often begins with imports that say nothing about its gradients, so they must not cost any: a decorator returns
the function that it decorates, an annotation can be subscripted, and a plot does nothing. A use that a gradient depends
on raises `NotAvailable`, so only that step fails, with the name of the library.
"""

from __future__ import annotations

import difflib
import dis
import sys
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any, NoReturn

from grader.source.module_names import is_beneath

INERT = frozenset(
    {"matplotlib", "seaborn", "plotly", "bokeh", "altair", "graphviz", "torchviz", "IPython", "ipywidgets", "jupyter"}
    | {"notebook", "wandb", "tensorboard", "tensorboardX", "mlflow", "loguru", "torchinfo", "torchsummary", "colorama"}
    | {"tqdm", "rich", "alive_progress", "progressbar", "fastprogress", "stqdm", "enlighten"}
    | {"jaxtyping", "torchtyping", "beartype", "typeguard", "numba", "line_profiler", "memory_profiler"}
)
"""Libraries that draw, show progress, log, check types or compile: without them, the same code computes the same."""
COMPILER = frozenset({"torch._dynamo", "torch._inductor"})
"""Parts of torch that its other parts call, such as to ask whether they are being compiled: they are not."""
COMPUTE_WITH_FUNCTIONS = frozenset(
    {"jax", "autograd", "tensorflow", "functorch", "torch", "scipy", "sympy", "numdifftools"}
)
"""What these return for a function is another function, such as its derivative."""
ITERATES_OVER: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("trange", "tnrange", "prange"), range),
    "tzip": zip,
    "tenumerate": enumerate,
}
"""Over what some progress bars and parallel loops iterate, by the function's name; all others over their argument."""
ITERABLES = ("iterable", "sequence", "it")
"""Names of that argument."""


class NotAvailable(ModuleNotFoundError):
    """A module that submissions do not get; the text is for the student."""

    def __init__(self, module: str, more: Collection[str] = ()) -> None:
        also = "".join(f"{name}, " for name in sorted(more))
        root = module.partition(".")[0]
        near = difflib.get_close_matches(root, ("torch", "numpy", *more), 1, 0.75)
        meant = f" Do you mean `{near[0]}`?" if near and not root.startswith(near[0]) else ""
        super().__init__(
            f"`{module}` is not available where steps are graded: use torch, numpy, {also}the standard library "
            f"(without ctypes) and the files that you submitted next to this one.{meant}",
            name=module,
        )
        self.about = module, more


class StandIn:
    """A library that is not available, or anything of it: an attribute, an entry, or what a call returned.

    PyTorch's compiler is one, too. Whatever torch asks of it is false, and its decorators change nothing.

    While the submission's files are loaded, calls and entries of any library give another stand-in. After that only
    those of INERT do. What needs a value, such as arithmetic, raises NotAvailable.

    Attributes:
        loading: whether the submission's files are being loaded.
        was_used: the last library outside of INERT that was used meanwhile, as the arguments of NotAvailable.
    """

    loading = False
    was_used: tuple[str, Collection[str]] | None = None
    __version__ = "0"

    def __init__(self, module: str, more: Collection[str] = (), name: str = "", items: Any = ()) -> None:
        """`more` are modules that an instructor allows, `name` is the last name, iterating goes over `items`."""
        root = module.partition(".")[0]
        self._module, self._more, self._name, self._items = module, more, name, items
        self._is_compiler = is_beneath(module, COMPILER)
        self._inert = root in INERT or self._is_compiler
        self._decorates = self._inert or root not in COMPUTE_WITH_FUNCTIONS

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(self._module, self._more, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        is_alone = len(arguments) == 1 or self._is_compiler
        if self._decorates and is_alone and (callable(first) or isinstance(first, (classmethod, property))):
            return first
        self._use()
        if self._name in ITERATES_OVER:
            return StandIn(self._module, self._more, items=ITERATES_OVER[self._name](*arguments))
        items = first if arguments else next((keywords[name] for name in ITERABLES if name in keywords), None)
        return StandIn(self._module, self._more, items=items if hasattr(type(items), "__iter__") else ())

    def _use(self, *_arguments: object) -> StandIn:
        if not self._inert:
            if not StandIn.loading:
                self._refuse()
            StandIn.was_used = (self._module, self._more)
        return self

    def _need(self) -> None:
        if not self._inert:
            self._refuse()

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise NotAvailable(self._module, self._more)

    def _as_annotation(self, _other: object) -> StandIn:
        return self

    __getitem__ = __enter__ = _use
    __or__ = __ror__ = _as_annotation  # Float[Tensor, "n"] | None

    def __setitem__(self, key: object, value: object) -> None:
        self._use()

    def __exit__(self, *_: object) -> None:
        return None

    def __mro_entries__(self, _bases: object) -> tuple[type, ...]:
        return ()

    def __instancecheck__(self, _value: object) -> bool:
        return self._inert  # assert isinstance(x, Float[Tensor, "n"])

    def __iter__(self) -> Iterator[Any]:
        self._need()
        unpacked = items_unpacked(sys._getframe(1))
        return iter((self,) * unpacked) if unpacked else iter(self._items)

    def __reversed__(self) -> Iterator[Any]:
        self._need()
        return iter(reversed(self._items))

    def __len__(self) -> int:
        self._need()
        return len(self._items)

    def __bool__(self) -> bool:
        self._need()
        return not self._is_compiler

    @classmethod
    def __torch_function__(cls, _function: object, _types: object, args: Any = (), kwargs: Any = None) -> NoReturn:
        """Called by functions of torch with a stand-in among their arguments, perhaps in a list."""
        found = [each for each in (*args, *(kwargs or {}).values()) if isinstance(each, (StandIn, list, tuple))]
        while not isinstance(found[0], StandIn):
            found = [*found[1:], *(each for each in found[0] if isinstance(each, (StandIn, list, tuple)))]
        found[0]._refuse()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __abs__ = __float__ = __int__ = __index__ = __array__ = __fspath__ = _refuse


def items_unpacked(frame: FrameType) -> int:
    """How many names `frame` is assigning the items of one value to, as in `figure, axes = plt.subplots()`."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if at >= 0 and dis.opname[code[at]] in ("UNPACK_SEQUENCE", "UNPACK_EX") else 0
