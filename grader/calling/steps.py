"""Calling one step: parameters by name, fresh copies in, the result and what the step did to its arguments out.

Used inside the worker for student code, and in the trusted process for the course's own formulas: one meaning for both.
"""

from __future__ import annotations

import difflib
import dis
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.failures import failure, first_line, in_words
from grader.calling.float32 import is_about_dtypes, narrowed


class Watch(Protocol):
    operators: int
    saw_float32: bool


class NoWatch:
    operators = 0
    saw_float32 = False


NO_WATCH = NoWatch()


class UnknownParameter(Exception):
    """A step asks for something that is neither a forward value nor an upstream gradient."""


@dataclass(frozen=True)
class Interface:
    """What is known of a function before it is called."""

    line: int | None
    parameters: tuple[inspect.Parameter, ...]
    uses: frozenset[str]  # parameters that its code reads


def interface_of(function: Callable[..., Any]) -> Interface:
    """Raises TypeError or ValueError for what cannot be called."""
    plain = type(function) is FunctionType  # another callable may answer differently each time, or not be hashable
    return interface_of_function(function) if plain else look_at(function)


def look_at(function: Callable[..., Any]) -> Interface:
    parameters = parameters_of(function)
    return Interface(first_line(function), parameters, names_read(function, parameters))


interface_of_function = lru_cache(maxsize=1000)(look_at)  # a step is called on every problem


def parameters_of(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())


def names_read(function: Callable[..., Any], parameters: Sequence[inspect.Parameter]) -> frozenset[str]:
    """Parameters that the function's code reads (all of them where there is no plain code object to look at)."""
    names = frozenset(p.name for p in parameters)
    code = getattr(function, "__code__", None)
    return names & loaded_names(code) if isinstance(code, CodeType) else names


@cache
def loaded_names(code: CodeType) -> frozenset[str]:
    """Every name that a LOAD instruction of `code` mentions."""
    read: set[str] = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("LOAD"):
            values = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            read.update(v for v in values if isinstance(v, str))
    return frozenset(read)


def arguments_for(
    parameters: Sequence[inspect.Parameter], step: str, values: Mapping[str, Any], upstream: Mapping[str, Tensor]
) -> tuple[list[Any], dict[str, Any]]:
    """Fresh copies of what the parameters name. Raises UnknownParameter with a sentence."""
    positional: list[Any] = []
    keyword: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        name = parameter.name
        if name in values:
            value = values[name]
        elif name[:1] == "d" and name[1:] in upstream and name != step:
            value = upstream[name[1:]]
        elif parameter.default is not parameter.empty:
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(parameter.default)  # those after it keep their places
            continue
        elif name == "self":
            raise UnknownParameter(
                f"`{step}` has a parameter `self`, as a method has. Write it as a function outside the class."
            )
        elif name == step:
            raise UnknownParameter(f"`{step}` asks for itself: `{name}` is what it is to return.")
        else:
            gradients = ["d" + name for name in upstream if "d" + name != step]
            near = difflib.get_close_matches(name, [*values, *gradients], n=1)
            hint = (
                f"; did you mean `{near[0]}`?"
                if near
                else ": use the names of the forward pass, with a `d` in front for gradients."
            )
            raise UnknownParameter(
                f"`{step}` asks for `{name}`, which is no forward value and no upstream gradient{hint}"
            )
        value = fresh(value)
        if parameter.kind is parameter.KEYWORD_ONLY or (keyword and parameter.kind is parameter.POSITIONAL_OR_KEYWORD):
            keyword[name] = value
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keyword[name] = value
    return positional, keyword


def fresh(value: Any) -> Any:
    """A copy of a value that a step may do with as it likes: a tensor, a list of tensors, or what cannot change."""
    if isinstance(value, list):
        return [fresh(entry) for entry in value]
    return value.clone() if isinstance(value, Tensor) else value


def same(a: Any, b: Any) -> bool:
    if type(a) is Tensor and a.dtype is b.dtype and torch.equal(a, b):
        return True
    if not isinstance(a, Tensor):
        return True  # plain numbers cannot be changed in place
    with torch._C.DisableTorchFunctionSubclass():  # a student may have given it another class
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())  # NaN is not equal to itself


def changed(given: Mapping[str, Any], values: Mapping[str, Any], upstream: Mapping[str, Tensor]) -> tuple[str, ...]:
    """The arguments that are not what they were."""
    found = []
    for name, value in given.items():
        original = values.get(name, upstream.get(name[1:]) if name[0] == "d" else None)
        if original is not None and not same(value, original):
            found.append(name)
    return tuple(found)


class Ran(NamedTuple):
    """What a function gave back, before anyone looked at it; `values` and `upstream` are what it was called on."""

    result: object
    given: Mapping[str, Any]
    uses: frozenset[str]
    watch: Watch
    line: int | None
    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    dtype: torch.dtype


def run(
    function: Callable[..., Any] | None,
    name: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str],
    watch: AbstractContextManager[Watch] | None,
) -> Ran | Answer:
    """Call the function; in float32 if it raises an error about dtypes in float64.

    Where float32 helps no more than float64, the answer is the error that it raises in float64.
    """
    ran = run_once(function, name, values, upstream, dtype, files, watch)
    if dtype is not torch.float64 or not isinstance(ran, Answer) or not is_about_dtypes(ran):
        return ran
    again = run_once(function, name, narrowed(values), narrowed(upstream), torch.float32, files, watch)
    return ran if isinstance(again, Answer) and is_about_dtypes(again) else again


def run_once(
    function: Callable[..., Any] | None,
    name: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str],
    watch: AbstractContextManager[Watch] | None,
) -> Ran | Answer:
    if function is None:
        return Answer("missing")
    try:
        interface = interface_of(function)
        positional, keyword = arguments_for(interface.parameters, name, values, upstream)
    except UnknownParameter as error:
        return Answer("raised", message=str(error), line=first_line(function))
    except (TypeError, ValueError) as error:
        return Answer("raised", message=f"`{name}` cannot be called: {in_words(str, error)}", line=first_line(function))
    given = keyword
    if positional:
        given = dict(zip((p.name for p in interface.parameters), positional, strict=False)) | keyword
    default = torch.get_default_dtype()
    set_default_dtype(dtype)
    seen: Watch = NO_WATCH
    try:
        if watch is None:
            result = function(*positional, **keyword)
        else:
            with watch as seen:
                result = function(*positional, **keyword)
        return Ran(result, given, interface.uses, seen, interface.line, values, upstream, dtype)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's doing here, too
        return failure(error, name, files)._replace(uses=interface.uses)
    finally:
        set_default_dtype(default)


def set_default_dtype(dtype: torch.dtype) -> None:
    """Looking costs a tenth of setting; whoever calls many steps sets it once around them."""
    if torch.get_default_dtype() is not dtype:
        torch.set_default_dtype(dtype)


def call_step(
    function: Callable[..., Any] | None,
    step: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str] = (),
    watch: AbstractContextManager[Watch] | None = None,
) -> Answer:
    """Runs one step and says what came of it; never raises for what the function does.

    `values` and `upstream` are {name: tensor or number}; the function gets copies. While it runs, torch's default
    dtype is `dtype`, so that `torch.zeros(n, m)` in a student's line has the precision of the problem. `files` are the
    file names of the student's code, the graded one first, for line numbers.
    """
    ran = run(function, step, values, upstream, dtype, files, watch)
    if isinstance(ran, Answer):
        return ran
    try:
        return Answer(
            "returned",
            **returned(ran.result, ran.values.get(step[1:]), ran.dtype),
            changed=changed(ran.given, ran.values, ran.upstream),
            uses=ran.uses,
            operators=ran.watch.operators,
            line=ran.line,
            **precision(ran, dtype),
        )
    except BaseException as error:  # what came back may be anything of a student's
        return failure(error, step, files)


def precision(ran: Ran, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `low_precision` and `in_float32`, for a problem of that dtype."""
    in_float32 = ran.dtype is not dtype
    return {
        "low_precision": in_float32 or (ran.watch.saw_float32 and dtype == torch.float64),
        "in_float32": in_float32,
    }


def returned(result: object, target: object, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `tensor`, or its `kind` where what came back is no tensor. A plain number will do for a scalar."""
    if type(result) in (int, float) and is_scalar(target):
        return {"tensor": torch.tensor(float(result), dtype=dtype)}  # type: ignore[arg-type]
    if issubclass(type(result), Tensor):  # not isinstance, which believes what an object says of its class
        return {"tensor": plain(result)}  # type: ignore[arg-type]
    return {"kind": describe(result)}


def is_scalar(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim == 0


def plain(tensor: Tensor) -> Tensor:
    """The numbers of any tensor (a view, a subclass, a Parameter, sparse, conjugated) as an ordinary dense one."""
    if type(tensor) is Tensor and tensor.layout == torch.strided:
        if tensor.is_contiguous() and not tensor.is_conj() and not tensor.is_neg():
            return tensor.detach()
        return tensor.detach().resolve_conj().resolve_neg().contiguous()
    with torch._C.DisableTorchFunctionSubclass():
        tensor = tensor.detach()
        if tensor.layout != torch.strided:
            tensor = tensor.to_dense()
        return tensor.resolve_conj().resolve_neg().contiguous().as_subclass(Tensor)


def describe(result: object) -> str:
    if result is None:
        return "None"
    kind = f"{type(result).__module__}.{type(result).__qualname__}".removeprefix("builtins.")
    if isinstance(result, (tuple, list)):
        return f"{kind} of {len(result)}"
    return kind[:80]
