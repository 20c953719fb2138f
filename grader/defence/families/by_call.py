"""One number of what a function returns, computed by hand, for a call with few whole numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from numpy import ndarray
from torch import Tensor

from grader.defence.families.by_hand import MOST_NUMBERS, easy_numbers, is_easy, rounded_text, value_text
from grader.defence.lines import Line, Symbol
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion
from grader.defence.recorded import RecordedMaterial

TRIES = 6


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    if not isinstance(material, RecordedMaterial):
        return None
    for name in dict.fromkeys([*(line.at.function for line in lines), *material.calls]):
        call = material.calls.get(name)
        if call is None:
            continue
        drawn = [found for _ in range(TRIES) if (found := arguments(call, chance))]
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
    small = small_sizes(call, chance) if len(call.values) > 1 and not has_list else None
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
    return found if numbers <= MOST_NUMBERS else None


def small_sizes(call: Line, chance: random.Random) -> dict[Symbol, int]:
    """Sizes of 1 and 2. One that is always so many times as large as another stays so, as four gates in one matrix."""
    found: dict[Symbol, int] = {}
    for symbol in sorted(call.symbols):
        factors = {each: symbol[0] // each[0] for each in found}
        base = next((e for e, f in factors.items() if f > 1 and symbol == tuple(f * size for size in e)), None)
        found[symbol] = chance.choice((1, 2, 2)) if base is None else factors[base] * found[base]
    return found


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
                at = torch.unravel_index(torch.tensor(place), part.shape) if part.ndim else ()
                inner = f"[{', '.join(str(int(each)) for each in at)}]" if part.ndim else ""
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
