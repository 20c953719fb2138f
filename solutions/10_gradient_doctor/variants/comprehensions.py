"""Short forms; `diagnose` measures for itself and uses none of the other functions."""

import itertools

import torch


def closed_share(h, threshold=0.97):
    return float((h.square() > threshold**2).to(h.dtype).mean())


def dead_units(h):
    return h.sum(0) == 0


def gradient_norms(gradients):
    return [float(torch.dot(g.reshape(-1), g.reshape(-1)) ** 0.5) for g in gradients]


def gradient_growth(norms):
    product = 1.0
    for nearer, farther in itertools.pairwise(norms):
        product *= nearer / farther
    return product ** (1 / (len(norms) - 1))


def update_ratios(parameters, gradients, learning_rate):
    return {n: learning_rate * float(gradients[n].norm()) / float(p.norm()) for n, p in parameters.items()}


def diagnose(report):
    claimed = torch.tensor(report["slopes_claimed"]).double()
    measured = torch.tensor(report["slopes_measured"]).double()
    closed = [(h.abs() > 0.97).double().mean() for h in report["h"]]
    silent = [(h <= 0).all(0).double().mean() for h in report["h"]]
    first, last = (report["dh"][index].norm() for index in (0, -1))
    growth = (first / last) ** (1 / (len(report["dh"]) - 1))
    signs = {
        "forgotten branch": torch.dist(claimed, measured) / measured.norm() > 0.03,
        "not zeroed": max(report["norm_by_step"]) > 1.2 * min(report["norm_by_step"]),
        "not averaged": max(report["norm_by_batch"]) > 1.2 * min(report["norm_by_batch"]),
        "saturated": report["activation"] == "tanh" and max(closed) >= 0.5,
        "dead": report["activation"] == "relu" and max(silent) >= 0.75,
        "vanishing": growth < 0.55,
        "exploding": growth > 1.8,
    }
    return ([name for name, present in signs.items() if present] + ["healthy"])[0]


def clip_by_norm(gradients, limit):
    length = sum(norm**2 for norm in gradient_norms(gradients)) ** 0.5
    return [gradient * limit / length if length > limit else gradient for gradient in gradients]


def diagnose_run(run):
    if (run["h"].sum(0) == 0).double().mean() >= 0.8:
        return "dead layer"
    if sorted(run["update_ratios"])[30] < 2e-5:
        return "rate too small"
    return "finished" if run["losses"][-1] < run["know_nothing"] / 12 else "learning"
