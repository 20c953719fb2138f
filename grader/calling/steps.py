"""A step called by name: copies of what its parameters name go in, its result and what it changed come out.

Used inside the worker for student code, and in the trusted process for the course's own formulas: one meaning for both.
A function that returns many gradients is called once, and its result is split into one answer per gradient.
"""

from __future__ import annotations

import difflib
import dis
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.calls import call, narrow, with_fallback
from grader.calling.failures import failure, first_line, safe_text
from grader.calling.operators import OperatorWatch
from grader.calling.protocol import copy_tree

READS_VARIABLE = frozenset(
    opcode
    for instruction, opcode in dis.opmap.items()
    if "LOAD_FAST" in instruction and instruction != "LOAD_FAST_AND_CLEAR"  # that one keeps a variable for later
)
"""Opcodes. `dis.get_instructions` takes ten to thirty times as long as a look at the bytes."""
Groups = Mapping[str, Sequence[str] | Mapping[str, str]]
"""{name: the names of its values}, for a list; {name: {key: the name of its value}}, for a dict."""


def groups_of_values(values: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """{name of a group: its values}, as a list or a dict."""
    return {
        name: {key: values[member] for key, member in members.items()}
        if isinstance(members, Mapping)
        else [values[member] for member in members]
        for name, members in groups.items()
    }


class UnknownParameter(Exception):
    """A step asks for something that is neither a forward value nor an upstream gradient."""


class Joint(NamedTuple):
    """A function that returns many gradients: its name, and what it returns, in order."""

    name: str
    returns: tuple[str, ...]

    def pieces(self, result: object) -> dict[str, object] | str:
        """{name: what was returned for it}, as far as the result has it, or a sentence.

        A result is a tree of tuples, lists and dicts. What a dict contains goes by its key, `dW` or the parameter's own
        name, `W`. What is in no dict goes by its place among the names that no dict has.
        """
        expected = ", ".join(self.returns)

        def entries(part: object) -> Iterator[tuple[str, object]]:
            """(its name in a dict, or "", value) of all that is in the result, in order."""
            if isinstance(part, Mapping):
                keys = {name: name if name in part else name[1:] for name in self.returns}
                yield from ((name, part[key]) for name, key in keys.items() if key in part)
            elif isinstance(part, (tuple, list)):
                for entry in part:
                    yield from entries(entry)
            else:
                yield "", part

        every = list(entries(result)) if isinstance(result, (tuple, list, Mapping)) else []
        named, places = {name: value for name, value in every if name}, [value for name, value in every if not name]
        others = [name for name in self.returns if name not in named]
        if isinstance(result, Mapping) and not named:
            return f"`{self.name}` returned a dict without any of the keys {expected}."
        if len(places) == len(others) or (named and len(places) < len(others)):
            found = {**named, **dict(zip(others, places, strict=False))}
            return {name: found[name] for name in self.returns if name in found}
        what = f"{len(places) + len(named)} values" if places else describe(result)
        return f"`{self.name}` returned {what}; expected {len(self.returns)} values: {expected}."


# Calls ---------------------------------------------------------------------------------------------------------------


class StepInput(NamedTuple):
    """What steps are called with: `values` and `upstream` are {name: tensor of any shape, or number}, in `dtype`.

    For `files` and `watch` see `call`.
    """

    values: Mapping[str, Any]
    upstream: Mapping[str, Tensor]
    dtype: torch.dtype
    files: Sequence[str] = ()
    watch: OperatorWatch | None = None


def call_steps(
    functions: Mapping[str, Callable[..., Any]], steps: Sequence[str], joint: Joint | None, given: StepInput
) -> dict[str, Answer]:
    """{step: answer} of functions by name: each step by its own, or all by one call of `joint`."""
    if joint is not None:
        return call_joint(functions.get(joint.name), joint, steps, given)
    return {step: call_step(functions.get(step), step, given) for step in steps}


def call_step(function: Callable[..., Any] | None, step: str, given: StepInput) -> Answer:
    """Runs one step on copies and returns its result; never raises for what the function does."""
    answer = call_by_name(function, step, given)
    return answer if answer.outcome != "returned" else as_step(answer, step, answer.value, given)


def call_joint(
    function: Callable[..., Any] | None, joint: Joint, steps: Sequence[str], given: StepInput
) -> dict[str, Answer]:
    """Runs one function that returns many gradients: {step: answer} for `steps`, all from the one call.

    Its result may be a dict by the names in `joint.returns`, or a tuple or list in that order, in which further ones
    may lie. It is given no upstream gradients. It may change its arguments: nobody else sees them.
    """
    answer = call_by_name(function, joint.name, given._replace(upstream={}))
    if answer.outcome != "returned":
        return dict.fromkeys(steps, answer)
    answer = answer._replace(changed=(), uses=frozenset())
    try:
        found = joint.pieces(answer.value)
    except BaseException as error:  # what came back may be anything of a student's
        return dict.fromkeys(steps, failure(error, joint.name, given.files))
    if isinstance(found, str):
        return dict.fromkeys(steps, Answer("returned", message=found, line=answer.line))
    answers = {}
    for step in steps:
        if step not in found:
            message = f"`{joint.name}` returned a dict without `{step}`."
            answers[step] = Answer("missing", message=message, line=answer.line)
        elif found[step] is None:
            answers[step] = Answer("todo", line=answer.line)
        else:
            answers[step] = as_step(answer, step, as_stack(found[step]), given)
    return answers


def call_by_name(function: Callable[..., Any] | None, name: str, given: StepInput) -> Answer:
    """`call` with the values that the function's parameters name. It also says which of them it uses and changed.

    A parameter `dNAME` gets `upstream[NAME]`, unless `values` has one of this name; a step does not get itself.
    """
    if function is None:
        return Answer("missing")
    values, upstream = given.values, given.upstream
    try:  # another callable may answer differently each time, or not be hashable
        is_plain = type(function) is FunctionType
        parameters, uses = interface_of(function) if is_plain else interface_of.__wrapped__(function)
    except (TypeError, ValueError) as error:
        message = f"`{name}` cannot be called: {safe_text(str, error)}"
        return Answer("raised", message=message, line=first_line(function))
    names = [parameter.name for parameter in parameters]
    above = {each: upstream[each[1:]] for each in names if each != name and each[:1] == "d" and each[1:] in upstream}
    known = {**above, **{each: values[each] for each in names if each in values}}  # a problem has fifty, a step two

    def run(precision: torch.dtype) -> Answer:
        chosen = known if precision is given.dtype else narrow(known)
        try:
            arguments = arguments_for(parameters, chosen)
        except UnknownParameter as error:
            known_names = [*values, *(f"d{each}" for each in upstream if f"d{each}" != name)]
            message = unknown_parameter_message(str(error), name, known_names)
            return Answer("raised", message=message, line=first_line(function))
        answer = call(function, name, (), arguments, precision, given.files, given.watch)
        if answer.outcome != "returned":
            return answer._replace(uses=uses)
        try:
            changed = tuple(n for n, value in arguments.items() if not is_same_argument(value, chosen.get(n)))
            return answer._replace(uses=uses, changed=changed)
        except BaseException as error:  # an argument may be anything by now
            return failure(error, name, given.files)

    return with_fallback(run, given.dtype)


# Parameters ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1000)  # a step is called on every problem
def interface_of(function: Callable[..., Any]) -> tuple[tuple[inspect.Parameter, ...], frozenset[str]]:
    """A function's parameters, and the names of those that its code reads, or gives to a function inside it.

    All count as read where there is no code object to look at. Raises TypeError or ValueError for what cannot be
    called.
    """
    parameters = tuple(inspect.signature(function).parameters.values())
    names = frozenset(parameter.name for parameter in parameters)
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return parameters, names
    read, variables = set(code.co_cellvars), code.co_varnames
    for opcode, place in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if opcode in READS_VARIABLE:
            instruction = dis.opname[opcode]  # since Python 3.13 one instruction may have two variables
            places = (place,) if instruction.count("FAST") == 1 else (place >> 4, place & 15)
            loaded = places[1:] if instruction.startswith("STORE") else places
            read.update(variables[each] for each in loaded if each < len(variables))
    return parameters, names & read


def arguments_for(parameters: Sequence[inspect.Parameter], known: Mapping[str, Any]) -> dict[str, Any]:
    """{parameter: a copy of the value that it names, in its own shape and dtype}.

    Raises UnknownParameter, whose text is the parameter's name.
    """
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in known:
            arguments[parameter.name] = copy_tree(known[parameter.name])
        elif parameter.default is parameter.empty:
            raise UnknownParameter(parameter.name)
    return arguments


def unknown_parameter_message(name: str, step: str, known: Sequence[str]) -> str:
    if name == "self":
        return f"`{step}` has a parameter `self`, as a method has. Write it as a function outside the class."
    if name == step:
        return f"`{step}` asks for itself: `{name}` is what it is to return."
    near = difflib.get_close_matches(name, known, n=1)
    hint = ": use the names of the forward pass, with a `d` in front for gradients."
    if near:
        hint = f"; did you mean `{near[0]}`?"
    return f"`{step}` asks for `{name}`, which is neither a forward value nor an upstream gradient{hint}"


def is_same_argument(a: Any, b: Any) -> bool:
    """Whether two tensors are equal, NaN included; plain numbers cannot be changed in place."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return True
    with torch._C.DisableTorchFunctionSubclass():  # a student may have given it another class
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        return torch.equal(a, b) or torch.equal(a.nan_to_num(), b.nan_to_num())


# Results -------------------------------------------------------------------------------------------------------------


def as_step(answer: Answer, step: str, result: object, given: StepInput) -> Answer:
    """The answer of a call by name, as that of a step for which it returned `result`."""
    precision = torch.float32 if answer.in_float32 else given.dtype
    try:
        return answer._replace(value=None, arguments=(), **answer_fields(result, given.values.get(step[1:]), precision))
    except BaseException as error:  # what came back may be anything of a student's
        return failure(error, step, given.files)


def answer_fields(result: object, target: object, dtype: torch.dtype) -> dict[str, Any]:
    """An Answer's `tensor`, or its `kind` where what came back is no tensor. A plain number will do for a scalar."""
    if type(result) in (int, float) and isinstance(target, Tensor) and target.ndim == 0:
        return {"tensor": torch.tensor(float(result), dtype=dtype)}  # type: ignore[arg-type]
    if issubclass(type(result), Tensor):  # not isinstance, which believes what an object says of its class
        return {"tensor": plain_tensor(result)}  # type: ignore[arg-type]
    return {"kind": describe(result)}


def as_stack(found: object) -> object:
    """A list of tensors of one shape, such as one per layer, as one tensor; anything else as it is."""
    entries = list(found) if isinstance(found, (tuple, list)) else []
    if entries and all(isinstance(each, Tensor) and each.shape == entries[0].shape for each in entries):
        return torch.stack(entries)
    return found


def plain_tensor(tensor: Tensor) -> Tensor:
    """A view, subclass, Parameter, sparse or conjugated tensor as an ordinary dense one of the same shape and dtype."""
    is_dense = type(tensor) is Tensor and tensor.layout == torch.strided and tensor.is_contiguous()
    if is_dense and not (tensor.requires_grad or tensor.is_conj() or tensor.is_neg()):
        return tensor  # as most are
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
