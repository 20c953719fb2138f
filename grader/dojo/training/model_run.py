"""A run of `dojo train` for models whose parameters are a dict: the student's gradients, and autograd's next to them.

A lesson's script makes a subclass of ModelRun and calls `run_model` in model_training.py; see lessons 15 and 16.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.dojo.training.contract import Comparison, Options
from grader.dojo.training.own_file import NotWritten, OwnFile
from grader.errors import UserError

Tensors = dict[str, Tensor]
ModelState = dict[str, Tensors]


def clone_tensors(tree: Any) -> Any:
    """A copy of a tensor, or of all tensors in a dict."""
    return (
        {name: clone_tensors(value) for name, value in tree.items()}
        if isinstance(tree, dict)
        else tree.detach().clone()
    )


def zeros_for(parameters: Mapping[str, Tensor]) -> Tensors:
    return {name: torch.zeros_like(value) for name, value in parameters.items()}


class ModelRun:
    """Where a run is: both models with Adam's averages, and their losses. A lesson fills in the parts below.

    `names` has the data: `sets` are {"train": (X, Y), "validation": ..., "test": ...}.
    """

    lesson: ClassVar[str]  # its number, for the commands in messages
    model: ClassVar[str]  # "a GPT"
    from_the_loss: ClassVar[Sequence[str]]  # the parameters, in the order of the way back
    arguments: ClassVar[tuple[Any, ...]] = ()  # what `gradients` gets after the parameters, X and Y
    batch: ClassVar[int] = 32

    def initialise(self, generator: torch.Generator) -> Tensors:
        """The parameters at the start; the batches are drawn after them, from the same generator."""
        raise NotImplementedError

    def description(self) -> str:
        """The sizes of the model."""
        raise NotImplementedError

    def rehearse(self) -> str:
        """Calls each of the student's functions once; a sentence if one that is needed at the end is missing."""
        raise NotImplementedError

    def own_steps(self, state: ModelState, batches: Sequence[Tensor], start: int) -> list[float]:
        """The losses of the student's steps; changes `state` in place."""
        raise NotImplementedError

    def autograd_steps(self, state: ModelState, batches: Sequence[Tensor], start: int) -> list[float]:
        raise NotImplementedError

    def autograd_gradients(self, parameters: Tensors, X: Tensor, Y: Tensor) -> tuple[float, Tensors]:
        raise NotImplementedError

    def wrong_update(self, gradients: Tensors) -> tuple[str, str]:
        """(what is wrong with what becomes of right gradients, the row that explains it), or two empty texts."""
        raise NotImplementedError

    def loss_of(self, parameters: Tensors, X: Tensor, Y: Tensor) -> Tensor:
        """By the lesson's own forward pass."""
        raise NotImplementedError

    def draw_name(self, generator: torch.Generator) -> Sequence[int]:
        """The tokens of a new name."""
        raise NotImplementedError

    # the same for all lessons

    def __init__(self, student: OwnFile, options: Options, names: Any, kept: dict[str, Any] | None) -> None:
        self.student, self.options, self.names = student, options, names
        self.losses: list[float] = []
        self.autograd_losses: list[float] = []
        self.comparisons: list[tuple[int, list[Comparison]]] = []
        self.seconds = self.autograd_seconds = 0.0  # of processor time
        if kept is None:
            drawn = self.initialise(self.generator())
            self.own: ModelState = {"parameters": drawn, "means": zeros_for(drawn), "squares": zeros_for(drawn)}
            self.by_autograd: ModelState | None = clone_tensors(self.own) if options.autograd else None
            return
        if kept["data"] != names.digest:
            raise UserError("The names are not those that this run began with. Name their file with --names.")
        self.own, self.by_autograd = kept["own"], kept["beside"]
        self.losses, self.autograd_losses = kept["losses"].tolist(), kept["autograd_losses"].tolist()
        self.comparisons = [(step, [Comparison(**row) for row in rows]) for step, rows in kept["comparisons"]]
        self.seconds, self.autograd_seconds = kept["seconds"], kept["autograd_seconds"]

    @property
    def step(self) -> int:
        return len(self.losses)

    def generator(self) -> torch.Generator:
        return torch.Generator().manual_seed(self.options.seed)

    def kept(self) -> dict[str, Any]:
        return {
            "own": self.own,
            "beside": self.by_autograd,
            "losses": torch.tensor(self.losses, dtype=torch.float64),
            "autograd_losses": torch.tensor(self.autograd_losses, dtype=torch.float64),
            "comparisons": [(step, [vars(row).copy() for row in rows]) for step, rows in self.comparisons],
            "seconds": self.seconds,
            "autograd_seconds": self.autograd_seconds,
            "data": self.names.digest,
        }

    def batches(self) -> Iterator[Tensor]:
        """All batches of the run, from the first."""
        generator = self.generator()
        self.initialise(generator)
        while True:
            yield torch.randint(0, len(self.names.sets["train"][0]), (self.batch,), generator=generator)

    def own_gradients(self, parameters: Tensors, X: Tensor, Y: Tensor) -> tuple[float, Tensors]:
        """(loss, {name: gradient}). Raises UserError for a result that is of another form."""
        with torch.no_grad():
            found = self.student.call("gradients", parameters, X, Y, *self.arguments)
        form = "(loss, {name: gradient})"
        if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[1], dict):
            raise UserError(f"To train, `gradients` must return {form}; it returned a {type(found).__name__}.")
        gradients = {}
        for name in parameters:
            gradient = found[1].get(name, found[1].get(f"d{name}"))
            if isinstance(gradient, list):
                gradient = torch.stack(gradient)
            if not isinstance(gradient, Tensor):
                raise UserError(f"`gradients` must return {form}; `{name}` is {type(gradient).__name__}.")
            gradients[name] = gradient
        return float(found[0]), gradients

    def counts(self) -> list[str]:
        sets = " / ".join(f"{len(X):,} {name}" for name, (X, _) in self.names.sets.items())
        size = sum(value.numel() for value in self.own["parameters"].values())
        return [
            f"{len(self.names.words):,} names, {len(self.names.numbers)} characters: {sets} names",
            f"{size:,} parameters: {self.description()}",
        ]


def missing_function(student: OwnFile, name: str, *arguments: Any) -> str:
    """A sentence if the student's function `name`, which is needed at the end only, is still to be written."""
    try:
        student.call(name, *arguments)
    except NotWritten:
        return f"Not written yet in {student.path}: `{name}`. Names need it."
    return ""
