"""What a lesson's script says about its network for `dojo train`, and the comparison of gradients with autograd's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.dojo.own_file import OwnFile

TRAINING_RTOL = 1e-4
"""A gradient that differs from autograd's by more than this share of its size is wrong: rounding is far smaller."""
SMALL = 0.01
"""A gradient's size is at least this share of the largest of all: a smaller one is zero except for rounding."""

Tensors = dict[str, Tensor]
TrainingState = dict[str, Tensors]
"""{"parameters": {name: tensor}}, and an optimiser's averages under other names."""


class Network:
    """What a lesson's script says about its network. Methods that get a state may change it in place.

    Attributes:
        words: what is trained, as in "a GPT".
        lesson: its number, for the commands in messages; "" for a network that no lesson explains.
        from_the_loss: parameters in the order of the backward pass: the first gradient that is wrong is reported.
    """

    words = "a network"
    lesson = ""
    from_the_loss: Sequence[str] = ()

    def __init__(self, student: OwnFile, steps: int, hidden: int) -> None:
        self.student, self.steps, self.hidden = student, steps, hidden

    def start(self, generator: torch.Generator) -> TrainingState:
        """The state before the first step."""
        raise NotImplementedError

    def draw(self, generator: torch.Generator) -> Any:
        """The data of one step."""
        raise NotImplementedError

    def rehearse(self, state: TrainingState, batch: Any) -> str:
        """Call each of the student's functions once. A sentence if one that is only needed at the end is missing."""
        raise NotImplementedError

    def facts(self, state: TrainingState) -> list[str]:
        """The lines with which the log begins."""
        raise NotImplementedError

    def own_steps(self, state: TrainingState, batches: Sequence[Any], start: int) -> list[float]:
        """Take the student's steps, from number `start`; return their losses."""
        raise NotImplementedError

    def autograd_steps(self, state: TrainingState, batches: Sequence[Any], start: int) -> list[float]:
        """The same steps with autograd's gradients."""
        raise NotImplementedError

    def own_gradients(self, state: TrainingState, batch: Any) -> tuple[float, Tensors]:
        """(the loss, {name: gradient}) by the student's functions."""
        raise NotImplementedError

    def autograd_gradients(self, state: TrainingState, batch: Any) -> tuple[float, Tensors]:
        raise NotImplementedError

    def is_rounding(self, state: TrainingState, batch: Any) -> bool:
        """Whether gradients that differ are right when they are computed in higher precision."""
        return False

    def wrong_update(self, state: TrainingState, batch: Any, gradients: Tensors, step: int) -> tuple[str, str]:
        """(what is wrong with what becomes of right gradients, the row that explains it), or two empty texts."""
        return "", ""

    def losses(self, state: TrainingState) -> dict[str, float]:
        """{part of the data: its loss}, after the last step."""
        return {}

    def samples(self, state: TrainingState, generator: torch.Generator, count: int) -> list[str]:
        """Names that the network draws, for a network that draws names."""
        return []


@dataclass(frozen=True)
class Comparison:
    """The lecture's `cmp` of one gradient. `maxdiff` is None where shapes differ, as `note` says.

    `relative` is maxdiff divided by the size of autograd's gradient.
    """

    name: str
    shape: tuple[int, ...]
    exact: bool
    approximate: bool
    maxdiff: float | None
    relative: float | None = None
    note: str = ""

    @property
    def is_wrong(self) -> bool:
        return self.relative is None or not self.relative <= TRAINING_RTOL

    def line(self) -> str:
        found = "–" if self.maxdiff is None else repr(self.maxdiff)
        head = f"{self.name + ' ' + str(self.shape):15s} | exact: {self.exact!s:5s} | "
        return head + f"approximate: {self.approximate!s:5s} | maxdiff: {found}{f'   {self.note}' if self.note else ''}"


def compare_gradients(found: Mapping[str, Tensor], true: Mapping[str, Tensor]) -> list[Comparison]:
    """The lecture's `cmp` of each gradient in `found`. Unlike the lecture's, it also compares the shapes."""
    rows, floor = [], SMALL * max(value.abs().max().item() for value in true.values()) or 1.0
    for name, own in found.items():
        reference, shape = true[name].double(), tuple(true[name].shape)
        if own.shape != reference.shape:
            rows.append(Comparison(name, shape, False, False, None, note=f"yours has shape {tuple(own.shape)}"))
            continue
        own = own.detach().double()
        maxdiff = (own - reference).abs().max().item()
        relative = maxdiff / max(reference.abs().max().item(), floor)
        rows.append(
            Comparison(name, shape, torch.equal(own, reference), torch.allclose(own, reference), maxdiff, relative)
        )
    return rows


def clone_tensors(tree: Any) -> Any:
    """A copy of a tensor, or of all tensors in a dict."""
    if isinstance(tree, dict):
        return {name: clone_tensors(value) for name, value in tree.items()}
    return tree.detach().clone()
