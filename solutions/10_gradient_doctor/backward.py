"""Lesson 10: the gradient doctor. Functions that measure a network's health, and two that name what is wrong.

All tensors are torch's. README.md says what a report contains and what is normal. `clinic.py` makes as many patients
as you like. Try them in a file of their own, or at the end of this one:

    if __name__ == "__main__":
        from clinic import patient

        print(diagnose(patient("saturated", seed=1)))

Check as often as you like:  dojo check 10
"""

import torch

RUNS = (
    "learning",  # the loss still falls
    "finished",  # there is nothing left to learn: the loss is close to zero
    "rate too small",  # the learning curve is flat, because the parameters hardly move
    "dead layer",  # the learning curve is flat, because no gradient gets through the hidden layer
)

DIAGNOSES = (
    "healthy",
    "saturated",  # most tanh gates of a layer are closed
    "dead",  # most ReLU units of a layer are zero for every example
    "vanishing",  # the gradient shrinks from layer to layer on its way back
    "exploding",  # it grows
    "not zeroed",  # the gradients of earlier steps are still there when the next ones come
    "not averaged",  # the loss is a sum over the examples, not their mean
    "forgotten branch",  # a part of the loss does not reach the parameters
)


def closed_share(h, threshold=0.97):
    """The share of closed gates in a tanh layer: of outputs that are above `threshold` or below `-threshold`.

    h: a tensor of any shape, the outputs of tanh. Returns a number from 0 to 1.
    """
    # <answer>
    return (h.abs() > threshold).double().mean().item()
    # </answer>


def dead_units(h):
    """Which of a layer's ReLU units are dead: their output is zero for every example of the batch.

    h: a tensor (batch, units), the outputs of ReLU. Returns a tensor of booleans (units,), True where a unit is dead.
    """
    # <answer>
    return (h == 0).all(0)
    # </answer>


def gradient_norms(gradients):
    """How large each layer's gradient is: the root of the sum of the squares of all its elements.

    gradients: a list of tensors of any shapes. Returns a list of numbers, in the same order.
    """
    # <answer>
    return [gradient.pow(2).sum().sqrt().item() for gradient in gradients]
    # </answer>


def clip_by_norm(gradients, limit):
    """Gradient clipping: shorten all gradients together, so that an update cannot be too long.

    gradients: a list of tensors of any shapes. Leave them as they are. `limit` is a positive number.
    Put all elements of all tensors into one long vector. If its norm is larger than `limit`, multiply every gradient by
    the same factor, so that the norm becomes `limit`. If it is not larger, nothing changes.
    Returns a list of tensors, in the same order.
    """
    # <answer>
    norm = sum(gradient.pow(2).sum() for gradient in gradients).sqrt()
    factor = limit / norm if norm > limit else 1.0
    return [gradient * factor for gradient in gradients]
    # </answer>


def gradient_growth(norms):
    """The factor by which the gradient's norm grows per layer in the backward pass, as a (geometric) average.

    norms: the norms of two or more layers' gradients, first layer first; the gradient comes from the last one. With
    [8, 4, 2, 1] it doubles at every layer: 2. With [1, 10, 100] it is 0.1. If the first norm is zero, the
    growth is zero. Returns a number.
    """
    # <answer>
    return (norms[0] / norms[-1]) ** (1 / (len(norms) - 1))
    # </answer>


def update_ratios(parameters, gradients, learning_rate):
    """How large one step of gradient descent is: the norm of the update divided by the norm of the parameter.

    parameters, gradients: dicts {name: tensor} with the same names, in any order. Returns a dict {name: number}.
    """
    # <answer>
    return {name: (learning_rate * gradients[name].norm() / value.norm()).item() for name, value in parameters.items()}
    # </answer>


def diagnose(report):
    """What is wrong with the network that `report` describes: one of DIAGNOSES.

    report: a dict, described in README.md. At most one thing is wrong. If a layer is saturated or dead, that is
    the diagnosis, whatever it does to the gradients.
    """
    # <answer>
    claimed = torch.tensor(report["slopes_claimed"], dtype=torch.float64)
    measured = torch.tensor(report["slopes_measured"], dtype=torch.float64)
    if (claimed - measured).norm() > 0.02 * measured.norm():
        return "forgotten branch"
    first, *_, last = report["norm_by_step"]
    if last > 1.5 * first:
        return "not zeroed"
    once, tripled = report["norm_by_batch"]
    if tripled > 1.5 * once:
        return "not averaged"
    if report["activation"] == "tanh":
        if max(closed_share(h) for h in report["h"]) > 0.5:
            return "saturated"
    elif max(dead_units(h).double().mean() for h in report["h"]) > 0.7:
        return "dead"
    growth = gradient_growth(gradient_norms(report["dh"]))
    if growth < 0.55:
        return "vanishing"
    if growth > 1.75:
        return "exploding"
    return "healthy"
    # </answer>


def diagnose_run(run):
    """What a whole training run shows: one of RUNS.

    run: a dict, described in README.md. It holds the learning curve. A flat learning curve (a plateau) has several
    causes; name the one that the other measures show.
    """
    # <answer>
    losses, quarter = run["losses"], len(run["losses"]) // 4
    last = sum(losses[-quarter:]) / quarter
    before = sum(losses[-2 * quarter : -quarter]) / quarter
    if last < 0.05 * run["know_nothing"]:
        return "finished"
    if last < 0.97 * before:
        return "learning"
    if dead_units(run["h"]).double().mean() > 0.7:
        return "dead layer"
    return "rate too small"
    # </answer>
