"""One call of a function, a class or a method of a submission: the same in a worker and in the trusted process."""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from grader.calling.answer import Answer
from grader.calling.failures import failure, first_line
from grader.calling.operators import CallWatch, OperatorWatch
from grader.calling.protocol import Called, CallRequest, Counts, leaves, precision_of

IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
WITH_OUT = "functions with out=... arguments don't support automatic differentiation, but one requires grad."
CHANGE_NO_ELEMENT = frozenset({"requires_grad_", "detach_", "share_memory_"})
"""Methods that end in _ and change no element."""


class LeafGuard(TorchFunctionMode):
    """Inside ``with LeafGuard(leaves):`` a change of one of the leaves in place raises RuntimeError.

    PyTorch refuses to change a leaf that requires a gradient while operations are recorded, but this is a part of
    autograd, which a worker does not have. So a call that receives such leaves runs under this guard, and a training
    loop without `torch.no_grad()` stops with PyTorch's own words.
    Source: torch/csrc/autograd/VariableTypeUtils.h, `check_inplace`.

    Allowed are changes inside `torch.no_grad()` or `torch.inference_mode()`, and through `.data` or `.detach()`. A
    change of a view, such as `p[0].add_(1)`, is not noticed; `p[0] += 1` is.
    """

    def __init__(self, leaves: Iterable[Tensor]) -> None:
        super().__init__()
        self._leaves = {id(leaf): leaf for leaf in leaves}

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if torch.is_grad_enabled():
            name = str(getattr(func, "__name__", ""))
            if args and changes_in_place(name) and self._holds(args[0]):
                raise RuntimeError(IN_PLACE)
            if self._holds(given.get("out")):
                raise RuntimeError(WITH_OUT)
        return func(*args, **given)

    def _holds(self, value: Any) -> bool:
        """Whether `value` is one of the leaves that still requires a gradient, or a list with one in it."""
        if isinstance(value, (list, tuple)):
            return any(self._holds(entry) for entry in value)
        return id(value) in self._leaves and self._leaves[id(value)].requires_grad


def changes_in_place(name: str) -> bool:
    """Whether torch's function of this name changes its first argument: `add_`, `__setitem__`, `_foreach_add_`."""
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__") and name not in CHANGE_NO_ELEMENT)


def attribute(thing: Any, name: str, files: Sequence[str] = ()) -> Any:
    """An object's method or value, or an Answer that says what is missing. Asking may run a student's code."""
    kind = type(thing).__name__[:80]
    try:
        return getattr(thing, name)
    except AttributeError:
        near = difflib.get_close_matches(name, [n for n in dir(thing) if not n.startswith("_")], n=1)
        hint = f"; did you mean `{near[0]}`?" if near else "."
        return Answer("raised", message=f"`{kind}` has no `{name}`{hint}", line=first_line(type(thing).__init__))
    except BaseException as error:  # a property
        return failure(error, name, files)


def call(
    function: Callable[..., Any],
    name: str,
    args: list[Any],
    kwargs: dict[str, Any],
    files: Sequence[str] = (),
    cap: int | None = None,
    counted: bool = False,
) -> Called:
    """Calls it with these very arguments; never raises for what it does. With `cap`, operators are counted.

    Which they are, and the memory they take, is only measured if `counted`: it makes a call four times slower.
    """
    given = [args, kwargs]
    default, depth = torch.get_default_dtype(), sys.getrecursionlimit()
    precision = precision_of(given)
    watch: AbstractContextManager[OperatorWatch | None] = nullcontext()
    if cap is not None and not counted:
        watch = OperatorWatch(cap)
    elif cap is not None:
        watch = CallWatch(cap, [leaf for leaf in leaves(given) if isinstance(leaf, Tensor)])
    parameters = [leaf for leaf in leaves(given) if isinstance(leaf, Tensor) and leaf.requires_grad]
    guard: AbstractContextManager[object] = LeafGuard(parameters) if parameters else nullcontext()
    torch.set_default_dtype(precision)
    line = first_line(function)
    try:
        with guard, watch as seen:
            value = function(*args, **kwargs)
        counts = Counts()
        if seen is not None:
            low_precision = seen.saw_float32 and precision == torch.float64
            counts = Counts(seen.operators, low_precision=low_precision)
        if isinstance(seen, CallWatch):
            counts = Counts(seen.operators, dict(seen.dispatched), seen.peak_bytes, low_precision)
        return Called(value, arguments=[*args, *kwargs.values()], counts=counts, line=line)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's doing here, too
        return Called(failed=failure(error, name, files), line=line)
    finally:
        torch.set_default_dtype(default)
        sys.setrecursionlimit(depth)  # no call helps or harms a later one


def resolve(
    request: CallRequest, named: Callable[[str], Any], objects: Mapping[int, Any], files: Sequence[str] = ()
) -> tuple[Any, list[Any]]:
    """(what a request calls, its arguments in order). An Answer in place of what is missing.

    `named` gives the function or class of a name, or None; `objects` are those kept so far.
    """
    args = list(request.args)
    if request.handle is not None:
        thing = objects.get(request.handle)
        if request.read:
            return functools.partial(attribute, thing, request.name, files), args
        return attribute(thing, request.name, files), args
    used = [named(each) for each in request.uses or (request.name,)]
    if any(each is None for each in used):
        return Answer("missing"), args
    if request.uses:
        return functools.partial(args.pop(0), *used), args  # the course's function, with the target's
    return used[0], args


def invoke(
    request: CallRequest,
    named: Callable[[str], Any],
    objects: dict[int, Any],
    files: Sequence[str] = (),
    cap: int | None = None,
) -> Called:
    """Make the call that is requested; see `resolve` and `call` for the arguments."""
    target, args = resolve(request, named, objects, files)
    if request.read and not isinstance(target, Answer):
        target = target()
        if not isinstance(target, Answer):
            return Called(target)
    if isinstance(target, Answer):
        return Called(failed=target)
    called = call(target, request.name, args, dict(request.kwargs), files, cap, request.counted)
    if request.keep is not None and called.failed is None:
        objects[request.keep] = called.value
    return called
