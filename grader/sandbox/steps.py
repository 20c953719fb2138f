"""Calling one step: parameters by name, fresh copies in, the result and what the step did to its arguments out.

Used inside the worker for student code, and in the trusted process for the course's own formulas: one meaning for both.
"""

from __future__ import annotations

import difflib
import dis
import inspect
import linecache
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from types import CodeType, TracebackType
from typing import Any, Protocol

import torch
from torch import Tensor

from grader.answer import Answer
from grader.policy_names import by_hand
from grader.sandbox.autograd_off import AutogradUsed
from grader.sandbox.operators import TooManyOperators


class Watch(Protocol):
    operators: int
    saw_float32: bool


class NoWatch:
    operators = 0
    saw_float32 = False


class UnknownParameter(Exception):
    """A step asks for something that is neither a forward value nor an upstream gradient."""


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


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
    gradients = {"d" + name: tensor for name, tensor in upstream.items()}
    gradients.pop(step, None)
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        name = parameter.name
        if name in values:
            value = values[name]
        elif name in gradients:
            value = gradients[name]
        elif parameter.default is not parameter.empty:
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(parameter.default)  # those after it keep their places
            continue
        elif name == step:
            raise UnknownParameter(f"`{step}` asks for itself: `{name}` is what it is to return.")
        else:
            near = difflib.get_close_matches(name, [*values, *gradients], n=1)
            hint = (
                f"; did you mean `{near[0]}`?"
                if near
                else ": use the names of the forward pass, with a `d` in front for gradients."
            )
            raise UnknownParameter(
                f"`{step}` asks for `{name}`, which is no forward value and no upstream gradient{hint}"
            )
        value = value.clone() if isinstance(value, Tensor) else value
        if parameter.kind is parameter.KEYWORD_ONLY or (keyword and parameter.kind is parameter.POSITIONAL_OR_KEYWORD):
            keyword[name] = value
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keyword[name] = value
    return positional, keyword


def same(a: Any, b: Any) -> bool:
    if not isinstance(a, Tensor):
        return True  # plain numbers cannot be changed in place
    with torch._C.DisableTorchFunctionSubclass():  # a student may have given it another class
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())  # NaN is not equal to itself


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
    if function is None:
        return Answer("missing")
    try:
        parameters = parameters_of(function)
        positional, keyword = arguments_for(parameters, step, values, upstream)
        uses = names_read(function, parameters)
    except UnknownParameter as error:
        return Answer("raised", message=str(error), line=first_line(function))
    except (TypeError, ValueError) as error:
        reason = in_words(str, error)
        return Answer("raised", message=f"`{step}` cannot be called: {reason}", line=first_line(function))
    given = dict(zip((p.name for p in parameters), positional, strict=False)) | keyword
    originals = {**values, **{"d" + name: tensor for name, tensor in upstream.items()}}
    default = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    seen: Watch = NoWatch()
    try:
        with watch if watch is not None else nullcontext(seen) as seen:
            result = function(*positional, **keyword)
        torch.set_default_dtype(default)
        return Answer(
            "returned",
            **returned(result, originals.get(step[1:]), dtype),
            changed=tuple(
                name for name, value in given.items() if name in originals and not same(value, originals[name])
            ),
            uses=uses,
            operators=seen.operators,
            low_precision=seen.saw_float32 and dtype == torch.float64,
            line=first_line(function),
        )
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's doing here, too
        return failure(error, step, files)
    finally:
        torch.set_default_dtype(default)


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


def first_line(function: Callable[..., Any]) -> int | None:
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if isinstance(code, CodeType) and code.co_firstlineno > 0 else None


def failure(error: BaseException, step: str, files: Sequence[str]) -> Answer:
    """An exception as a student should read it: type, text, and the innermost of their own lines.

    `step` is empty while the file itself is being run; `files` are the student's, the graded one first.
    """
    line, innermost = own_line(error.__traceback__, files)
    name = in_words(lambda e: type(e).__name__, error)
    if isinstance(error, AutogradUsed):
        if step:
            return Answer("forbidden", message=by_hand(error.line, error.what), line=error.line)
        message = (
            f"Line {error.line} calls `{error.what}` while the file is being run, and there is no automatic "
            'differentiation here. Put your self-check under `if __name__ == "__main__":`.'
        )
        return Answer("forbidden", message=message, line=error.line)
    if isinstance(error, SyntaxError) and not step:
        if files and error.filename in files[1:]:
            return Answer(
                "raised", message=f"{name}: {error.msg} (in {error.filename}, line {error.lineno})", line=line
            )
        return Answer("raised", message=f"{name}: {error.msg}", line=error.lineno or None)
    if isinstance(error, TooManyOperators):
        message = (
            f"It dispatched more than {error.cap:,} tensor operations and was stopped: is there a loop that never ends?"
        )
        return Answer("timeout", message=message, line=line)
    if step and isinstance(error, NotImplementedError) and (innermost in files or not files):
        return Answer("todo", line=line)
    if isinstance(error, SystemExit):
        instead = "instead of returning a gradient" if step else "before any of its functions could be called"
        code = in_words(repr, error.code)
        return Answer("raised", message=f"It ended the program (SystemExit, code {code}) {instead}.", line=line)
    text = in_words(str, error)
    elsewhere = f" (in {innermost})" if files and innermost in files[1:] else ""
    return Answer("raised", message=(f"{name}: {text}" if text else name) + elsewhere, line=line)


def in_words(render: Callable[[object], str], value: object) -> str:
    """`str` or `repr` of anything: one line of at most 500 characters, without addresses, which no two runs share."""
    try:
        return re.sub(r"0x[0-9a-fA-F]{6,}", "0x...", " ".join(render(value).split())[:500])
    except BaseException:  # a student's __str__ or __repr__
        return "(its text cannot be read)"


def own_line(trace: TracebackType | None, files: Sequence[str]) -> tuple[int | None, str]:
    """(the innermost line in the graded file, the file name of the innermost frame of all)."""
    line, innermost = None, ""
    for frame, number in traceback.walk_tb(trace):
        innermost = frame.f_code.co_filename
        if files and innermost == files[0]:
            line = number
    return line, innermost


def remember_source(filename: str, source: str) -> None:
    """Lets tracebacks quote a file that exists in memory only."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
