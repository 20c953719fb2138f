"""One number of a gradient, computed by hand: a small instance with whole numbers.

The reference comes from the tape, and there is a question only where the student's own line gives the same number.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import index_at
from grader.defence.lines import Line
from grader.defence.material import Material, Raised
from grader.defence.question import DefenceQuestion
from grader.defence.small_problems import fixed_graph, tiny_problem
from grader.reference.problem import Problem
from grader.reference.tape import Graph, is_floating, total
from grader.results.wording import format_shape, listed_as_code

INSTANCES = 4
MAX_RESULT = 60
MAX_NUMBERS_SHOWN = 40
"""Numbers that a question shows."""
SMALL_CHANGE = 1e-6
DENOMINATORS = (1, 2, 4, 5)
Instance = tuple[Problem, Graph, dict[str, Tensor], Tensor, dict[str, Any]]


def pose(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    for line in lines:
        if not line.target or (material.lesson.joint is not None and line.others):
            continue
        found = [each for number in range(INSTANCES) if (each := instance(material, line, number, chance))]
        jobs = [(line.at.code, line, arguments) for *_, arguments in found]
        if not line.at.is_whole and line.at.is_returned:
            own = material.run_function(line.row, [each[4] for each in found])
        else:
            own = material.run(jobs)
        for made, value in zip(found, own, strict=True):
            reference = made[3]
            if isinstance(value, Raised) or value.shape != reference.shape:
                continue
            if not torch.allclose(value.double(), reference, rtol=1e-9, atol=1e-9):
                continue
            question = question_about(material, line, made, chance)
            if question is not None:
                return question
    return None


def instance(material: Material, line: Line, number: int, chance: random.Random) -> Instance | None:
    """A small problem with whole numbers wherever the target's consumers read, and what the student's line reads."""
    lesson = material.lesson
    problem = tiny_problem(lesson, number)
    if problem is None:
        return None
    graph = problem.finer if lesson.joint else problem.graph
    consumers = graph.consumers.get(line.target, ())
    generator = torch.Generator().manual_seed(chance.randrange(2**40))
    parents = dict.fromkeys(name for consumer in consumers for name in graph.parents[consumer])
    fixed = {name: easy_numbers(graph.values[name], generator) for name in parents if name not in consumers}
    try:
        graph = fixed_graph(lesson, problem, fixed)
        if tuple(graph.consumers.get(line.target, ())) != tuple(consumers) or not consumers:
            return None
        upstream = {name: whole_of(graph.values[name], generator, -3, 3) for name in consumers}
        reference = gradient(graph, line.target, upstream)
    except (RuntimeError, ValueError, IndexError, KeyError):
        return None
    known: dict[str, Any] = graph.values | {f"d{name}": value for name, value in upstream.items()}
    reads = line.at.names
    if not line.at.is_whole and line.at.is_returned:
        reads = material.functions[line.row].parameters
    if not all(name in known for name in reads):
        return None
    return problem, graph, fixed | {f"d{n}": u for n, u in upstream.items()}, reference, {n: known[n] for n in reads}


def gradient(graph: Graph, target: str, upstream: Mapping[str, Tensor]) -> Tensor:
    return total(graph.vjp(each, upstream[each])[target] for each in reversed(graph.consumers[target]))


def is_smooth_at(material: Material, made: Instance, target: str) -> Tensor:
    """Where the gradient stays nearly the same if the values change a little: not at a kink, or a tie of a maximum."""
    problem, graph, fixed, reference, _ = made
    upstream = {name: fixed[f"d{name}"] for name in graph.consumers[target]}
    generator = torch.Generator().manual_seed(0)
    small = {n: SMALL_CHANGE * torch.randn(v.shape, generator=generator, dtype=v.dtype) for n, v in fixed.items()}
    found = torch.ones_like(reference, dtype=torch.bool)
    for sign in (1, -1):
        near = {n: v + sign * small[n] for n, v in fixed.items() if n in graph.values}
        changed = gradient(fixed_graph(material.lesson, problem, near), target, upstream)
        found &= (changed - reference).abs() < SMALL_CHANGE**0.5
    return found


def easy_numbers(value: Tensor, generator: torch.Generator) -> Tensor:
    """Whole numbers in place of a value: positive where the value is."""
    if bool((value > 0).all()):
        return 2.0 ** whole_of(value, generator, 0, 2)
    return whole_of(value, generator, -3, 3)


def whole_of(value: Tensor, generator: torch.Generator, low: int, high: int) -> Tensor:
    return torch.randint(low, high + 1, value.shape, generator=generator).to(torch.float64)


def question_about(material: Material, line: Line, made: Instance, chance: random.Random) -> DefenceQuestion | None:
    _, graph, fixed, reference, _ = made
    flat = reference.reshape(-1).tolist()
    easy = [place for place, value in enumerate(flat) if is_easy(value) and abs(value) > 1e-9]
    consumers = graph.consumers[line.target]
    others = {n: v for c in consumers for n in graph.sources[c] if not is_floating(v := graph.values[n])}
    computed = {n: graph.values[n] for c in consumers for n in graph.parents[c] if n in consumers}
    shown = {**fixed, **computed, **others}
    if material.lesson.joint is None:
        shown |= {n: v for n, v in graph.values.items() if n in graph.fused and n in line.at.names}
    if not easy or sum(v.numel() if isinstance(v, Tensor) else 1 for v in shown.values()) > MAX_NUMBERS_SHOWN:
        return None
    if not all(numbers_are_easy(value) for value in shown.values()) or not 2 <= largest(shown) <= MAX_NUMBERS_SHOWN:
        return None
    smooth = is_smooth_at(material, made, line.target).reshape(-1).tolist()
    easy = [place for place in easy if smooth[place]]
    if not easy:
        return None
    place = chance.choice(easy)
    index = index_at(place, reference.shape)
    element = f"`{line.shown}[{', '.join(map(str, index))}]`" if index else f"`{line.shown}`"
    given = "\n".join(f"    {name} = {value_text(value)}" for name, value in shown.items())
    forward = "\n".join(f"    {each}" for each in material.forward(line.target))
    text = (
        f"Compute one number of `{line.shown}` by hand. In the forward pass:\n\n{forward}\n\nTake these values. "
        f"{given_from_above(consumers)}:\n\n{given}\n\n"
        f"What is {element}? (`{line.target}` has the shape {format_shape(reference.shape)}; "
        "indices count from 0.)"
    )
    claim = {
        "upstream": list(consumers),
        "inputs": {n: graph.values[n] for n in graph.inputs},
        "fixed": {**fixed, **computed},
        "target": line.target,
        "index": index,
    }
    key = rounded_text(flat[place])
    used = f"`{line.target}[{', '.join(map(str, index))}]`" if index else f"`{line.target}`"
    model = (
        f"{element} is {key}: for each use of {used} in the forward line, its factor there times the gradient that "
        "arrives, and the sum of these products."
    )
    return DefenceQuestion("by_hand", line.row, "number", text, key, {}, {}, model, claim)


def given_from_above(consumers: Sequence[str]) -> str:
    names = listed_as_code([f"d{name}" for name in consumers])
    if len(consumers) == 1:
        return f"{names} is given, as the gradient that arrives from above"
    return f"{names} are given, as the gradients that arrive from above"


def largest(shown: Mapping[str, Any]) -> int:
    return max((value.numel() for value in shown.values() if isinstance(value, Tensor)), default=0)


def is_easy(value: float) -> bool:
    """Whether a person writes it with few digits."""
    return abs(value) <= MAX_RESULT and any(abs(value * d - round(value * d)) < 1e-9 for d in DENOMINATORS)


def numbers_are_easy(value: Any) -> bool:
    return not is_floating(value) or all(is_easy(each) for each in value.reshape(-1).tolist())


def rounded_text(value: float) -> str:
    return f"{round(value, 6) + 0.0:g}"


def value_text(value: Any) -> str:
    """A tensor as nested lists, without decimals where there are none."""
    if isinstance(value, Tensor):
        return nested_text(value.tolist())
    return str(value)


def nested_text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(nested_text(each) for each in value)}]"
    return rounded_text(value) if isinstance(value, float) else str(value)
