"""The loop of a ModelRun: training, comparison with autograd, evaluation, names, and the texts about them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import torch
from torch import Tensor

from grader.dojo.training.contract import TRAINING_RTOL, Comparison, Outcome, Watch
from grader.dojo.training.model_run import ModelRun, clone_tensors
from grader.dojo.training.own_file import OwnFileError

STEPS_PER_CHUNK, COMPARED_STEPS, NAMES_TO_DRAW = 50, 5, 20
"""Steps between two looks at Ctrl-C, steps at the start whose gradients are compared, names drawn at the end."""


class WrongStep(Exception):
    """A step is not what it should be; the text says what, and which command explains it."""


class Exploded(Exception):
    """A loss is not a number any more."""


def run_model(now: ModelRun, watch: Watch, resumed: bool) -> Outcome:
    """Trains, evaluates and draws names."""
    missing = now.rehearse()
    options = now.options
    outcome = Outcome(f"{options.steps:,} steps of {now.model}", now.step, options.steps, finished=False)
    watch.start(anew=not resumed)
    for line in () if resumed else now.counts():
        watch.say(line)
    try:
        train_models(now, watch)
    except (OwnFileError, WrongStep) as error:
        outcome.problem, outcome.can_resume = str(error), now.step > 0
    except Exploded as error:
        outcome.problem, outcome.can_resume = str(error), False
    outcome.step = now.step
    if outcome.can_resume:
        watch.keep(options, now.step, now.kept())
    else:
        watch.forget()
    if now.step == options.steps and not outcome.problem:
        differences(now, watch, outcome)
        evaluate_models(now, watch, outcome)
        if missing:
            outcome.problem = missing
        else:
            outcome.finished = draw_names(now, watch, outcome)
    fill_outcome(now, outcome)
    return outcome


def train_models(now: ModelRun, watch: Watch) -> None:
    """Takes the run to its last step, or to where `watch` stops it."""
    options, examples = now.options, now.names.sets["train"]
    every = max(1, options.steps // 20)
    compared = set(options.compared or (0, options.steps // 2, options.steps - 1))
    judged = {*range(COMPARED_STEPS), *range(0, options.steps, every), *compared}
    drawn = now.batches()
    for _ in range(now.step):
        next(drawn)
    while now.step < options.steps and not watch.stopping:
        start = now.step
        end = min([s for s in judged if s > start] + [start - start % STEPS_PER_CHUNK + STEPS_PER_CHUNK, options.steps])
        batches = [next(drawn) for _ in range(start, end)]
        try:
            if start in judged:
                compare_step(now, examples[0][batches[0]], examples[1][batches[0]], start in compared, watch)
            advance(now, batches)
        except KeyboardInterrupt:  # a second Ctrl-C: back to where this chunk began
            watch.stopping = True
            break
        for step in range(start, now.step):
            if step % every == 0:
                watch.say(step_line(now, step))
        watch.step(now.step, options.steps, now.losses[-1])
        if watch.due:
            watch.keep(options, now.step, now.kept())


def compare_step(now: ModelRun, X: Tensor, Y: Tensor, shown: bool, watch: Watch) -> None:
    """Compares every gradient of the next step with autograd's. Raises WrongStep, unless the run is to go on."""
    parameters, step = now.own["parameters"], now.step
    loss, found = now.own_gradients(clone_tensors(parameters), X, Y)
    true_loss, true = now.autograd_gradients(clone_tensors(parameters), X, Y)
    rows = [compare_gradient(name, found[name], true[name]) for name in parameters]
    if shown:
        watch.say(f"gradients of step {step}, yours against autograd's:")
        for each in rows:
            watch.say("  " + each.line())
        now.comparisons.append((step, rows))
    wrong = sorted((row for row in rows if row.is_wrong), key=lambda row: now.from_the_loss.index(row.name))
    if not abs(loss - true_loss) <= TRAINING_RTOL * abs(true_loss):
        what, row = f"your loss is {loss:.4f} and autograd's is {true_loss:.4f}", "loss"
    elif wrong:
        others = ", ".join(f"d{other.name}" for other in wrong[1:])
        how = wrong[0].note or f"differs from autograd's by {wrong[0].relative:.1%} of its size"
        what, row = f"`d{wrong[0].name}` {how}{f' ({others} too)' if others else ''}", f"d{wrong[0].name}"
    else:
        what, row = now.wrong_update(found)
    if not what:
        return
    sentence = f"Step {step:,}: {what}. `dojo check {now.lesson}.{row}` explains it."
    if not now.options.goes_on:
        raise WrongStep(sentence + f" To see what it does to the training: dojo train {now.lesson} --compare")
    if sentence not in watch.lines:
        watch.say(f"✗ {sentence}")


def compare_gradient(name: str, found: Tensor, true: Tensor) -> Comparison:
    shape = tuple(true.shape)
    if found.shape != true.shape:
        note = f"yours has shape {tuple(found.shape)}"
        return Comparison(name, shape, exact=False, approximate=False, maxdiff=None, note=note)
    maxdiff = (found - true).abs().max().item()
    relative = maxdiff / (true.abs().max().item() or 1.0)
    return Comparison(name, shape, torch.equal(found, true), torch.allclose(found, true), maxdiff, relative)


def advance(now: ModelRun, batches: Sequence[Tensor]) -> None:
    """Both runs by as many steps as there are batches: both or neither."""
    start, by_autograd, found = now.step, None, list[float]()
    own, began = clone_tensors(now.own), time.process_time()
    losses = now.own_steps(own, batches, start)
    between = time.process_time()
    if now.by_autograd is not None:
        by_autograd = clone_tensors(now.by_autograd)
        found = now.autograd_steps(by_autograd, batches, start)
    ended = time.process_time()
    now.own, now.by_autograd = own, by_autograd
    now.losses, now.autograd_losses = now.losses + losses, now.autograd_losses + found
    now.seconds, now.autograd_seconds = now.seconds + between - began, now.autograd_seconds + ended - between
    if not all(map(math.isfinite, losses)):
        raise Exploded(
            f"The loss is not a number any more at step {now.step:,}. Look at the sign of the step, and at `clip`."
        )


def evaluate_models(now: ModelRun, watch: Watch, outcome: Outcome) -> None:
    """The losses of both models over all sets."""
    models = {"yours": now.own} | ({"autograd's": now.by_autograd} if now.by_autograd else {})
    outcome.table_head = ["", "names", *models]
    for name, (X, Y) in now.names.sets.items():
        with torch.no_grad():
            losses = [f"{float(now.loss_of(state['parameters'], X, Y)):.4f}" for state in models.values()]
        outcome.table.append([name, f"{len(X):,}", *losses])
        outcome.figures.append((f"{name} loss", losses[0]))
        watch.say(f"{name:10s} loss {losses[0]}" + (f"   autograd's {losses[1]}" if len(losses) > 1 else ""))


def draw_names(now: ModelRun, watch: Watch, outcome: Outcome) -> bool:
    generator = torch.Generator().manual_seed(now.options.seed + 10)
    try:
        names = [now.names.text(now.draw_name(generator)) for _ in range(NAMES_TO_DRAW)]
    except (OwnFileError, TypeError, ValueError) as error:
        outcome.problem = str(error)
        return False
    known = set(now.names.words)
    outcome.samples = [(name, name not in known) for name in names]
    watch.say(f"{NAMES_TO_DRAW} names: " + ", ".join(names))
    watch.say(
        f"(training took {duration(now.seconds)} of processor time, autograd's {duration(now.autograd_seconds)})"
        if now.by_autograd
        else f"(training took {duration(now.seconds)} of processor time)"
    )
    return True


def duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def step_line(now: ModelRun, step: int) -> str:
    line = f"{step:7d}/{now.options.steps:7d}: {now.losses[step]:.4f}"
    if now.by_autograd is not None:
        by_autograd = now.autograd_losses[step]
        line += f"   autograd's {by_autograd:.4f}   difference {abs(now.losses[step] - by_autograd):.1e}"
    return line


def differences(now: ModelRun, watch: Watch, outcome: Outcome) -> None:
    if now.by_autograd is None:
        return
    pairs = zip(now.losses, now.autograd_losses, strict=True)
    loss, step = max((abs(own - other), -step) for step, (own, other) in enumerate(pairs))
    own, other = now.own["parameters"], now.by_autograd["parameters"]
    weight, name = max(((own[name] - other[name]).abs().max().item(), name) for name in own)
    watch.say(f"largest difference of the losses from autograd's: {loss:.3g} (at step {-step})")
    watch.say(f"largest difference of the parameters after the last step: {weight:.3g} (in {name})")
    outcome.figures.append(("largest difference of a loss from autograd’s", f"{loss:.2g}"))


def fill_outcome(now: ModelRun, outcome: Outcome) -> None:
    """Fills the rest of the page."""
    outcome.losses, outcome.comparisons = now.losses, now.comparisons
    outcome.reference = now.autograd_losses or None
    outcome.window = max(1, now.options.steps // 40)
    outcome.facts = [(part.split(": ")[0], part.split(": ")[1]) for part in now.counts()]
    outcome.facts += [("batch", f"{now.batch} names"), ("seed", f"{now.options.seed}")]
    for whose, seconds in (("your", now.seconds), ("autograd’s", now.autograd_seconds)):
        if now.step and seconds:
            text = f"{duration(seconds)}, {1e3 * seconds / now.step:.2f} ms per step"
            outcome.facts.append((f"{whose} processor time", text))
