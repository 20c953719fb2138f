"""Tensors all the way: 0-dimensional ones for numbers, a stacked one for the list of norms."""

import torch


def closed_share(h, threshold=0.97):
    return torch.count_nonzero(torch.abs(h) > threshold) / h.numel()


def dead_units(h):
    return h.amax(dim=0) == 0


def gradient_norms(gradients):
    return torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients])


def gradient_growth(norms):
    norms = torch.as_tensor(norms, dtype=torch.float64)
    steps = norms.numel() - 1
    return torch.exp((torch.log(norms[0]) - torch.log(norms[-1])) / steps)


def update_ratios(parameters, gradients, learning_rate):
    def ratio(name):
        return torch.linalg.vector_norm(learning_rate * gradients[name]) / torch.linalg.vector_norm(parameters[name])

    return {name: ratio(name) for name in gradients}


def diagnose(report):
    claimed, measured = map(torch.tensor, (report["slopes_claimed"], report["slopes_measured"]))
    norms = gradient_norms(report["dh"])
    worst = {
        "tanh": lambda: torch.stack([closed_share(h) for h in report["h"]]).max(),
        "relu": lambda: torch.stack([dead_units(h).float().mean() for h in report["h"]]).max(),
    }[report["activation"]]()
    sick_layer = worst > 0.7 if report["activation"] == "relu" else worst > 0.4
    findings = (
        ("not zeroed", report["norm_by_step"][-1] / report["norm_by_step"][0] > 2),
        ("not averaged", report["norm_by_batch"][1] / report["norm_by_batch"][0] > 2),
        ("forgotten branch", not torch.allclose(claimed, measured, rtol=0, atol=0.04 * float(measured.norm()))),
        ("saturated" if report["activation"] == "tanh" else "dead", bool(sick_layer)),
        ("vanishing", bool(gradient_growth(norms) < 0.6)),
        ("exploding", bool(gradient_growth(norms) > 1.6)),
        ("healthy", True),
    )
    return next(name for name, found in findings if found)


def clip_by_norm(gradients, limit):
    length = torch.linalg.vector_norm(gradient_norms(gradients))
    factor = torch.clamp(limit / length, max=1.0)
    return tuple(torch.where(factor < 1, gradient * factor, gradient) for gradient in gradients)


def diagnose_run(run):
    losses = torch.tensor(run["losses"], dtype=torch.float64) / run["know_nothing"]
    *_, third, last = losses.view(4, -1).mean(1)
    if last < 0.04:
        return "finished"
    if last / third < 0.96:
        return "learning"
    return "dead layer" if (dead_units(run["h"]).sum() > 0.7 * run["h"].shape[1]).item() else "rate too small"
