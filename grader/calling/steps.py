"""Calling one step: parameters by name, fresh copies in, the result and what the step did to its arguments out.

Used inside the worker for student code, and in the trusted process for the course's own formulas: one meaning for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.calls import call, narrow, with_fallback
from grader.calling.failures import failure, first_line, safe_text
from grader.calling.operators import OperatorWatch
from grader.calling.parameters import UnknownParameter, arguments_for, interface_of


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

    `values` and `upstream` are {name: tensor of any shape, or number}, in `dtype`; the function gets copies. For
    `files` and `watch` see `call`.
    """
    answer = call_by_name(function, step, values, upstream, dtype, files, watch)
    return answer if answer.outcome != "returned" else as_step(answer, step, answer.value, values, dtype, files)


def call_by_name(
    function: Callable[..., Any] | None,
    name: str,
    values: Mapping[str, Any],
    upstream: Mapping[str, Tensor],
    dtype: torch.dtype,
    files: Sequence[str] = (),
    watch: OperatorWatch | None = None,
) -> Answer:
    """`call` with the values that the function's parameters name. It also says which of them it uses and changed."""
    if function is None:
        return Answer("missing")
    try:
        parameters, uses = interface_of(function)
    except (TypeError, ValueError) as error:
        message = f"`{name}` cannot be called: {safe_text(str, error)}"
        return Answer("raised", message=message, line=first_line(function))

    def run(precision: torch.dtype) -> Answer:
        known = (values, upstream) if precision is dtype else (narrow(dict(values)), narrow(dict(upstream)))
        try:
            positional, keyword = arguments_for(parameters, name, *known)
        except UnknownParameter as error:
            return Answer("raised", message=str(error), line=first_line(function))
        answer = call(function, name, positional, keyword, precision, files, watch)
        if answer.outcome != "returned":
            return answer._replace(uses=uses)
        given = dict(zip((p.name for p in parameters), positional, strict=False)) | keyword if positional else keyword
        try:
            originals = {n: known[0].get(n, known[1].get(n[1:]) if n[0] == "d" else None) for n in given}
            changed = tuple(n for n, original in originals.items() if not is_same_answer(given[n], original))
            return answer._replace(uses=uses, changed=changed)
        except BaseException as error:  # an argument may be anything by now
            return failure(error, name, files)

    return with_fallback(run, dtype)


def as_step(
    answer: Answer, step: str, result: object, values: Mapping[str, Any], dtype: torch.dtype, files: Sequence[str]
) -> Answer:
    """The answer of a call by name, as that of a step for which it returned `result`."""
    precision = torch.float32 if answer.in_float32 else dtype
    try:
        return answer._replace(value=None, arguments=(), **answer_fields(result, values.get(step[1:]), precision))
    except BaseException as error:  # what came back may be anything of a student's
        return failure(error, step, files)


def is_same_answer(a: Any, b: Any) -> bool:
    if type(a) is Tensor and a.dtype is b.dtype and torch.equal(a, b):
        return True
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return True  # plain numbers cannot be changed in place
    with torch._C.DisableTorchFunctionSubclass():  # a student may have given it another class
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())  # NaN is not equal to itself


def answer_fields(result: object, target: object, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `tensor`, or its `kind` where what came back is no tensor. A plain number will do for a scalar."""
    if type(result) in (int, float) and isinstance(target, Tensor) and target.ndim == 0:
        return {"tensor": torch.tensor(float(result), dtype=dtype)}  # type: ignore[arg-type]
    if issubclass(type(result), Tensor):  # not isinstance, which believes what an object says of its class
        return {"tensor": plain_tensor(result)}  # type: ignore[arg-type]
    return {"kind": describe(result)}


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
