"""The tape: a forward pass with names, and every gradient's reference from that one text.

`t.name = expression` keeps the value under its name, *cuts* the graph there (what is read later as `t.name` is a
fresh leaf), and notes which names the expression read. One local vector-Jacobian product for each consumer, summed,
is then the reference of a gradient, for any upstream gradients at all.

    def forward(t):
        t.h = torch.tanh(t.hpreact)
        with t.fused():                   # names inside are kept, but have no gradient of their own
            t.probs = torch.softmax(t.h, 1)
        t.loss = t.probs.log().mean()
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from typing import Any

import torch
from torch import Tensor

from grader.reference.forward_errors import (
    CHANGED,
    NOWHERE,
    UPDATE,
    Place,
    TapeError,
    place_outside,
    refuse_value,
    update_error,
)

LOSS = "loss"
"""The name whose upstream gradient is always one: the derivative of the loss with respect to itself."""


def is_floating(value: Any) -> bool:
    """Whether a value is a tensor of any shape with a floating-point dtype: only such a value has a gradient."""
    return isinstance(value, Tensor) and value.is_floating_point()


class NamedList:
    """A list of values on a tape, such as one per layer: `t.h[2]` is the value with the name `h[2]`."""

    def __init__(self, tape: Tape, name: str, values: Sequence[Any]) -> None:
        self._tape, self.name, self.members = tape, name, list[str]()
        for value in values:
            self.append(value)

    def append(self, value: Any) -> None:
        self.members.append(f"{self.name}[{len(self.members)}]")
        self._tape._record(self.members[-1], value)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._tape._read(member) for member in self.members[index]]
        return self._tape._read(self.members[index])

    def __setitem__(self, index: int, value: Any) -> None:
        raise update_error(self.name, place_outside())

    def __len__(self) -> int:
        return len(self.members)


class _State:
    def __init__(self) -> None:
        self.leaves: dict[str, Any] = {}  # what `t.name` gives: cut leaves, fused values, integers
        self.outputs: dict[str, Tensor] = {}  # the uncut result of each step: what a consumer differentiates
        self.sources: dict[str, frozenset[str]] = {}  # name -> the cut names its expression read, fused ones resolved
        self.places: dict[str, Place] = {}
        self.fused_names: set[str] = set()
        self.inputs: tuple[str, ...] = ()
        self.reads: set[str] = set()
        self.fusing = False
        self.expanded: Mapping[str, torch.Size] = {}
        self.fixed: Mapping[str, Tensor] = {}
        self.lists: dict[str, NamedList] = {}

    def leaf(self, name: str, value: Tensor) -> Tensor:
        """The cut: what is read later is a fresh leaf, of the value's own shape unless it is to be expanded."""
        value = self.fixed.get(name, value).detach().expand(self.expanded.get(name, value.shape))
        return value.clone().requires_grad_()


class Tape:
    """Records a forward pass. Attributes are the names of the forward pass; `Graph(tape)` evaluates the record.

    Names in `fixed` have these values, whatever the forward pass computes for them. Raises TapeError for a name that is
    set twice, or read before it is set.
    """

    _state: _State

    def __init__(
        self,
        inputs: Mapping[str, Any],
        expanded: Mapping[str, torch.Size] | None = None,
        fixed: Mapping[str, Tensor] | None = None,
    ) -> None:
        state = _State()
        object.__setattr__(self, "_state", state)
        state.expanded, state.fixed = expanded or {}, fixed or {}
        for name, value in inputs.items():
            refuse_value(name, value, lambda: NOWHERE)
            state.leaves[name] = state.leaf(name, value) if is_floating(value) else value
            state.sources[name] = frozenset()
        state.inputs = tuple(inputs)

    def __getattr__(self, name: str) -> Any:
        found = self._state.lists.get(name)
        return self._read(name) if found is None else found

    def _read(self, name: str) -> Any:
        state = self._state
        if name not in state.leaves:
            known = ", ".join(state.leaves)
            raise TapeError(
                f"{place_outside()}`t.{name}` is read before it is set. Set it first, or give it as an input; "
                f"set so far: {known}."
            )
        if name in state.fused_names:
            state.reads |= state.sources[name]
        else:
            state.reads.add(name)
        return state.leaves[name]

    def __setattr__(self, name: str, value: Any) -> None:
        state = self._state
        place = place_outside()
        if name in state.leaves or name in state.lists or name == "fused":
            if UPDATE.match(place.text):
                raise update_error(name, place)
            raise TapeError(
                f"{place}`t.{name}` is set twice, or is a name of the tape itself. Each name stands for one value: "
                "choose another."
            )
        if isinstance(value, list) and all(isinstance(each, Tensor) for each in value):
            state.lists[name] = NamedList(self, name, value)
        else:
            self._record(name, value)

    def _record(self, name: str, value: Any) -> None:
        state, place = self._state, place_outside()
        refuse_value(f"t.{name}", value, lambda: place)
        state.places[name] = place
        state.sources[name], state.reads = frozenset(state.reads), set()
        if state.fusing:
            state.fused_names.add(name)
            state.leaves[name] = value
        elif is_floating(value):
            state.outputs[name] = value
            state.leaves[name] = state.leaf(name, value)
        else:
            state.leaves[name] = value  # integers are never cut: no gradient flows through them

    @contextmanager
    def fused(self) -> Iterator[None]:
        """Inside, names are kept (students may ask for them) but the graph is not cut: one step with their consumer."""
        self._state.fusing = True
        try:
            yield
        finally:
            self._state.fusing = False


class Unfused(Tape):
    """A tape that cuts at fused names, too."""

    @contextmanager
    def fused(self) -> Iterator[None]:
        yield


class Graph:
    """A recorded forward pass: its values, who feeds whom, and vector-Jacobian products.

    `values` holds every name, detached. `names` are those that have a gradient, in forward order.
    `consumers[name]` are the names whose step reads `name` in a way that gradient flows through.
    """

    def __init__(self, tape: Tape) -> None:
        state = tape._state
        self._outputs, self._leaves = state.outputs, state.leaves
        self.values: dict[str, Any] = {
            name: value.detach() if isinstance(value, Tensor) else value for name, value in state.leaves.items()
        }
        self.inputs, self.fused = state.inputs, tuple(n for n in state.leaves if n in state.fused_names)
        self.sources = dict(state.sources)  # name -> the cut names that its expression read
        self.parents: dict[str, tuple[str, ...]] = {}
        self.places = state.places
        self.lists = {name: tuple(found.members) for name, found in state.lists.items()}
        self._above: dict[tuple[str, str], frozenset[str]] = {}
        order = list(state.leaves)
        for name, output in state.outputs.items():
            earlier = order[: order.index(name)]
            # not only what its own expression read: a Python variable may carry what an earlier line read
            candidates = [p for p in earlier if p not in state.fused_names and is_floating(state.leaves[p])]
            flows = (
                gradients(output, [state.leaves[p] for p in candidates], torch.ones_like(output))
                if candidates and output.requires_grad
                else [None] * len(candidates)
            )
            # a read through which no gradient flows (a shape, an index) is no edge
            self.parents[name] = tuple(p for p, flow in zip(candidates, flows, strict=True) if flow is not None)
            self.sources[name] = self.sources[name].union(self.parents[name])
        self.consumers: dict[str, tuple[str, ...]] = {
            name: tuple(c for c, parents in self.parents.items() if name in parents)
            for name in state.leaves
            if is_floating(state.leaves[name]) and name not in state.fused_names
        }
        self.names = tuple(n for n, consumers in self.consumers.items() if consumers or n in state.outputs)
        self.sinks = tuple(n for n in state.outputs if not self.consumers.get(n))

    def vjp(self, consumer: str, upstream: Tensor) -> dict[str, Tensor]:
        """{parent: its share}: one step's vector-Jacobian product with `upstream`, which has the consumer's shape."""
        parents = self.parents[consumer]
        if not parents:
            return {}
        shares = gradients(self._outputs[consumer], [self._leaves[p] for p in parents], upstream)
        return dict(zip(parents, (share.detach() for share in shares if share is not None), strict=True))

    def chain(self, at_the_end: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """{name: the gradient of the whole pass, in the shape of the value}. Equals `loss.backward()`.

        `at_the_end` has each sink's upstream gradient, in the sink's shape.
        """
        gradients: dict[str, Tensor] = dict(at_the_end)
        for consumer in reversed(self._outputs):
            for parent, share in self.vjp(consumer, gradients[consumer]).items():
                gradients[parent] = gradients[parent] + share if parent in gradients else share
        return gradients

    def above(self, name: str, without: str = "") -> frozenset[str]:
        """Every name that `name`'s gradient is computed from: its consumers, theirs, and so on; not past `without`."""
        if (name, without) not in self._above:
            found, waiting = set[str](), list(self.consumers[name])
            while waiting:
                consumer = waiting.pop()
                if consumer not in found and consumer != without:
                    found.add(consumer)
                    waiting += self.consumers[consumer]
            self._above[name, without] = frozenset(found)
        return self._above[name, without]

    def goes_through(self, name: str, other: str) -> bool:
        """Whether every path from `name` to an end of the forward pass goes through `other`."""
        return other in self.above(name) and self.above(name, other).isdisjoint(self.sinks)


def record_forward(
    forward: Callable[[Any], None], inputs: Mapping[str, Any], expanded: Mapping[str, torch.Size] | None = None
) -> Graph:
    """Run `forward` on a new tape with `inputs` ({name: tensor or plain value}) and return its graph.

    Names in `expanded` are read in that larger shape, as broadcasting would make them: the gradient with respect to
    such a leaf is the one *before* the sum that undoes the broadcast, which is what forgetting that sum gives.
    """
    tape = Tape(inputs, expanded)
    run_forward(forward, tape)
    return Graph(tape)


def run_forward(forward: Callable[[Any], None], tape: Any) -> None:
    """Run `forward` on a tape. Raises TapeError for a value that is changed in place."""
    try:
        with torch.enable_grad():
            forward(tape)
    except RuntimeError as error:
        for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
            place = Place(frame.f_code.co_filename, line)
            if "in-place" in str(error) and (match := CHANGED.match(place.text)):
                raise update_error(match[1], place) from error
        raise


def gradients(output: Tensor, inputs: Sequence[Tensor], upstream: Tensor) -> tuple[Tensor | None, ...]:
    """The vector-Jacobian product of `output` with `upstream`, for each of `inputs`; None where no gradient flows.

    It is taken as the gradient of a number, which is the same bit for bit: with `grad_outputs`, torch's first call
    imports sympy, which takes half a second.
    """
    with torch.enable_grad():
        number = (output * upstream).sum()
    return torch.autograd.grad(number, inputs, retain_graph=True, allow_unused=True)


def total(shares: Iterable[Tensor]) -> Tensor:
    """The sum of contributions of one shape, in the order given (autograd's own order matters for the last bit)."""
    return reduce(add, shares)
