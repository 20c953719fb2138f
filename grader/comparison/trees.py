"""Comparison of nested results (tensors, numbers, texts in lists and dicts), part by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.protocol import leaves
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE, TOLERANCE, first_index, index_at, relative_error
from grader.results.wording import count_text, format_shape, shortened

MAX_VALUE_CHARACTERS = 120
MAX_MESSAGE_CHARACTERS = 400
MAX_ENTRIES_SHOWN = 3
"""Entries of a list that a sentence shows."""
MAX_KEYS = 20
SMALLEST_NUMBER_DESCRIBED_BY_SIZE = 10**30
"""Whole numbers from here on are described by their size."""
BITS_OF_A_NUMBER = 24
"""Of a floating-point number that agrees to at least seven digits."""
BITS_OF_A_WHOLE_NUMBER = 16
BITS_OF_A_WORD = 2
"""An answer in words is one of a few, and some are more frequent than others."""


@dataclass(frozen=True)
class Difference:
    """A part ("" for all) that does not agree in its "shape" or "value". `tensors`: found and expected, if they are."""

    part: str
    stage: str
    message: str
    tensors: tuple[Tensor, Tensor] | None = None


def agreement(found: Any, expected: Any, tolerance: float = TOLERANCE, low_precision: bool = False) -> Agreement:
    """Compare `found` with `expected`.

    Numbers and tensors agree within `tolerance`, relative to the norm of the expected part (with a floor where that is
    nearly zero compared with the other parts). Texts and booleans have to be equal. A list counts as a tuple, a tensor
    of no dimension as a number, an array as a tensor. With `low_precision` something was computed in float32, and the
    tolerance is at least 1e-5.
    """
    numbers = [leaf for leaf in leaves(expected) if isinstance(leaf, (Tensor, numpy.ndarray, float))]
    norms = [float(torch.linalg.vector_norm(torch.as_tensor(each).double())) for each in numbers]
    scale = max((norm for norm in norms if math.isfinite(norm)), default=0.0)
    comparison = Agreement(tolerance, low_precision, scale)
    comparison._compare(found, expected, "")
    return comparison


def bits_of(tree: Any) -> int:
    """How many bits a right answer has, roughly: how unlikely it is to come out by chance."""
    bits = 0
    for leaf in leaves(tree):
        if (tensor := tensor_of(leaf)) is None:
            bits += BITS_OF_A_WORD if isinstance(leaf, str) else BITS_OF_A_WHOLE_NUMBER if type(leaf) is int else 1
        else:
            whole = 1 if tensor.dtype == torch.bool else BITS_OF_A_WHOLE_NUMBER
            bits += tensor.numel() * (BITS_OF_A_NUMBER if tensor.is_floating_point() else whole)
    return bits


def name_of_entry(part: str, key: Any) -> str:
    """The name of a dict's entry: `weights.first`; a key in words follows a colon: `a / b: the gradient of b`."""
    if not part:
        return str(key)
    return f"{part}.{key}" if str(key).isidentifier() or not isinstance(key, str) else f"{part}: {key}"


@dataclass
class Agreement:
    """The result of `agreement`. `error` is the largest relative error of any part that has one."""

    tolerance: float
    low_precision: bool
    scale: float
    findings: list[Difference] = field(default_factory=list)
    error: float | None = None

    @property
    def holds(self) -> bool:
        return not self.findings

    @property
    def differing_parts(self) -> frozenset[str]:
        """The parts that do not agree; only those of the wrong shape or kind, where there are any."""
        shapes = [finding for finding in self.findings if finding.stage == "shape"]
        return frozenset(finding.part for finding in shapes or self.findings)

    def _differ(self, part: str, stage: str, message: str, tensors: tuple[Tensor, Tensor] | None = None) -> None:
        self.findings.append(Difference(part, stage, shortened(message, MAX_MESSAGE_CHARACTERS), tensors))

    def _compare(self, found: Any, expected: Any, part: str) -> None:
        found, expected = (plain_number(v) for v in (found, expected))
        name = f"`{part}`" if part else "The result"
        if isinstance(expected, Mapping):
            self._mappings(found, expected, part, name)
        elif isinstance(expected, (list, tuple)):
            self._sequences(found, expected, part, name)
        elif isinstance(expected, (Tensor, numpy.ndarray)):
            self._tensors(found, torch.as_tensor(expected), part, name)
        elif isinstance(expected, bool) or expected is None or isinstance(expected, str):
            found = found.item() if is_tensor(found) and found.ndim == 0 else found
            if type(found) is not type(expected) or found != expected:
                self._differ(part, "value", f"{name} is {shown(found)}; expected {shown(expected)}.")
        elif isinstance(expected, (int, float)):
            self._tensors(found, torch.tensor(float(expected), dtype=torch.float64), part, name)
        else:
            raise TypeError(f"a scenario gave {type(expected).__name__}, which cannot be compared")

    def _mappings(self, found: Any, expected: Mapping[Any, Any], part: str, name: str) -> None:
        if not isinstance(found, Mapping):
            advice = " Is the last line `return ...`?" if found is None and not part else ""
            wanted = "a dict"  # where a tuple would do as well, the message says how many values
            if found is None or (isinstance(found, (list, tuple)) and len(found) != len(expected)):
                wanted = f"{len(expected)} values: {keys_in_words(expected)}"
            return self._differ(part, "shape", f"{name} is {shown(found)}; expected {wanted}.{advice}")
        missing, more = [k for k in expected if k not in found], [k for k in found if k not in expected]
        if missing or more:
            wrong = f"lacks {keys_in_words(missing)}" if missing else f"has {keys_in_words(more)} besides"
            keys = keys_in_words(expected)
            return self._differ(part, "shape", f"{name} {wrong}; expected the keys {keys}.")
        for key, value in expected.items():
            self._compare(found[key], value, name_of_entry(part, key))

    def _sequences(self, found: Any, expected: Any, part: str, name: str) -> None:
        if is_tensor(found) and all(type(e) in (int, float) for e in expected):
            return self._tensors(found, torch.tensor(expected, dtype=torch.float64), part, name)
        if not isinstance(found, (list, tuple)):
            return self._differ(part, "shape", f"{name} is {shown(found)}; expected {shown(expected)}.")
        if len(found) != len(expected):
            entries = count_text(len(found), "entry", "entries")
            return self._differ(part, "shape", f"{name} has {entries}; expected {len(expected)}.")
        for number, value in enumerate(expected):
            self._compare(found[number], value, f"{part}[{number}]")

    def _tensors(self, found: Any, expected: Tensor, part: str, name: str) -> None:
        given, found = found, tensor_of(found)
        if found is None:
            what = f"a tensor of shape {format_shape(expected.shape)}" if expected.ndim else "a number"
            return self._differ(part, "shape", f"{name} is {shown(given)}; expected {what}.")
        if found.shape != expected.shape:
            text = f"{name} has the shape {format_shape(found.shape)}; expected {format_shape(expected.shape)}."
            return self._differ(part, "shape", text, (found, expected))
        if expected.dtype == torch.bool or not expected.is_floating_point():
            if found.dtype == torch.bool or not found.is_floating_point():
                wrong = found.to(torch.int64) != expected.to(torch.int64)
            else:
                wrong = found.double() != expected.double()
            if bool(wrong.any()):
                self._differ(part, "value", self._worst(name, found, expected, wrong))
            elif expected.dtype == torch.bool and expected.ndim and found.dtype != torch.bool:
                kind = str(found.dtype).removeprefix("torch.")
                self._differ(part, "shape", f"{name} holds numbers ({kind}); expected True and False (bool).")
            return None
        wide, expected = found.double(), expected.double()
        is_finite = torch.isfinite(wide)
        if not bool(is_finite.all()):
            if bool((is_finite | (wide == expected) | (wide.isnan() & expected.isnan())).all()):
                return self._tensors(found.masked_fill(~is_finite, 0), expected.masked_fill(~is_finite, 0), part, name)
            where = first_index(~is_finite)
            place = f" at {list(where)}" if where else ""
            return self._differ(part, "value", f"{name}{place} is {float(wide[where])}, not a finite number.")
        error = relative_error(wide, expected, self.scale)
        error = math.inf if math.isnan(error) else error  # of numbers so large that their distance overflows
        self.error = max(self.error or 0.0, error)
        low_precision = self.low_precision or found.dtype == torch.float32
        if error > (max(self.tolerance, LOW_PRECISION_TOLERANCE) if low_precision else self.tolerance):
            self._differ(part, "value", self._worst(name, wide, expected, None, error), (wide, expected))
        return None

    def _worst(
        self, name: str, found: Tensor, expected: Tensor, wrong: Tensor | None, error: float | None = None
    ) -> str:
        if not expected.ndim:
            words = shown if shown(found) != shown(expected) else lambda number: repr(number.item())
            return f"{name} is {words(found)}; expected {words(expected)}."
        distance = (found.double() - expected.double()).abs() if wrong is None else wrong.to(torch.float64)
        index = index_at(int(distance.argmax()), distance.shape)
        size = "" if error is None or math.isinf(error) else f" by {error:.2g} of its size"
        return (
            f"{name} is wrong{size}. Worst element {list(index)}: found {shown(found[index])}, "
            f"expected {shown(expected[index])}."
        )


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor or an array of numbers."""
    return isinstance(value, Tensor) or (isinstance(value, numpy.ndarray) and value.dtype.kind in "biuf")


def plain_number(value: Any) -> Any:
    """numpy's own kind of number as Python's; anything else as it is."""
    return value.item() if isinstance(value, numpy.generic) else value


def tensor_of(value: Any) -> Tensor | None:
    """A tensor or an array as a tensor of the same shape, a number as float64 of shape (), a list of n numbers as (n,).

    None for anything else, and for a whole number that float64 cannot hold.
    """
    if is_tensor(value):
        return torch.as_tensor(value)
    try:
        if type(value) in (int, float):
            return torch.tensor(float(value), dtype=torch.float64)
        if isinstance(value, (list, tuple)) and value and all(type(entry) in (int, float) for entry in value):
            return torch.tensor([float(entry) for entry in value], dtype=torch.float64)
    except OverflowError:
        return None
    return None


def keys_in_words(keys: Iterable[Any]) -> str:
    """The first keys of a dict, as a sentence lists them."""
    known = list(keys)
    more = f" and {len(known) - MAX_KEYS} more" if len(known) > MAX_KEYS else ""
    return ", ".join(key[:MAX_VALUE_CHARACTERS] if type(key) is str else shown(key) for key in known[:MAX_KEYS]) + more


def shown(value: Any) -> str:
    """A value in a sentence, in at most some MAX_VALUE_CHARACTERS. Nothing in it is iterated over.

    Hidden suites use it for what a student returned: `repr` of a tensor takes time exponential in its dimensions.
    """
    value = plain_number(value)
    if isinstance(value, (Tensor, numpy.ndarray)):
        if value.ndim:
            return f"a tensor of shape {format_shape(tuple(value.shape))}"
        value = value.item() if is_tensor(value) else type(value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        is_short = abs(value) < SMALLEST_NUMBER_DESCRIBED_BY_SIZE
        return str(value) if is_short else f"a whole number of {value.bit_length()} bits"
    if isinstance(value, float):
        return f"{value + 0.0:.9g}"  # without the sign of a zero
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}" if value else f"an empty {type(value).__name__}"
    if isinstance(value, Mapping):
        return "a dict"
    text = repr(value[: MAX_VALUE_CHARACTERS + 1] if isinstance(value, (str, bytes)) else value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else text[:MAX_VALUE_CHARACTERS] + "..."


def in_parts(value: Any, words: Callable[[Any], str] = shown) -> str:
    """A value in a sentence, with the first entries of a list or tuple as `words` has them."""
    if not isinstance(value, (list, tuple)) or not value:
        return shown(value)
    more = ", ..." if len(value) > MAX_ENTRIES_SHOWN else ""
    return f"{shown(value)} ({', '.join(words(entry) for entry in value[:MAX_ENTRIES_SHOWN])}{more})"


def kind_in_words(value: Any) -> str:
    """A value in a sentence, without its number."""
    value = plain_number(value)
    is_number = isinstance(value, (int, float)) or (is_tensor(value) and not value.ndim)
    return "True or False" if isinstance(value, bool) else "a number" if is_number else shown(value)
