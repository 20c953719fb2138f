"""One number of a gradient, computed by hand: a small instance with whole numbers.

The reference comes from the tape, and there is a question only where the student's own line gives the same number.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import index_at
from grader.defence.lines import Line
from grader.defence.material import Material
from grader.defence.question import DefenceQuestion
from grader.defence.small_problems import fixed_graph, small_graph, small_problems
from grader.defence.worker import are_equal
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.reference.problem import Problem
from grader.reference.tape import Graph, is_floating, total
from grader.results.wording import format_shape, listed_as_code

MAX_RESULT = 60
MAX_NUMBERS_SHOWN = 40
"""Numbers that a question shows."""
SMALL_CHANGE = 1e-6
DENOMINATORS = (1, 2, 4, 5)


@dataclass(frozen=True)
class Instance:
    """A small problem with whole numbers wherever the consumers of `target` read.

    `fixed` are these numbers, and `upstream` the gradients of the consumers.
    """

    lesson: Lesson
    problem: Problem
    target: str
    graph: Graph
    fixed: Mapping[str, Tensor]
    upstream: Mapping[str, Tensor]

    def gradient(self, graph: Graph) -> Tensor:
        return total(graph.vjp(name, self.upstream[name])[self.target] for name in reversed([*self.upstream]))

    def smooth_places(self) -> list[bool]:
        """Where the gradient nearly stays if the values change a little: not at a kink, or a tie of a maximum."""
        generator, smooth = torch.Generator().manual_seed(0), torch.tensor(True)
        small = {n: SMALL_CHANGE * torch.randn(v.shape, generator=generator) for n, v in self.fixed.items()}
        for sign in (1, -1):
            near = {name: value + sign * small[name] for name, value in self.fixed.items()}
            changed = self.gradient(fixed_graph(self.lesson, self.problem, near))
            smooth = smooth & ((changed - self.gradient(self.graph)).abs() < SMALL_CHANGE**0.5)
        return [bool(each) for each in smooth.reshape(-1)]


def by_hand(material: Material, lines: Sequence[Line], chance: random.Random) -> DefenceQuestion | None:
    """One number of a gradient, on a small problem."""
    joint = material.lesson.joint
    for line in lines:
        if not line.target or (joint is not None and any(read.kind == "other" for read in line.reads.values())):
            continue
        reads = material.parameters(line.row) if joint is None else line.at.names
        for problem in small_problems(material.lesson, tiny=True):
            made = instance(material.lesson, problem, line.target, chance)
            known = {} if made is None else made.graph.values | {f"d{n}": value for n, value in made.upstream.items()}
            if made is None or not known.keys() >= set(reads):
                continue
            given = {name: known[name] for name in reads}
            if joint is None:
                own = material.run_function(line.row, given)
            else:
                ((own,),) = material.table(line, [line.at.code], [given])
            if are_equal(own, made.gradient(made.graph)):
                question = question_about(line, made, chance)
                if question is not None:
                    return question
    return None


def instance(lesson: Lesson, problem: Problem, target: str, chance: random.Random) -> Instance | None:
    """The problem with whole numbers; None where these change what the consumers are."""
    graph, generator = small_graph(lesson, problem), torch.Generator().manual_seed(chance.randrange(2**40))

    def whole(value: Tensor, low: int, high: int) -> Tensor:
        return torch.randint(low, high + 1, value.shape, generator=generator).to(torch.float64)

    consumers = graph.consumers.get(target, ())
    fixed = dict[str, Tensor]()
    for name in dict.fromkeys(name for consumer in consumers for name in graph.parents[consumer]):
        if name not in consumers:
            value = graph.values[name]
            fixed[name] = 2.0 ** whole(value, 0, 2) if bool((value > 0).all()) else whole(value, -3, 3)
    try:
        graph = fixed_graph(lesson, problem, fixed)
        if not consumers or graph.consumers.get(target) != consumers:
            return None
        made = Instance(
            lesson, problem, target, graph, fixed, {name: whole(graph.values[name], -3, 3) for name in consumers}
        )
        made.gradient(graph)
    except (RuntimeError, ValueError, IndexError, KeyError):
        return None
    return made


def question_about(line: Line, made: Instance, chance: random.Random) -> DefenceQuestion | None:
    """A question about an element whose value, like all values that it shows, is a number of few digits."""
    graph, consumers, values = made.graph, made.upstream, made.graph.values
    read = {name: values[name] for each in consumers for name in (*graph.parents[each], *graph.sources[each])}
    computed = {name: value for name, value in read.items() if name in consumers}
    plain = {name: value for name, value in read.items() if not is_floating(value)}
    fused = {name: values[name] for name in graph.fused if name in line.at.names}
    upstream = {f"d{name}": value for name, value in consumers.items()}
    shown: dict[str, Any] = {**made.fixed, **upstream, **computed, **plain, **fused}
    counts = [value.numel() if isinstance(value, Tensor) else 1 for value in shown.values()]
    if sum(counts) > MAX_NUMBERS_SHOWN or max(counts) < 2 or not all(map(is_easy, shown.values())):
        return None
    reference, smooth = made.gradient(graph), made.smooth_places()
    numbers = reference.reshape(-1)
    easy = [place for place, number in enumerate(numbers) if smooth[place] and number and is_easy(number)]
    if not easy:
        return None
    place = chance.choice(easy)
    index, key = index_at(place, reference.shape), value_text(numbers[place])
    at = f"[{', '.join(map(str, index))}]" if index else ""
    statements = forward_statements(made.lesson)
    forward = "\n".join(f"    {statements[each]}" for each in consumers if each in statements)
    given = "\n".join(f"    {name} = {value_text(value)}" for name, value in shown.items())
    arriving = f"{listed_as_code(list(upstream))} {'arrives' if len(upstream) == 1 else 'arrive'}"
    text = (
        f"Compute one number of `{line.shown}` by hand. In the forward pass:\n\n{forward}\n\nTake these values; "
        f"{arriving} from above:\n\n{given}\n\nWhat is `{line.shown}{at}`? (`{line.target}` "
        f"has the shape {format_shape(reference.shape)}; indices count from 0.)"
    )
    model = (
        f"`{line.shown}{at}` is {key}: for each use of `{line.target}{at}` in the forward line, its factor there times "
        "the gradient that arrives, and the sum of these products."
    )
    claim = {"fixed": made.fixed, "index": index}
    return DefenceQuestion("by_hand", line.row, "number", text, key, {}, {}, model, claim)


def is_easy(value: Any) -> bool:
    """Whether a person writes it, or each of its numbers, with few digits."""
    if not is_floating(value):
        return True
    numbers = value.reshape(-1).tolist()
    return all(
        abs(each) <= MAX_RESULT and any(abs(each * d - round(each * d)) < 1e-9 for d in DENOMINATORS)
        for each in numbers
    )


def value_text(value: Any) -> str:
    """A tensor as nested lists, without decimals where there are none."""
    if isinstance(value, Tensor):
        return value_text(value.tolist())
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    return f"{round(value, 6) + 0.0:g}" if isinstance(value, float) else str(value)
