"""Trains a network that the student defines, with the student's gradients, next to the same network with autograd's.

`dojo train FILE` comes here if FILE has a function `forward`. my_network.py is an example, and says what FILE contains.
"""

import math
from contextlib import nullcontext
from types import SimpleNamespace

import torch

from grader.dojo.training.contract import Comparison, Outcome
from grader.errors import UserError
from grader.reference.tape import record_forward


class Values(SimpleNamespace):
    """What `forward` calls `t` while training: a plain object. Nothing is cut, so autograd sees the whole pass."""

    def fused(self):
        return nullcontext()


def run(student, options, watch):
    """Train both networks for `options.steps` steps. Returns the Outcome for the page. Raises UserError."""
    generator = torch.Generator().manual_seed(options.seed)
    own = tensors_of(student.call("parameters", generator), "parameters")
    beside = {name: value.clone() for name, value in own.items()}
    compared = compared_steps(options)
    outcome = Outcome(
        f"{options.steps:,} steps of your own network", 0, options.steps, finished=False, can_resume=False
    )
    losses, reference = [], []
    rehearse(student, own, options)
    watch.start(anew=True)
    watch.say(f"{sum(value.numel() for value in own.values()):,} parameters: {', '.join(own)}")
    for step in range(options.steps):
        if watch.stopping:
            break
        data = student.call("batch", generator)
        if step in compared:
            rows = comparisons(student, own, data)
            watch.say(f"gradients of step {step}, yours against autograd's:")
            for row in rows:
                watch.say("  " + row.line())
            outcome.comparisons.append((step, rows))
        rate = float(student.call("learning_rate", step, options.steps))
        losses.append(own_step(student, own, data, rate))
        reference.append(autograd_step(student, beside, data, rate))
        if step % max(1, options.steps // 20) == 0:
            distance = abs(losses[-1] - reference[-1])
            watch.say(
                f"{step:7d}/{options.steps:7d}: {losses[-1]:.4f}   autograd's {reference[-1]:.4f}   "
                f"difference {distance:.1e}"
            )
        watch.step(step + 1, options.steps, losses[-1])
        if not math.isfinite(losses[-1]):
            outcome.problem = f"The loss is {losses[-1]} at step {step:,}. Is the learning rate too large?"
            break
    outcome.step, outcome.losses, outcome.reference = len(losses), losses, reference
    outcome.window = max(1, len(losses) // 20)
    outcome.finished = not outcome.problem and len(losses) == options.steps
    if losses:
        largest, at = max((abs(a - b), -step) for step, (a, b) in enumerate(zip(losses, reference, strict=True)))
        furthest, name = max(((own[name] - beside[name]).abs().max().item(), name) for name in own)
        watch.say(f"largest difference of the losses from autograd's: {largest:.3g} (at step {-at})")
        watch.say(f"largest difference of the parameters at the end: {furthest:.3g} (in {name})")
        outcome.figures += [("last loss", f"{losses[-1]:.4f}"), ("largest difference of a loss", f"{largest:.2g}")]
    return outcome


def rehearse(student, own, options):
    """Record one forward pass on the tape, and look at what each function returns, before anything is trained."""
    generator = torch.Generator().manual_seed(options.seed)
    data = student.call("batch", generator)
    if not isinstance(data, dict):
        raise UserError(f"`batch` must return a dict {{name: value}}; it returned {type(data).__name__}.")
    if both := sorted(own.keys() & data.keys()):
        raise UserError(f"`parameters` and `batch` both return {', '.join(both)}: give each value a name of its own.")
    comparisons(student, own, data)
    try:
        float(student.call("learning_rate", 0, options.steps))
    except (TypeError, ValueError):
        raise UserError("`learning_rate` must return a number.") from None


def comparisons(student, own, data):
    """The lecture's `cmp` for each gradient that `backward` returns. The tape supplies the references."""
    graph = record_forward(lambda t: student.call("forward", t), {**own, **data})
    if "loss" not in graph.values or graph.values["loss"].ndim:
        raise UserError("`forward` must end with `t.loss`, a tensor with one number and no axis.")
    true = graph.chain({name: torch.ones_like(graph.values[name]) * (name == "loss") for name in graph.sinks})
    found = gradients_of(student, Values(**graph.values), own)
    rows = []
    for key, gradient in found.items():
        name = key.removeprefix("d")
        if name not in true:
            known = ", ".join("d" + each for each in true if each != "loss")
            raise UserError(
                f"`backward` returned `{key}`, but the forward pass has no such value. It may return {known}."
            )
        rows.append(comparison(name, gradient, true[name]))
    return rows


def comparison(name, mine, reference):
    shape = tuple(reference.shape)
    if mine.shape != reference.shape:
        note = f"yours has shape {tuple(mine.shape)}"
        return Comparison(name, shape, exact=False, approximate=False, maxdiff=None, note=note)
    maxdiff = (mine - reference).abs().max().item()
    relative = maxdiff / (reference.abs().max().item() or 1.0)
    return Comparison(name, shape, torch.equal(mine, reference), torch.allclose(mine, reference), maxdiff, relative)


def gradients_of(student, t, own):
    """What `backward` returns: {"d" + name: tensor}, with an entry for each parameter. Raises UserError."""
    with torch.no_grad():
        found = tensors_of(student.call("backward", t), "backward")
    missing = ["d" + name for name in own if "d" + name not in found]
    if missing:
        raise UserError(f"`backward` must return a gradient for each parameter; missing: {', '.join(missing)}.")
    return found


def own_step(student, own, data, rate):
    """One step with the student's gradients; changes `own`. Returns the loss before it."""
    with torch.no_grad():
        t = Values(**own, **data)
        student.call("forward", t)
        found = gradients_of(student, t, own)
        for name, parameter in own.items():
            if found["d" + name].shape != parameter.shape:
                shapes = tuple(found["d" + name].shape), tuple(parameter.shape)
                raise UserError(f"`d{name}` has shape {shapes[0]}; expected {shapes[1]}, the shape of `{name}`.")
            parameter -= rate * found["d" + name]
    return float(t.loss)


def autograd_step(student, beside, data, rate):
    """The same step with autograd's gradients."""
    leaves = {name: value.clone().requires_grad_() for name, value in beside.items()}
    with torch.enable_grad():
        t = Values(**leaves, **data)
        student.call("forward", t)
        slopes = torch.autograd.grad(t.loss, list(leaves.values()), allow_unused=True)
    for parameter, slope in zip(beside.values(), slopes, strict=True):
        if slope is not None:
            parameter -= rate * slope
    return t.loss.item()


def compared_steps(options):
    last = options.steps - 1
    return {step for step in (options.compared or (0, options.steps // 2, last)) if step <= last}


def tensors_of(found, function):
    if not isinstance(found, dict) or not found or not all(isinstance(v, torch.Tensor) for v in found.values()):
        raise UserError(f"`{function}` must return a dict {{name: tensor}} with at least one entry.")
    return dict(found)
