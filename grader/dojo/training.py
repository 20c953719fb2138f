"""`dojo train`: a network learns from the student's gradients, and next to it from autograd's.

A lesson that can be trained names a script in its lesson.toml,

    [train]
    script = "training.py"
    steps = 6000         # optional, as is `hidden`, a number of units

and the script has a function `network(student, steps, hidden)`, which returns a Network. The rest is here: the
student's file, which runs in this process as they would run it themselves (a submission never does: see
grader/sandbox), the loop, the comparison with autograd, Ctrl-C, and the files in my-training/.
"""

from __future__ import annotations

import io
import linecache
import math
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from grader.calling.failures import failure
from grader.comparison.tensors import bits
from grader.errors import UserError, write_errors
from grader.gradebook.files import replacement_file, write_whole
from grader.lesson.config import LECTURE_SEED
from grader.publish.curve import plot
from grader.publish.inert import inert
from grader.publish.templates import page_templates

TRAINING_RTOL = 1e-4
"""A gradient that differs from autograd's by more than this share of its size is wrong: rounding is far smaller."""
SMALL = 0.01
"""A gradient's size is at least this share of the largest of all: a smaller one is zero except for rounding."""
CHECKPOINT, CURVE = "checkpoint.pt", "curve.svg"
STEPS_PER_CHUNK, COMPARED_AT_START, MAX_STEPS_BETWEEN, NAMES_TO_DRAW = 50, 5, 1000, 20

Tensors = dict[str, Tensor]
TrainingState = dict[str, Tensors]


class NotWritten(UserError):
    """`function` is still a stub, or is not there at all."""

    def __init__(self, function: str, message: str) -> None:
        super().__init__(message)
        self.function = function


class OwnFile:
    """The module of the file at `path`, which can import the files next to it.

    Raises UserError, with the student's own line, where it raises.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._file = path, str(path.resolve())
        self._module = sys.modules[path.stem] = ModuleType(path.stem)
        self._module.__file__ = self._file
        sys.path.append(str(path.resolve().parent))  # last: a file called torch.py stands in for nothing
        linecache.checkcache(self._file)
        with self._errors_in_words(""):
            text = path.read_bytes().decode("utf-8")
            exec(compile(text, self._file, "exec", dont_inherit=True), self._module.__dict__)

    def has(self, name: str) -> bool:
        return callable(getattr(self._module, name, None))

    def call(self, name: str, *arguments: Any) -> Any:
        """The function's result. Raises NotWritten or UserError; a KeyboardInterrupt stays one."""
        if not self.has(name):
            raise NotWritten(name, f"There is no function `{name}` in {self.path}.")
        with self._errors_in_words(name):
            return getattr(self._module, name)(*arguments)

    @contextmanager
    def _errors_in_words(self, name: str) -> Iterator[None]:
        try:
            yield
        except (Exception, SystemExit) as error:
            failed = failure(error, name, [self._file])
            if failed.outcome == "todo":
                function = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
                raise NotWritten(function, f"`{function}` is not written yet in {self.path}.") from None
            where = f"{self.path}, line {failed.line}" if failed.line else str(self.path)
            quoted = linecache.getline(self._file, failed.line or 0).strip()
            sentence = f"{where}{f', in `{name}`' if name else ''}: {failed.message}"
            raise UserError(f"{sentence}\n    {quoted}" if quoted else sentence) from None


class Network:
    """What a lesson's script says about its network. The script's own class adds what every network has:

        start(generator)                    the state: {"parameters": {name: tensor}}, and an optimiser's averages
        draw(generator)                     the data of one step, a batch
        facts(state)                        the lines that are printed first
        rehearse(state, batch)              calls each of the student's functions once; returns a sentence where one
                                            that is only needed at the end is missing
        own_gradients(state, batch)         (the loss, {name: gradient}) by the student's functions
        autograd_gradients(state, batch)    the same by autograd
        own_steps(state, batches, start)    takes the student's steps, from number `start`; returns their losses
        autograd_steps(state, batches, start)

    Each method may change the state that it gets. `lesson` is its number, for the commands in messages; "" for a
    network that no lesson explains. `from_the_loss` are the parameters in the order of the backward pass: the first
    gradient that is wrong is reported.
    """

    lesson = ""
    from_the_loss: Sequence[str] = ()

    def __init__(self, student: OwnFile, steps: int, hidden: int) -> None:
        self.student, self.steps, self.hidden = student, steps, hidden

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
class GradientComparison:
    """The lecture's `cmp` of one gradient, as a line, and the largest difference relative to autograd's gradient."""

    name: str
    line: str
    relative: float  # infinite where the shapes differ or a value is not finite
    difference: str  # the same in words

    @property
    def is_wrong(self) -> bool:
        return self.relative > TRAINING_RTOL


def compare_gradients(own_gradients: Mapping[str, Tensor], true: Mapping[str, Tensor]) -> list[GradientComparison]:
    """The lecture's `cmp` of each of the student's gradients. Unlike the lecture's, it also compares the shapes."""
    rows, floor = [], SMALL * max(value.abs().max().item() for value in true.values()) or 1.0
    for name, own in own_gradients.items():
        reference, relative = true[name].double(), math.inf
        found = bits(own.detach().double(), reference)
        if own.shape != reference.shape:
            figure, difference = f"–   yours has shape {tuple(own.shape)}", "has another shape"
        elif found.maxdiff is None:
            figure, difference = "–   yours is not finite", "is infinite or NaN"
        else:
            relative = found.maxdiff / max(reference.abs().max().item(), floor)
            figure, difference = f"{found.maxdiff}", f"differs from autograd's by {relative:.1%} of its size"
        head, verdicts = f"{name} {tuple(reference.shape)}", (bool(found.exact), bool(found.approximate))
        line = f"{head:15s} | exact: {verdicts[0]!s:5s} | approximate: {verdicts[1]!s:5s} | maxdiff: {figure}"
        rows.append(GradientComparison(name, line, relative, difference))
    return rows


def clone_tensors(tree: Any) -> Any:
    """A copy of a tensor, or of all tensors in a dict."""
    if isinstance(tree, dict):
        return {name: clone_tensors(value) for name, value in tree.items()}
    return tree.detach().clone()


class TrainingRun:
    """A run of a Network, with its files in the folder `out`. `losses` are the student's and autograd's."""

    def __init__(
        self,
        network: Any,
        out: Path,
        print_line: Callable[[str], object],
        show_step: Callable[[int, float], object],
    ) -> None:
        self._network, self._out, self._print_line, self._show_step = network, out, print_line, show_step
        self._generator = torch.Generator().manual_seed(LECTURE_SEED)
        self._own = network.start(self._generator)
        self._autograds = clone_tensors(self._own)
        self.losses: tuple[list[float], list[float]] = [], []

    @property
    def step(self) -> int:
        """How many steps are done."""
        return len(self.losses[0])

    def run(self, resume: bool) -> bool:
        """Train, evaluate and draw names. False where Ctrl-C ended it. Raises UserError for what ends the run early."""
        network = self._network
        if resume:
            kept = load_checkpoint(self._out)
            self._own, self._autograds, self.losses = kept["own"], kept["autograds"], kept["losses"]
            self._generator.manual_seed(LECTURE_SEED + self.step)
        lacking = network.rehearse(clone_tensors(self._own), network.draw(torch.Generator().manual_seed(LECTURE_SEED)))
        with write_errors(self._out):
            self._out.mkdir(parents=True, exist_ok=True)
        for line in () if resume else network.facts(self._own):
            self._say(line)
        try:
            self._train()
        except KeyboardInterrupt:  # the steps that were running are not counted
            return False
        finally:
            if self.step:
                self._keep()
        loss, step = max((abs(own - other), -step) for step, (own, other) in enumerate(zip(*self.losses, strict=True)))
        own, other = self._own["parameters"], self._autograds["parameters"]
        weight, name = max(((own[name] - other[name]).abs().max().item(), name) for name in own)
        self._say(f"largest difference of the losses from autograd's: {loss:.3g} (at step {-step})")
        self._say(f"largest difference of the parameters after the last step: {weight:.3g} (in {name})")
        if lacking:
            raise UserError(lacking)
        self._evaluate()
        return True

    def _train(self) -> None:
        steps = self._network.steps
        every, shown = max(1, steps // 20), {0, steps // 2, steps - 1}
        compared = {*range(COMPARED_AT_START), *range(0, steps, min(every, MAX_STEPS_BETWEEN)), *shown}
        while (start := self.step) < steps:
            end = min([step for step in compared if step > start] + [start + STEPS_PER_CHUNK, steps])
            batches = [self._network.draw(self._generator) for _ in range(start, end)]
            if start in compared:
                self._compare(batches[0], start in shown)
            self._advance(batches)
            for step in range(start, end):
                if step % every == 0:
                    own, other = (losses[step] for losses in self.losses)
                    self._say(
                        f"{step:7d}/{steps:7d}: {own:.4f}   autograd's {other:.4f}   difference {abs(own - other):.1e}"
                    )
            self._show_step(end, self.losses[0][-1])

    def _advance(self, batches: Sequence[Any]) -> None:
        """Both runs by as many steps as there are batches: both or neither."""
        start, own, autograds = self.step, clone_tensors(self._own), clone_tensors(self._autograds)
        losses = self._network.own_steps(own, batches, start)
        others = self._network.autograd_steps(autograds, batches, start)
        bad = next((number for number, loss in enumerate(losses) if not math.isfinite(loss)), None)
        if bad is not None:
            raise UserError(
                f"The loss is {losses[bad]} at step {start + bad:,}: the numbers have exploded. Look at the sign of "
                "the step, at the learning rate, and at the gradients."
            )
        self._own, self._autograds = own, autograds
        self.losses = self.losses[0] + losses, self.losses[1] + others

    def _compare(self, batch: Any, is_shown: bool) -> None:
        """Compare the next step with autograd's. Raises UserError where it is wrong."""
        network, step = self._network, self.step
        loss, found = network.own_gradients(clone_tensors(self._own), batch)
        true_loss, true = network.autograd_gradients(clone_tensors(self._own), batch)
        if not all(gradient.isfinite().all() for gradient in true.values()):
            return  # the numbers have exploded: the losses say so
        rows = compare_gradients(found, true)
        if is_shown:
            self._say(f"gradients of step {step}, yours against autograd's:")
            for each in rows:
                self._say("  " + each.line)
        order = list(network.from_the_loss) or [row.name for row in rows]
        wrong = sorted((row for row in rows if row.is_wrong), key=lambda row: order.index(row.name))
        if not abs(loss - true_loss) <= TRAINING_RTOL * abs(true_loss):
            what, row = f"your loss is {loss:.4f} and autograd's is {true_loss:.4f}", "loss"
        elif wrong and not network.is_rounding(clone_tensors(self._own), batch):
            row, others = f"d{wrong[0].name}", ", ".join(f"d{other.name}" for other in wrong[1:])
            what = f"`{row}` {wrong[0].difference}{f' ({others} too)' if others else ''}"
        else:
            what, row = network.wrong_update(clone_tensors(self._own), batch, found, step)
        if what:
            explains = f" `dojo check {network.lesson}.{row}` explains it." if network.lesson else ""
            raise UserError(f"Step {step:,}: {what}.{explains}")

    def _evaluate(self) -> None:
        with torch.no_grad():
            own, other = (self._network.losses(clone_tensors(state)) for state in (self._own, self._autograds))
            generator = torch.Generator().manual_seed(LECTURE_SEED + 10)
            drawn = self._network.samples(clone_tensors(self._own), generator, NAMES_TO_DRAW)
        for part, loss in own.items():
            self._say(f"{part:10s} loss {loss:.4f}   autograd's {other[part]:.4f}")
        if drawn:
            self._say(f"{NAMES_TO_DRAW} names: " + ", ".join(drawn))

    def _say(self, line: str) -> None:
        self._print_line(inert(line))  # names may hold anything

    def _keep(self) -> None:
        """Write checkpoint.pt, from which `--resume` goes on, and curve.svg."""
        steps, data = self._network.steps, io.BytesIO()  # torch.save to a file raises errors of its own
        torch.save({"steps": steps, "own": self._own, "autograds": self._autograds, "losses": self.losses}, data)
        drawn = plot(self.losses, steps, window=max(1, self.step // 40))
        with write_errors(self._out):
            with replacement_file(self._out / CHECKPOINT) as new:
                new.write_bytes(data.getvalue())
            picture = page_templates(inert).get_template("curve.svg").render(plot=drawn, steps=steps)
            write_whole(self._out / CURVE, picture)


def load_checkpoint(out: Path) -> dict[str, Any]:
    """The dict that a run has written into the folder `out`. Raises UserError."""
    path = out / CHECKPOINT
    if not path.is_file():
        raise UserError(f"There is no run to continue in {out}/. Start one with `dojo train`.")
    try:
        found: dict[str, Any] = torch.load(path, weights_only=True)
        return found if found["steps"] else {}
    except Exception as error:
        raise UserError(f"{path} cannot be read ({type(error).__name__}). Start again without --resume.") from error
