"""What a submission may import: numpy, the standard library, the parts of torch that are loaded, and its own files.

The worker decides by the module's name alone, in a finder that Python asks before every other one. A name that is not
allowed does not exist here, whether it is installed or not: the import raises `NotAvailable`, a ModuleNotFoundError; of
a library of INERT it gives a `StandIn`, which does nothing. A file often begins with imports that say nothing about its
gradients, so they must not cost any: a statement at its top that imports nothing else costs no points, see
loader.run_source. A use that a gradient depends on fails in that step alone, with the name of the library.

The finder is Python in the student's own process, so a submission can remove it. Where there is Landlock, the files of
all other modules cannot be opened either, and formulas_off.py removes those that were loaded.
"""

from __future__ import annotations

import difflib
import dis
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from types import FrameType, ModuleType
from typing import Any, NoReturn

from grader.source.module_names import NOT_FROM_THE_STANDARD_LIBRARY, is_beneath

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
    """A module that submissions do not get; the text is for the student. `more` are those that an instructor allows."""

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
        root = fullname.partition(".")[0]  # torch's modules are loaded, or do not exist
        in_the_library = root in sys.stdlib_module_names and root not in NOT_FROM_THE_STANDARD_LIBRARY
        if in_the_library or root == "numpy" or root in self._more:
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


class StandIn:
    """A library that is not available, or anything of it: an attribute, an entry, or what a call returned.

    A decorator returns the function that it decorates, an annotation can be subscripted, and where the library is one
    of INERT, a progress bar passes its iterable through, and a plot does nothing. Every other use raises NotAvailable.
    PyTorch's compiler is a stand-in, too: whatever torch asks of it is false.
    """

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
        if self._name in ITERATES_OVER:
            return StandIn(self._module, self._more, items=self._value(ITERATES_OVER[self._name](*arguments)))
        items = first if arguments else next((keywords[name] for name in ITERABLES if name in keywords), None)
        return StandIn(self._module, self._more, items=self._value(items if hasattr(type(items), "__iter__") else ()))

    def _value(self, value: Any) -> Any:
        return value if self._inert else self._refuse()

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise NotAvailable(self._module, self._more)

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
        return self._inert  # assert isinstance(x, Float[Tensor, "n"])

    def __iter__(self) -> Iterator[Any]:
        unpacked = items_unpacked(sys._getframe(1))
        return iter(self._value((self,) * unpacked or self._items))

    def __reversed__(self) -> Iterator[Any]:
        return iter(reversed(self._value(self._items)))

    def __len__(self) -> int:
        return len(self._value(self._items))

    def __bool__(self) -> bool:
        return bool(self._value(not self._is_compiler))

    @classmethod
    def __torch_function__(cls, _function: object, _types: object, args: Any = (), kwargs: Any = None) -> Any:
        """Called by functions of torch with a stand-in among their arguments, perhaps in a list."""
        arguments = [*args, *(kwargs or {}).values()]
        for each in arguments:
            if isinstance(each, StandIn):
                each._refuse()
            if isinstance(each, (list, tuple)):
                arguments += each
        return NotImplemented

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __abs__ = __float__ = __int__ = __index__ = __array__ = __fspath__ = _refuse


def items_unpacked(frame: FrameType) -> int:
    """How many names `frame` is assigning the items of one value to, as in `figure, axes = plt.subplots()`."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if at >= 0 and dis.opname[code[at]] in ("UNPACK_SEQUENCE", "UNPACK_EX") else 0


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
