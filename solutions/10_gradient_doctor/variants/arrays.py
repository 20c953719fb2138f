"""numpy instead of torch; the order of the questions is that of DIAGNOSES."""

import numpy as np


def closed_share(h, threshold=0.97):
    h = np.asarray(h)
    return np.mean((h < -threshold) | (h > threshold))


def dead_units(h):
    return ~np.any(np.asarray(h) > 0, axis=0)


def gradient_norms(gradients):
    return np.array([np.linalg.norm(np.asarray(gradient).ravel()) for gradient in gradients])


def gradient_growth(norms):
    return np.power(norms[0] / norms[-1], 1.0 / (len(norms) - 1))


def update_ratios(parameters, gradients, learning_rate):
    names = list(parameters)
    updates = learning_rate * gradient_norms([gradients[name] for name in names])
    return dict(zip(names, updates / gradient_norms([parameters[name] for name in names]), strict=True))


def diagnose(report):
    tanh = report["activation"] == "tanh"
    if tanh and max(map(closed_share, report["h"])) > 0.3:
        return "saturated"
    if not tanh and max(dead_units(h).mean() for h in report["h"]) > 0.6:
        return "dead"
    growth = gradient_growth(gradient_norms(report["dh"]))
    if growth < 0.5:
        return "vanishing"
    if growth > 1.5:
        return "exploding"
    steps, batches = np.array(report["norm_by_step"]), np.array(report["norm_by_batch"])
    if not np.allclose(steps, steps[0]):
        return "not zeroed"
    if not np.isclose(*batches):
        return "not averaged"
    claimed, measured = np.array(report["slopes_claimed"]), np.array(report["slopes_measured"])
    if np.abs(claimed - measured).max() > 0.03 * np.abs(measured).max():
        return "forgotten branch"
    return "healthy"


def clip_by_norm(gradients, limit):
    arrays = [np.asarray(gradient) for gradient in gradients]
    length = np.linalg.norm(gradient_norms(arrays))
    return [array * min(1.0, limit / max(length, 1e-300)) for array in arrays]


def diagnose_run(run):
    losses = np.array(run["losses"]) / run["know_nothing"]
    if losses[-15:].mean() < 0.06:
        return "finished"
    if np.median(run["update_ratios"]) < 3e-5 and dead_units(run["h"]).mean() < 0.8:
        return "rate too small"
    return "learning" if losses[-15:].mean() < 0.965 * losses[-30:-15].mean() else "dead layer"
