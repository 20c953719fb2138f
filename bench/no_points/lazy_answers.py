"""Lazy answers: constants, counters, majorities, copies of the public examples, zeros and ones of the right shape.

Some are learned from the reference's answers under other seeds, as by a student who has seen other runs' questions and
answers: by the number of a call, or by anything incidental about its arguments (shapes, layout, a NaN, a zero, whether
they came before, the names in a function's text, plain numbers beside the data).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy
import torch
from torch import Tensor

from bench.no_points.lazy_target import Make, RecordedCall, digest
from grader.calling.protocol import Function

CONSTANTS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2, 0.0, 0.5, 1.0, "", float("nan"), float("inf"), [], {})
MAX_VALUES = 40
MAX_PARTS = 6
of_each_call = lru_cache(maxsize=2_000)
"""What is found out about a call is computed once: calls are equal only if they are the same one."""


@dataclass(frozen=True)
class Lazy:
    """A way of answering. `answer` gives the value of a call, `arguments` what becomes of its arguments."""

    name: str
    answer: Make
    arguments: Make | None = None


Lessons = Sequence[Sequence[RecordedCall]]  # the reference's answers in one row, under several other seeds


def lazy_answers(learned: Lessons, copied_examples: Mapping[str, Any]) -> Iterator[Lazy]:
    """All lazy answers for one row. `copied_examples` is {digest of function and arguments: value}."""
    values = simple_values(learned)
    constants = {digest(value): value for value in (*values, *CONSTANTS)}
    yield from map(always, constants.values())
    yield from patterns(values[:2])
    for number, record in enumerate(learned[:2], 1):
        yield replay(f"the answers of another run ({number}), in order", record)
    for name, key in KEYS.items():
        yield majority(f"the most frequent answer by {name}", learned, key)
    if any(has_function(call) for record in learned for call in record):
        yield nearest(learned)
    common = values[0] if values else None
    yield Lazy("copies the public examples", lambda call: copied_examples.get(question(call), common))
    yield from fills()


def question(call: RecordedCall) -> str:
    return digest([call.function, call.given])


def simple_values(learned: Lessons) -> list[Any]:
    """Numbers, texts, booleans and short lists of them that the reference gave, the most frequent ones first."""
    found = [call.value for record in learned for call in record if is_simple(call.value)]
    known = {digest(value): value for value in found}
    return [known[text] for text, _ in Counter(map(digest, found)).most_common(MAX_VALUES)]


def is_simple(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) <= MAX_PARTS and all(map(is_simple, value))
    if isinstance(value, (Tensor, numpy.ndarray)):
        return value.ndim == 0
    return value is None or isinstance(value, (bool, int, float, str))


def always(value: Any) -> Lazy:
    return Lazy(f"always {value!r}"[:60], lambda call: value)


def patterns(values: Sequence[Any]) -> Iterator[Lazy]:
    """The two most frequent answers in turns, with periods of 2 and 3 calls."""
    if len(values) < 2:
        return
    for period in (2, 3):
        for choice in itertools.product(values, repeat=period):
            if len(set(map(digest, choice))) > 1:
                yield in_turns(choice)


def in_turns(values: Sequence[Any]) -> Lazy:
    name = f"in turns: {', '.join(map(repr, values))}"[:60]
    return Lazy(name, lambda call: values[call.number % len(values)])


def replay(name: str, record: Sequence[RecordedCall]) -> Lazy:
    by_function: dict[str, list[Any]] = {}
    for call in record:
        by_function.setdefault(call.function, []).append(call.value)

    def answer(call: RecordedCall) -> Any:
        answers = by_function.get(call.function) or [None]
        return answers[call.nth % len(answers)]

    return Lazy(name, answer)


def majority(name: str, learned: Lessons, key: Callable[[RecordedCall], Any]) -> Lazy:
    """For each key the answer that was most frequent; where a key is new, that of all calls of the function."""
    counts: dict[Any, Counter[str]] = {}
    values: dict[str, Any] = {}
    for call in itertools.chain(*learned):
        text = call.digest
        values[text] = call.value
        for where in ((call.function, key(call)), call.function):
            counts.setdefault(where, Counter())[text] += 1

    def answer(call: RecordedCall) -> Any:
        found = counts.get((call.function, key(call))) or counts.get(call.function)
        return values[found.most_common(1)[0][0]] if found else None

    return Lazy(name, answer)


def leaves_given(call: RecordedCall) -> Iterator[Any]:
    """The arguments' parts that are neither lists nor dicts; of a function, what is bound to it as well."""

    def walk(tree: Any) -> Iterator[Any]:
        if isinstance(tree, Function):
            yield tree
            yield from walk(tree.bound)
        elif isinstance(tree, Mapping):
            yield from (leaf for value in tree.values() for leaf in walk(value))
        elif isinstance(tree, (list, tuple)):
            yield from (leaf for value in tree for leaf in walk(value))
        else:
            yield tree

    return walk(call.given)


@of_each_call
def shapes(call: RecordedCall) -> Any:
    found = []
    for leaf in leaves_given(call):
        if isinstance(leaf, Tensor):
            found.append((str(leaf.dtype), tuple(leaf.shape), leaf.stride()))
        elif isinstance(leaf, numpy.ndarray):
            found.append((str(leaf.dtype), leaf.shape, leaf.strides))
    return tuple(found)


@of_each_call
def looks(call: RecordedCall) -> Any:
    """Of each tensor: a NaN or an infinity in it, a zero, all zero, a minus zero, all whole numbers, a large one."""
    found = []
    for leaf in leaves_given(call):
        if not isinstance(leaf, (Tensor, numpy.ndarray)):
            continue
        array = numpy.asarray(leaf.detach() if isinstance(leaf, Tensor) else leaf).astype(numpy.float64)
        finite, zero = numpy.isfinite(array), array == 0
        minus = zero & numpy.signbit(array)
        whole = array == numpy.round(array)
        size = numpy.abs(array[finite]).max(initial=0.0)
        found.append(
            (finite.all(), zero.any(), zero.all(), minus.any(), whole.all(), size > 1e-6, size > 3.0, size > 1e6)
        )
    return tuple(tuple(map(bool, entry)) for entry in found)


@of_each_call
def names_in_functions(call: RecordedCall) -> Any:
    functions = [leaf for leaf in leaves_given(call) if isinstance(leaf, Function)]
    return tuple((function.source, tuple(function.bound)) for function in functions)


@of_each_call
def plain_numbers(call: RecordedCall) -> Any:
    """Numbers and texts beside the data. Where there is nothing else, they are the question: then none."""
    leaves = list(leaves_given(call))
    if not any(isinstance(leaf, (Tensor, numpy.ndarray, Function)) for leaf in leaves):
        return ()
    bare = [value for value in call.given if isinstance(value, (int, float, str))]
    keys = [tuple(value) for value in call.given if isinstance(value, Mapping)]
    texts = [v for value in call.given if isinstance(value, Mapping) for v in value.values() if isinstance(v, str)]
    return tuple(bare), tuple(keys), tuple(texts)


def has_function(call: RecordedCall) -> bool:
    return any(isinstance(leaf, Function) for leaf in call.given)


@of_each_call
def zero_places(call: RecordedCall) -> Any:
    arrays = [numpy.asarray(value) for value in call.given if isinstance(value, (Tensor, numpy.ndarray))]
    return tuple((array.shape, array.dtype.str, (array == 0).tobytes(), numpy.isnan(array).any()) for array in arrays)


@of_each_call
def sizes(call: RecordedCall) -> Any:
    """The arguments' numbers, smallest first, on a logarithmic scale: ten for each array."""
    found = [numpy.zeros(0)]
    for value in call.given:
        if isinstance(value, (Tensor, numpy.ndarray)):
            array = numpy.abs(numpy.asarray(value, dtype=numpy.float64).reshape(-1))
            array = numpy.sort(array[numpy.isfinite(array) & (array > 0)])
            places = numpy.linspace(0, max(len(array) - 1, 0), 10).round().astype(int)
            found.append(numpy.log(array[places]) if len(array) else numpy.zeros(10))
    return numpy.concatenate(found)


def nearest(learned: Lessons) -> Lazy:
    """The answer to the most similar calls, by all that can be seen of the arguments without calling a function."""

    def without_sizes(call: RecordedCall) -> Any:
        return call.function, names_in_functions(call), plain_numbers(call), zero_places(call)

    known: dict[Any, list[RecordedCall]] = {}
    for call in itertools.chain(*learned):
        known.setdefault(without_sizes(call), []).append(call)
    common = Counter(call.digest for call in itertools.chain(*learned)).most_common(1)[0][0]
    values = {call.digest: call.value for call in itertools.chain(*learned)}

    def answer(call: RecordedCall) -> Any:
        alike = known.get(without_sizes(call), [])
        near = sorted(alike, key=lambda other: float(numpy.square(sizes(other) - sizes(call)).sum()))[:9]
        votes = Counter(other.digest for other in near)
        return values[votes.most_common(1)[0][0] if votes else common]

    return Lazy("the answer to similar calls, without calling the function", answer)


KEYS: dict[str, Callable[[RecordedCall], Any]] = {
    "function": lambda call: None,
    "number of the call": lambda call: call.number,
    "shapes": shapes,
    "what strikes the eye": looks,
    "names in functions": names_in_functions,
    "plain numbers": plain_numbers,
    "earlier calls": lambda call: call.seen,
    "number and shapes": lambda call: (call.number, shapes(call)),
    "names and what strikes the eye": lambda call: (looks(call), names_in_functions(call), plain_numbers(call)),
    "all of these but the number": lambda call: (
        shapes(call),
        looks(call),
        names_in_functions(call),
        plain_numbers(call),
        call.seen,
    ),
}


def fills() -> Iterator[Lazy]:
    """Answers of the right form: of zeros, ones, an even share, or an argument where one has the form."""
    for name, fill in (
        ("zeros of the right shape", torch.zeros_like),
        ("ones of the right shape", torch.ones_like),
        ("an even share", lambda tensor: torch.full_like(tensor, 1 / max(tensor.shape[-1] if tensor.ndim else 1, 1))),
    ):
        make = filled_with(fill)
        yield Lazy(name, make, arguments=make)
        yield Lazy(f"{name}, arguments unchanged", make)
    for number in range(4):
        yield from argument(number)
    yield Lazy("whatever argument has the right shape", fitting)


def argument(number: int) -> Iterator[Lazy]:
    """An argument as it is, and a list of it alone."""

    def answer(call: RecordedCall) -> Any:
        return call.given[number] if number < len(call.given) else None

    yield Lazy(f"argument {number + 1}", answer)
    yield Lazy(f"a list of argument {number + 1}", lambda call: [answer(call)])


def filled_with(fill: Callable[[Tensor], Tensor]) -> Make:
    def filled(tree: Any) -> Any:
        if isinstance(tree, Mapping):
            return {key: filled(value) for key, value in tree.items()}
        if isinstance(tree, (list, tuple)):
            return type(tree)(filled(value) for value in tree)
        if isinstance(tree, numpy.ndarray):
            return fill(torch.as_tensor(tree)).numpy()
        if isinstance(tree, Tensor):
            return fill(tree) if tree.is_floating_point() or tree.dtype == torch.bool else tree * 0
        if isinstance(tree, (bool, int, float)):
            return type(tree)(fill(torch.zeros((), dtype=torch.float64)))
        return tree if tree is None else ""

    return lambda call: filled(call.value)


def fitting(call: RecordedCall) -> Any:
    """For each tensor of the answer, the last argument of its shape."""
    given = [leaf for leaf in leaves_given(call) if isinstance(leaf, (Tensor, numpy.ndarray))]

    def fit(tree: Any) -> Any:
        if isinstance(tree, Mapping):
            return {key: fit(value) for key, value in tree.items()}
        if isinstance(tree, (list, tuple)):
            return type(tree)(map(fit, tree))
        if isinstance(tree, (Tensor, numpy.ndarray)):
            return next((leaf for leaf in reversed(given) if tuple(leaf.shape) == tuple(tree.shape)), tree * 0)
        return 0.0 if isinstance(tree, float) else 0 if type(tree) is int else None

    return fit(call.value)
