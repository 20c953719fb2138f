"""A problem: one drawing of a lesson's inputs, upstream gradients for every name, and the references for them.

Problems depend on the run's seed, never on a submission: they are made once and used for every student.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.calling.steps import Groups, groups_of_values
from grader.comparison.tensors import LOW_PRECISION_TOLERANCE, PASS_FACTOR, low_precision_size, norm, quotient
from grader.reference.forward_errors import TapeError, first_place_of, refuse_value
from grader.reference.tape import LOSS, Graph, Unfused, is_floating, record_forward, run_forward, total

Inputs = dict[str, Any]
MakeInputs = Callable[..., Inputs]
Forward = Callable[[Any], None]
TRIVIAL = 1e-6
"""A gradient smaller than this share of the upstream gradient's norm counts as zero with rounding noise."""


def derive(seed: int, *parts: object) -> int:
    """Derive a seed for one purpose from the seed of the run. A hash makes the seeds of two purposes independent."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Draw:
    """One problem that a suite requests: sizes for `inputs(generator, **sizes)`, and a change of the drawn values.

    `change(inputs)` edits the dictionary in place (ties, one class repeated, repeated tokens). A draw with a `note`,
    {row: text}, is *advisory*: only these rows are run on it, and where an answer fails only there, it passes and the
    student reads the text.
    """

    sizes: Mapping[str, int | float] = field(default_factory=dict)
    change: Callable[[Inputs], None] | None = None
    note: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.note, str):
            raise ValueError(f"`note` is a table, {{row: text}}, and not the text {self.note[:40]!r}")

    def asks(self, row: str) -> bool:
        """Whether a row is run on it."""
        return not self.note or row in self.note

    def describe(self) -> str:
        return ", ".join(f"{k} {v}" for k, v in self.sizes.items()) or "the sizes in README.md"


class Problem:
    """One drawing. `values` are the forward values by name, `inputs` what the pass starts from, and `upstream` the
    upstream gradients that steps are fed.

    With `random_upstream` every upstream gradient is drawn from a normal distribution, each on its own, except the
    loss's, which is one by definition; otherwise each is what autograd gives for the whole forward pass.
    `groups` are names under which several values are given: {name: their names}, for a list, or {name: {key: its
    value's name}}, for a dict. The lists of the forward pass are groups, too.
    """

    def __init__(
        self,
        forward: Forward,
        make_inputs: MakeInputs,
        draw: Draw,
        seed: int,
        dtype: torch.dtype = torch.float64,
        random_upstream: bool = True,
        groups: Groups | None = None,
    ) -> None:
        self.draw, self.dtype, self._forward, self.random_upstream = draw, dtype, forward, random_upstream
        drawn = make_inputs(torch.Generator().manual_seed(seed), **draw.sizes)
        if draw.change is not None:
            draw.change(drawn)
        for name, value in drawn.items():
            refuse_value(name, value, lambda: first_place_of(make_inputs))
        self._scales: dict[str, float] = {}
        self._sizes: dict[str, float] = {}
        self._references_from: dict[tuple[str, frozenset[str]], Tensor] = {}
        self._fed_shapes: Mapping[str, Sequence[int]] = {}
        self.inputs = {k: v.to(dtype) if is_floating(v) else v for k, v in drawn.items()}
        self.graph: Graph = record_forward(forward, self.inputs)
        self.values: dict[str, Any] = self.graph.values
        self.groups: Groups = {**self.graph.lists, **(groups or {})}
        generator = torch.Generator().manual_seed(derive(seed, "upstream"))
        noise = {
            n: torch.randn(self.values[n].shape, generator=generator, dtype=torch.float64).to(dtype)
            for n in self.graph.names
        }
        if LOSS in noise:
            noise[LOSS] = torch.ones((), dtype=dtype)
        self.ends = {n: noise[n] for n in self.graph.sinks}
        self.upstream: dict[str, Tensor] = noise if random_upstream else self.chain

    def refuse_open_ends(self, function: str, path: Path) -> None:
        """Raise TapeError unless the pass ends in its loss alone: one function for all gradients gets no others."""
        sinks, parents = self.graph.sinks, self.graph.parents
        others = [f"`t.{name}`" for name in sinks if name != LOSS and parents[name]]
        if others or LOSS not in sinks:
            raise TapeError(
                f"{path} ends in {' and '.join(others) or 'no named value'}, and `{function}`, which returns all "
                "gradients, gets no upstream gradient. Let the pass end in `t.loss` alone: draw an upstream gradient "
                "`dout` in `inputs`, and write `t.loss = (t.out * t.dout).sum()`."
            )

    @property
    def given(self) -> dict[str, Any]:
        """The forward values by name, and each group of them as a list."""
        return self.values | groups_of_values(self.values, self.groups)

    @cached_property
    def chain(self) -> dict[str, Tensor]:
        """{name: its gradient, in the name's shape} of the whole backward pass, as `loss.backward()` computes it."""
        return self.graph.chain(self.ends)

    def in_single_steps(self) -> Problem:
        """The same forward pass and whole backward pass, with the fused names as steps of their own."""
        unused = {name: torch.zeros_like(self.finer.values[name]) for name in self.finer.sinks}
        other = self.with_upstream(self.finer.chain(unused | self.ends))
        other.graph, other.random_upstream = self.finer, False
        return other

    def with_upstream(self, upstream: Mapping[str, Tensor]) -> Problem:
        """The same forward values with other upstream gradients, {name: a tensor of its shape and this dtype}."""
        other = copy.copy(self)
        other.upstream, other.random_upstream = dict(upstream), True
        other._scales, other._sizes, other._references_from = {}, {}, {}
        for cached in ("_shares", "_references", "low_precision_tolerance"):
            other.__dict__.pop(cached, None)
        return other

    def fed_in_shapes(self, shapes: Mapping[str, Sequence[int]]) -> Problem:
        """The same problem, whose steps are fed these upstream gradients in other shapes of as many elements."""
        other = copy.copy(self)
        other._fed_shapes = dict(shapes)
        return other

    @property
    def fed(self) -> dict[str, Tensor]:
        """The upstream gradients in the shapes in which steps are fed them."""
        shapes = self._fed_shapes
        return {n: g.reshape(*shapes[n]) if n in shapes else g for n, g in self.upstream.items()}

    @cached_property
    def finer(self) -> Graph:
        """The same pass with the fused names as steps of their own."""
        tape = Unfused(self.inputs)
        run_forward(self._forward, tape)
        return Graph(tape)

    @cached_property
    def _shares(self) -> dict[str, dict[str, Tensor]]:
        return {consumer: self.graph.vjp(consumer, self.upstream[consumer]) for consumer in self.graph.parents}

    def branches(self, name: str) -> dict[str, Tensor]:
        """{consumer: its contribution to d`name`, in `name`'s shape}, last consumer first, as autograd adds them."""
        return {consumer: self._shares[consumer][name] for consumer in reversed(self.graph.consumers[name])}

    @cached_property
    def _references(self) -> dict[str, Tensor]:
        return {n: total(self.branches(n).values()) for n in self.graph.names if self.graph.consumers[n]}

    def reference(self, name: str) -> Tensor:
        """The gradient with respect to `name`, in its shape, given the upstream gradients of its consumers."""
        return self._references[name]

    def size(self, name: str) -> float:
        """The norm of d`name`'s reference, in float64."""
        if name not in self._sizes:
            self._sizes[name] = norm(self.reference(name).to(torch.float64))
        return self._sizes[name]

    def is_zero(self, name: str) -> bool:
        """Whether d`name` is zero except for rounding, as that of a bias before a batch norm."""
        return self.size(name) < TRIVIAL * self.scale(name)

    def scale(self, name: str) -> float:
        """The size that rounding in d`name` is measured against: the norm of the upstream gradients that flow into it.

        Those of a whole pass may cancel on the way to zero (two equal examples in a batch norm), which leaves rounding
        noise of what was there before. So there it is the largest norm of all that d`name` comes from.
        """
        if name not in self._scales:
            if self.random_upstream:
                scale = math.hypot(*(norm(self.upstream[consumer]) for consumer in self.graph.consumers[name]))
            else:
                scale = max((norm(self.upstream[above]) for above in self.graph.above(name)), default=0.0)
            self._scales[name] = scale
        return self._scales[name]

    @cached_property
    def low_precision_tolerance(self) -> float:
        """The largest relative error of a right answer that is computed in float32.

        Where a whole backward pass is judged, rounding adds up, and a batch norm of small variance multiplies it. So
        there autograd's own pass in float32 is the yardstick: its largest error of any gradient, over three passes
        whose inputs differ in their last bit. One pass alone may round luckily.
        """
        if self.random_upstream:
            return LOW_PRECISION_TOLERANCE
        errors = [error for seed in range(3) for error in self._errors_in_float32(seed)]
        return max(LOW_PRECISION_TOLERANCE, PASS_FACTOR * max(errors, default=0.0))

    def _errors_in_float32(self, seed: int) -> Iterator[float]:
        """The relative errors of autograd's pass in float32. Above seed 0, every input is rounded differently."""
        generator = torch.Generator().manual_seed(seed)
        inputs = {}
        for name, value in self.inputs.items():
            if is_floating(value):
                signs = torch.randint(-1, 2, value.shape, generator=generator) if seed else 0
                value = (value * (1 + signs * torch.finfo(torch.float32).eps / 2)).float()
            inputs[name] = value
        found = record_forward(self._forward, inputs).chain({name: end.float() for name, end in self.ends.items()})
        for name, gradient in self.chain.items():
            if self.graph.consumers[name]:
                size = low_precision_size(norm(gradient.double()), self.scale(name))
                yield quotient(norm(found[name].double() - gradient.double()), size)

    def reference_from(self, name: str, requested: Collection[str]) -> Tensor:
        """The gradient with respect to `name`, in its shape, for a step that requests those of `requested` only.

        The gradient of a consumer that is not requested is computed from its own consumers, up to a requested one or
        the loss. So a step that is computed from an earlier gradient ("the mean of dbndiff" for dbnmeani) is right if
        it equals this.
        """
        key = name, frozenset(requested)
        if key not in self._references_from:
            shares = []
            for consumer in reversed(self.graph.consumers[name]):
                known = consumer in requested or not self.graph.consumers[consumer]
                upstream = self.upstream[consumer] if known else self.reference_from(consumer, requested)
                shares.append(self.graph.vjp(consumer, upstream)[name])
            self._references_from[key] = total(shares)
        return self._references_from[key]

    def requested_instead(self, name: str, uses: Collection[str]) -> set[str] | None:
        """The values further up whose gradients a step requests in place of all its consumers'; None if it has them.

        `uses` are the names that the step reads.
        """
        requested = {used[1:] for used in uses if used.startswith("d")} & self.upstream.keys()
        has_all = requested.issuperset(self.graph.consumers[name])
        # of a whole pass there is nothing further up that its gradients could be given
        is_further_up = self.random_upstream and not has_all and requested <= self.graph.above(name)
        return requested if is_further_up else None

    def unreduced(self, name: str) -> dict[str, Tensor]:
        """{consumer: its contribution to d`name` in the consumer's shape, before the sum that undoes a broadcast}.

        Only consumers that broadcast `name` have one.
        """
        found = {}
        for consumer in self.graph.consumers[name]:
            shape = self.values[consumer].shape
            if shape == self.values[name].shape:
                continue
            try:
                expanded = record_forward(self._forward, self.inputs, {name: shape})
                if expanded.values[consumer].shape == shape:
                    found[consumer] = expanded.vjp(consumer, self.upstream[consumer])[name]
            except (RuntimeError, IndexError, KeyError):  # no broadcast: the step does something else with the shape
                continue
        return found
