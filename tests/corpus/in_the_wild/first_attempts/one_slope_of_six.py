"""A forgotten branch is looked for along the first of six directions, which may not show it.

lesson: 10
forgotten_branch: failed | A forgotten branch is not found: compare all slopes that the gradient claims with those that
    were measured.
ward: failed
others: passed
"""


def diagnose(report):
    claimed = torch.tensor(report["slopes_claimed"], dtype=torch.float64)
    measured = torch.tensor(report["slopes_measured"], dtype=torch.float64)
    if abs(claimed[0] - measured[0]) > 0.02 * abs(measured[0]):
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
