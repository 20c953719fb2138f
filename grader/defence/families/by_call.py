"""One number of what a function returns, computed by hand, for a call with few whole numbers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from numpy import ndarray
from torch import Tensor

from grader.comparison.tensors import index_at
from grader.defence.families.by_hand import MAX_NUMBERS_SHOWN, easy_numbers, is_easy, rounded_text, value_text
from grader.defence.lines import Line, Symbol
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion
from grader.defence.recorded import RecordedMaterial

MAX_CALLS_TRIED = 6


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    if not isinstance(material, RecordedMaterial):
        return None
    for name in dict.fromkeys([*(line.at.function for line in lines), *material.calls]):
        call = material.calls.get(name)
        if call is None:
            continue
        drawn = [found for _ in range(MAX_CALLS_TRIED) if (found := arguments(call, chance))]
        for given, result in zip(drawn, material.results(name, drawn), strict=True):
            question = question_about(call, given, result, chance)
            if question is not None:
                return question
    return None


def arguments(call: Line, chance: random.Random) -> dict[str, Any] | None:
    """Whole numbers in place of those of a recorded call, of small sizes; None where it reads something else."""
    generator = torch.Generator().manual_seed(chance.randrange(2**40))
    recorded, found = chance.choice(call.values), dict[str, Any]()
    has_list = any(is_list_of(value, Tensor) for value in recorded.values())  # whose sizes belong to the others
    small = None if len(call.values) == 1 or has_list else small_sizes(call, chance)
    for name in call.at.names:
        value = recorded[name]
        if name in call.sizes:
            found[name] = value if small is None else small[call.sizes[name]]
        elif name in call.numbers:
            found[name] = value
        elif name in call.shapes:
            old = torch.as_tensor(value)
            if small is not None:
                sizes = [small.get(symbol, 1) for symbol in call.shapes[name]]
                old = torch.ones(sizes) if name in call.positive else -torch.ones(sizes)
            new = easy_numbers(old, generator) * (old != 0)
            found[name] = new.numpy() if name in call.arrays else new
        elif type(value) is int:
            found[name] = chance.randint(max(1, value // 2), 2 * value) if value > 3 else value
        elif is_list_of(value, float):
            found[name] = [float(2 ** chance.randint(0, 6)) for _ in value]
        elif is_list_of(value, Tensor):
            found[name] = [easy_numbers(each, generator) for each in value]
        else:
            return None
    numbers = sum(each.numel() if isinstance(each, Tensor) else 1 for each in values_inside(found))
    return found if numbers <= MAX_NUMBERS_SHOWN else None


def small_sizes(call: Line, chance: random.Random) -> dict[Symbol, int] | None:
    """Sizes of 1 and 2 where nothing ties them to others; None where none were found.

    What holds between the sizes of every recorded call holds here as well, such as four gates in one matrix, one state
    more than steps, or a convolution's output. With other sizes a call makes no sense, even where it returns a number.
    """
    for _ in range(MAX_CALLS_TRIED):
        found: dict[Symbol, int] = {}
        for symbol in sorted(call.symbols):
            tied = {sum(n * found[other] for other, n in parts) + rest for parts, rest in ties(symbol, list(found))}
            found[symbol] = tied.pop() if tied else chance.choice((1, 2, 2))
            if found[symbol] < 1 or tied:
                break
        else:
            return found
    return None


def ties(symbol: Symbol, others: Sequence[Symbol]) -> Iterator[tuple[list[tuple[Symbol, int]], int]]:
    """How a size follows from others in every recorded call: ([(size, how often it counts)], what is added)."""
    for each in others:
        factor, distance = symbol[0] // each[0], symbol[0] - each[0]
        if factor > 1 and symbol == tuple(factor * size for size in each):
            yield [(each, factor)], 0
        elif symbol == tuple(size + distance for size in each) and (len(set(symbol)) > 1 or abs(distance) <= 1):
            yield [(each, 1)], distance
    for one, other in itertools.permutations(others, 2) if len(set(symbol)) > 2 else ():
        for sign in (1, -1):
            rest = symbol[0] - one[0] - sign * other[0]
            if abs(rest) <= 1 and symbol == tuple(a + sign * b + rest for a, b in zip(one, other, strict=True)):
                yield [(one, 1), (other, sign)], rest


def is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(type(each) is kind for each in value)


def values_inside(value: Any) -> Iterator[Any]:
    """The tensors and numbers in what is given or returned."""
    for each, _ in indexed_values(value):
        yield each


def indexed_values(value: Any, index: str = "") -> Iterator[tuple[Any, str]]:
    """(tensor or number, how it is reached)"""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from indexed_values(each, f"{index}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            yield from indexed_values(each, f"{index}[{place}]")
    elif isinstance(value, ndarray):
        yield torch.as_tensor(value), index
    else:
        yield value, index


def elements(result: Any) -> Iterator[tuple[float, str]]:
    """(number, how it is reached) for each number of a result that a person can compute."""
    for part, index in indexed_values(result):
        if isinstance(part, Tensor) and part.is_floating_point():
            for place, value in enumerate(part.reshape(-1).tolist()):
                inner = f"[{', '.join(map(str, index_at(place, part.shape)))}]" if part.ndim else ""
                yield value, index + inner
        elif type(part) in (int, float):
            yield float(part), index


def question_about(call: Line, given: Mapping[str, Any], result: Any, chance: random.Random) -> DefenceQuestion | None:
    easy = [(value, index) for value, index in elements(result) if is_easy(value) and abs(value) > 1e-9]
    if not easy:
        return None
    value, index = chance.choice([each for each in easy if abs(each[0]) != 1] or easy)  # 1 is what people guess
    values = "\n".join(f"    {name} = {text_of_argument(each)}" for name, each in given.items())
    what = (
        f"the number `result{index}`, where `result` is what it returns. Indices count from 0"
        if index
        else "the result"
    )
    text = f"What does your function `{call.at.name}` return for these values?\n\n{values}\n\nBy hand, compute {what}."
    key = rounded_text(value)
    model = f"Your function returns {key} there."
    listen = "They know what each parameter stands for, and say the steps before they compute."
    claim = {"function": call.at.name, "arguments": dict(given), "index": index}
    return DefenceQuestion("by_call", call.row, "number", text, key, {}, {}, model, listen, claim)


def text_of_argument(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(text_of_argument(each) for each in value)}]"
    if isinstance(value, ndarray):
        return value_text(torch.as_tensor(value))
    return rounded_text(value) if type(value) is float else value_text(value)
