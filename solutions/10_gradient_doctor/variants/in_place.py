"""Works in place on tensors of its own; `diagnose` is split into one question a function."""

import torch


def closed_share(h, threshold=0.97):
    sizes = h.clone().abs_().sub_(threshold)
    return (torch.sign(sizes).clamp_(min=0).sum() / sizes.numel()).item()


def dead_units(h):
    return torch.logical_not(h.bool().any(dim=0))


def gradient_norms(gradients):
    squares = torch.zeros(len(gradients), dtype=torch.float64)
    for layer, gradient in enumerate(gradients):
        squares[layer] += gradient.double().flatten().square().sum()
    return squares.sqrt_().tolist()


def gradient_growth(norms):
    if norms[0] == 0:
        return 0.0
    logs = torch.tensor(norms, dtype=torch.float64).log_()
    return logs.diff().mean().neg_().exp_().item()


def update_ratios(parameters, gradients, learning_rate):
    ratios = dict.fromkeys(parameters, 0.0)
    for name, gradient in gradients.items():
        step = gradient.clone().mul_(learning_rate)
        ratios[name] = (step.norm() / parameters[name].norm()).item()
    return ratios


def code_is_wrong(report):
    difference = torch.tensor(report["slopes_claimed"]) - torch.tensor(report["slopes_measured"])
    if difference.abs().sum() > 0.05 * torch.tensor(report["slopes_measured"]).abs().sum():
        return "forgotten branch"
    one, two, *_ = report["norm_by_step"]
    if two - one > 0.5 * one:
        return "not zeroed"
    small, large = report["norm_by_batch"]
    return "not averaged" if large / small > 1.7 else None


def layer_is_sick(report):
    for h in report["h"]:
        if report["activation"] == "tanh":
            if closed_share(h) > 0.45:
                return "saturated"
        elif int(dead_units(h).sum()) > 0.7 * h.shape[1]:
            return "dead"
    return None


def gradient_is_lost(report):
    growth = gradient_growth(gradient_norms(report["dh"]))
    return "vanishing" if growth < 0.55 else "exploding" if growth > 1.7 else None


def diagnose(report):
    return code_is_wrong(report) or layer_is_sick(report) or gradient_is_lost(report) or "healthy"


def clip_by_norm(gradients, limit):
    copies = [gradient.clone() for gradient in gradients]
    length = torch.cat([copy.flatten() for copy in copies]).norm()
    if length > limit:
        for copy in copies:
            copy.mul_(limit).div_(length)
    return copies


def is_flat(losses):
    quarter = len(losses) // 4
    return sum(losses[-quarter:]) > 0.965 * sum(losses[-2 * quarter : -quarter])


def diagnose_run(run):
    if not is_flat(run["losses"]):
        return "learning" if run["losses"][-1] > 0.08 * run["know_nothing"] else "finished"
    return "dead layer" if dead_units(run["h"]).double().mean() > 0.6 else "rate too small"
