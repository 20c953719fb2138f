"""All measurements first, as one record; then one decision that only compares numbers."""

from dataclasses import dataclass
from statistics import fmean

import torch


@dataclass
class Measurements:
    claim_error: float  # relative difference between claimed and measured slopes
    step_growth: float  # gradient norm of the last step over that of the first
    batch_growth: float  # gradient norm with three times as many examples over that with the given ones
    sick_share: float  # of the worst layer: closed gates, or dead units
    growth: float  # of the gradient, per layer on its way back


def closed_share(h, threshold=0.97):
    return 1 - fmean((h.abs() <= threshold).double().flatten().tolist())


def dead_units(h):
    return h.max(0).values <= 0


def gradient_norms(gradients):
    return [torch.linalg.norm(gradient.flatten()).item() for gradient in gradients]


def gradient_growth(norms):
    return (norms[0] / norms[-1]) ** (1 / len(norms[1:]))


def update_ratios(parameters, gradients, learning_rate):
    values, slopes = (dict(zip(d, gradient_norms(d.values()), strict=True)) for d in (parameters, gradients))
    return {name: learning_rate * slopes[name] / values[name] for name in parameters}


def clip_by_norm(gradients, limit):
    norm = torch.tensor(gradient_norms(gradients), dtype=torch.float64).norm().item()
    return [gradient / max(1.0, norm / limit) for gradient in gradients]


def measure(report):
    slopes = torch.tensor([report["slopes_claimed"], report["slopes_measured"]], dtype=torch.float64)
    share = closed_share if report["activation"] == "tanh" else lambda h: fmean(dead_units(h).double().tolist())
    return Measurements(
        claim_error=((slopes[0] - slopes[1]).norm() / slopes[1].norm()).item(),
        step_growth=report["norm_by_step"][-1] / report["norm_by_step"][0],
        batch_growth=report["norm_by_batch"][1] / report["norm_by_batch"][0],
        sick_share=max(share(h) for h in report["h"]),
        growth=gradient_growth(gradient_norms(report["dh"])),
    )


def diagnose(report):
    is_tanh = report["activation"] == "tanh"
    match measure(report):
        case Measurements(claim_error=error) if error > 0.03:
            return "forgotten branch"
        case Measurements(step_growth=factor) if factor > 1.5:
            return "not zeroed"
        case Measurements(batch_growth=factor) if factor > 1.7:
            return "not averaged"
        case Measurements(sick_share=share) if share > (0.5 if is_tanh else 0.7):
            return "saturated" if is_tanh else "dead"
        case Measurements(growth=growth) if growth < 0.55:
            return "vanishing"
        case Measurements(growth=growth) if growth > 1.75:
            return "exploding"
    return "healthy"


def diagnose_run(run):
    *_, before, last = torch.tensor(run["losses"], dtype=torch.float64).chunk(4)
    if last.mean() < 0.05 * run["know_nothing"]:
        return "finished"
    if last.mean() < 0.97 * before.mean():
        return "learning"
    return "dead layer" if fmean(dead_units(run["h"]).double().tolist()) > 0.7 else "rate too small"
