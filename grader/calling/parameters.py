"""A function's parameters, and the arguments for them: forward values and upstream gradients, by name or together."""

from __future__ import annotations

import difflib
import dis
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from torch import Tensor


class UnknownParameter(Exception):
    """A step asks for something that is neither a forward value nor an upstream gradient."""


Interface = tuple[tuple[inspect.Parameter, ...], frozenset[str]]
"""A function's parameters, and the names of those that its code reads."""


def interface_of(function: Callable[..., Any]) -> Interface:
    """Raises TypeError or ValueError for what cannot be called."""
    plain = type(function) is FunctionType  # another callable may answer differently each time, or not be hashable
    return interface_of_function(function) if plain else inspect_callable(function)


def inspect_callable(function: Callable[..., Any]) -> Interface:
    """All parameters count as read where there is no plain code object to look at."""
    parameters = tuple(inspect.signature(function).parameters.values())
    names = frozenset(parameter.name for parameter in parameters)
    code = getattr(function, "__code__", None)
    return parameters, names & loaded_names(code) if isinstance(code, CodeType) else names


interface_of_function = lru_cache(maxsize=1000)(inspect_callable)  # a step is called on every problem


def loaded_names(code: CodeType) -> frozenset[str]:
    """The local variables that `code` reads, or gives to a function inside it."""
    read = set(code.co_cellvars)
    for instruction in dis.get_instructions(code):
        name, found = instruction.opname, instruction.argval
        if "LOAD_FAST" in name and name != "LOAD_FAST_AND_CLEAR":  # that one keeps a variable for later
            names = found if isinstance(found, tuple) else (found,)  # since Python 3.13 one instruction may have two
            read.update(names[1:] if name.startswith("STORE") else names)
    return frozenset(read)


def arguments_for(
    parameters: Sequence[inspect.Parameter], step: str, values: Mapping[str, Any], upstream: Mapping[str, Tensor]
) -> tuple[list[Any], dict[str, Any]]:
    """(positional, keyword) arguments: a copy of each value that a parameter names, in its own shape and dtype.

    `values` are the forward values by name; a parameter `dNAME` gets `upstream[NAME]`, which has NAME's shape. Raises
    UnknownParameter, whose text is a sentence for the student.
    """
    positional: list[Any] = []
    keyword: dict[str, Any] = {}
    for parameter in parameters:
        name, kind = parameter.name, parameter.kind
        if kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name in values:
            value = fresh(values[name])
        elif name[:1] == "d" and name[1:] in upstream and name != step:
            value = fresh(upstream[name[1:]])
        elif parameter.default is parameter.empty:
            raise UnknownParameter(unknown_parameter_message(name, step, values, upstream))
        elif kind is parameter.POSITIONAL_ONLY:
            value = parameter.default  # those after it keep their places
        else:
            continue
        if kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            keyword[name] = value
    return positional, keyword


def unknown_parameter_message(name: str, step: str, values: Iterable[str], upstream: Iterable[str]) -> str:
    if name == "self":
        return f"`{step}` has a parameter `self`, as a method has. Write it as a function outside the class."
    if name == step:
        return f"`{step}` asks for itself: `{name}` is what it is to return."
    gradients = [f"d{each}" for each in upstream if f"d{each}" != step]
    near = difflib.get_close_matches(name, [*values, *gradients], n=1)
    hint = ": use the names of the forward pass, with a `d` in front for gradients."
    if near:
        hint = f"; did you mean `{near[0]}`?"
    return f"`{step}` asks for `{name}`, which is neither a forward value nor an upstream gradient{hint}"


def fresh(value: Any) -> Any:
    """A copy of a value that a step may do with as it likes: a tensor, tensors together, or what cannot change."""
    if isinstance(value, list):
        return [fresh(entry) for entry in value]
    if isinstance(value, dict):
        return {key: fresh(entry) for key, entry in value.items()}
    return value.clone() if isinstance(value, Tensor) else value


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
