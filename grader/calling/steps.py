"""Calling one step: parameters by name, fresh copies in, the result and what the step did to its arguments out.

Used inside the worker for student code, and in the trusted process for the course's own formulas: one meaning for both.
Problems are drawn in float64. Code that cannot run in it, such as `F.one_hot(Xb, 27).float().T @ demb`, is run in
float32: torch refuses to mix them, each function in words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.failures import failure, first_line, safe_text
from grader.calling.operators import OperatorWatch
from grader.calling.parameters import Interface, UnknownParameter, arguments_for, interface_of

ABOUT_DTYPES = re.compile(
    r"d(?:ata)?types?\b|scalar type|same type|TensorOptions|Type promot|"
    r"\b(?:Float|Double|(?:Float|Double)Tensor|float32|float64)\b|^AssertionError"
)
"""Errors that may come from float64. torch 2 and numpy have some forty wordings; an `assert` often has none."""


def is_about_dtypes(answer: Answer) -> bool:
    """Whether the answer is an error that the same code may not raise in float32."""
    return answer.outcome == "raised" and ABOUT_DTYPES.search(answer.message) is not None


def narrow(value: Any) -> Any:
    """A float64 tensor or array in float32, also in lists, tuples and dicts; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(narrow(entry) for entry in value)
    if isinstance(value, dict):
        return to_float32(value)
    if isinstance(value, numpy.ndarray) and value.dtype == numpy.float64:
        return value.astype(numpy.float32)
    if isinstance(value, Tensor) and value.dtype == torch.float64:
        return value.detach().to(torch.float32).requires_grad_(value.requires_grad)
    return value


def to_float32(named: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: narrow(value) for name, value in named.items()}


def is_same_answer(a: Any, b: Any) -> bool:
    if type(a) is Tensor and a.dtype is b.dtype and torch.equal(a, b):
        return True
    if not isinstance(a, Tensor):
        return True  # plain numbers cannot be changed in place
    with torch._C.DisableTorchFunctionSubclass():  # a student may have given it another class
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())  # NaN is not equal to itself


def changed_arguments(
    given: Mapping[str, Any], values: Mapping[str, Any], upstream: Mapping[str, Tensor]
) -> tuple[str, ...]:
    """The arguments that are not what they were."""
    found = []
    for name, value in given.items():
        original = values.get(name, upstream.get(name[1:]) if name[0] == "d" else None)
        if original is not None and not is_same_answer(value, original):
            found.append(name)
    return tuple(found)


class Ran(NamedTuple):
    """What a function returned, unchecked; `values` and `upstream` are what it was called on."""

    result: object
    given: Mapping[str, Any]
    interface: Interface
    watch: OperatorWatch | None
    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    dtype: torch.dtype


def run_with_fallback(
    function: Callable[..., Any] | None,
    name: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str],
    watch: OperatorWatch | None,
) -> Ran | Answer:
    """Call the function; in float32 if it raises an error about dtypes in float64.

    Where float32 helps no more than float64, the answer is the error that it raises in float64.
    """
    if function is None:
        return Answer("missing")

    def run(values: Mapping[str, Any], upstream: Mapping[str, Tensor], dtype: torch.dtype) -> Ran | Answer:
        try:
            interface = interface_of(function)
            positional, keyword = arguments_for(interface.parameters, name, values, upstream)
        except UnknownParameter as error:
            return Answer("raised", message=str(error), line=first_line(function))
        except (TypeError, ValueError) as error:
            message = f"`{name}` cannot be called: {safe_text(str, error)}"
            return Answer("raised", message=message, line=first_line(function))
        given = keyword
        if positional:
            given = dict(zip((p.name for p in interface.parameters), positional, strict=False)) | keyword
        default = torch.get_default_dtype()
        set_default_dtype(dtype)
        try:
            with watch or nullcontext():
                result = function(*positional, **keyword)
            return Ran(result, given, interface, watch, values, upstream, dtype)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's doing here, too
            return failure(error, name, files)._replace(uses=interface.uses)
        finally:
            set_default_dtype(default)

    ran = run(values, upstream, dtype)
    if dtype is not torch.float64 or not isinstance(ran, Answer) or not is_about_dtypes(ran):
        return ran
    again = run(to_float32(values), to_float32(upstream), torch.float32)
    return ran if isinstance(again, Answer) and is_about_dtypes(again) else again


def set_default_dtype(dtype: torch.dtype) -> None:
    """Set torch's default dtype unless it is set already: a look at it takes a tenth of the time."""
    if torch.get_default_dtype() is not dtype:
        torch.set_default_dtype(dtype)


def call_step(
    function: Callable[..., Any] | None,
    step: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str] = (),
    watch: OperatorWatch | None = None,
) -> Answer:
    """Runs one step and returns its result; never raises for what the function does.

    `values` and `upstream` are {name: tensor or number}; the function gets copies. While it runs, torch's default
    dtype is `dtype`, so that `torch.zeros(n, m)` in a student's line has the precision of the problem. `files` are the
    file names of the student's code, the graded one first, for line numbers.
    """
    ran = run_with_fallback(function, step, values, upstream, dtype, files, watch)
    if isinstance(ran, Answer):
        return ran
    try:
        return Answer(
            "returned",
            **answer_fields(ran.result, ran.values.get(step[1:]), ran.dtype),
            changed=changed_arguments(ran.given, ran.values, ran.upstream),
            uses=ran.interface.uses,
            line=ran.interface.line,
            **counts_of(ran, dtype),
        )
    except BaseException as error:  # what came back may be anything of a student's
        return failure(error, step, files)


def counts_of(ran: Ran, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `operators`, `low_precision` and `in_float32`, for a problem of that dtype."""
    in_float32, watch = ran.dtype is not dtype, ran.watch
    saw_float32 = watch is not None and watch.saw_float32 and dtype == torch.float64
    return {
        "operators": 0 if watch is None else watch.operators,
        "low_precision": in_float32 or saw_float32,
        "in_float32": in_float32,
    }


def answer_fields(result: object, target: object, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `tensor`, or its `kind` where what came back is no tensor. A plain number will do for a scalar."""
    if type(result) in (int, float) and is_scalar(target):
        return {"tensor": torch.tensor(float(result), dtype=dtype)}  # type: ignore[arg-type]
    if issubclass(type(result), Tensor):  # not isinstance, which believes what an object says of its class
        return {"tensor": plain_tensor(result)}  # type: ignore[arg-type]
    return {"kind": describe(result)}


def is_scalar(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim == 0


def plain_tensor(tensor: Tensor) -> Tensor:
    """A view, subclass, Parameter, sparse or conjugated tensor as an ordinary dense one of the same shape and dtype."""
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
    """A returned value in a message: `None`, `tuple of 3`, or the name of its type; at most 80 characters."""
    if result is None:
        return "None"
    kind = f"{type(result).__module__}.{type(result).__qualname__}".removeprefix("builtins.")
    if isinstance(result, (tuple, list)):
        return f"{kind} of {len(result)}"
    return kind[:80]
