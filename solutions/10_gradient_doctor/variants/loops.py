"""Plain loops over Python numbers."""

import math

DIAGNOSES = (
    "healthy",
    "saturated",
    "dead",
    "vanishing",
    "exploding",
    "not zeroed",
    "not averaged",
    "forgotten branch",
)


def closed_share(h, threshold=0.97):
    closed = total = 0
    for value in h.flatten().tolist():
        total += 1
        if value > threshold or value < -threshold:
            closed += 1
    return closed / total


def dead_units(h):
    dead = []
    for unit in range(h.shape[1]):
        alive = False
        for example in range(h.shape[0]):
            if float(h[example, unit]) > 0:
                alive = True
                break
        dead.append(not alive)
    return dead


def gradient_norms(gradients):
    return [math.sqrt(sum(value**2 for value in gradient.flatten().tolist())) for gradient in gradients]


def gradient_growth(norms):
    growth = norms[0] / norms[-1]
    return math.pow(growth, 1 / (len(norms) - 1))


def update_ratios(parameters, gradients, learning_rate):
    ratios = {}
    for name in parameters:
        update = learning_rate * gradient_norms([gradients[name]])[0]
        ratios[name] = update / gradient_norms([parameters[name]])[0]
    return ratios


def diagnose(report):
    wrong = sum((c - m) ** 2 for c, m in zip(report["slopes_claimed"], report["slopes_measured"], strict=True))
    size = sum(m**2 for m in report["slopes_measured"])
    if wrong > 0.05**2 * size:
        return "forgotten branch"
    if report["norm_by_step"][1] > 1.5 * report["norm_by_step"][0]:
        return "not zeroed"
    if report["norm_by_batch"][1] > 2 * report["norm_by_batch"][0]:
        return "not averaged"
    for h in report["h"]:
        if report["activation"] == "tanh" and closed_share(h) > 0.6:
            return "saturated"
        if report["activation"] == "relu" and sum(dead_units(h)) > 0.8 * h.shape[1]:
            return "dead"
    growth = gradient_growth(gradient_norms(report["dh"]))
    if growth < 0.5:
        return "vanishing"
    if growth > 2:
        return "exploding"
    return "healthy"


def clip_by_norm(gradients, limit):
    total = 0.0
    for gradient in gradients:
        for value in gradient.flatten().tolist():
            total += value * value
    if math.sqrt(total) <= limit:
        return list(gradients)
    clipped = []
    for gradient in gradients:
        clipped.append(gradient / math.sqrt(total) * limit)
    return clipped


def diagnose_run(run):
    end, before = run["losses"][-1], run["losses"][len(run["losses"]) // 2]
    if end < 0.05 * run["know_nothing"]:
        return "finished"
    if end < 0.97 * before:
        return "learning"
    alive = 0
    for unit in run["h"].T.tolist():
        alive += any(value > 0 for value in unit)
    return "rate too small" if alive > len(run["h"].T) / 3 else "dead layer"
