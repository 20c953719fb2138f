"""Looks only at how large the loss and its gradient are."""
# lesson: 10
# failed: saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward


def diagnose(report):
    size = report["norm_by_step"][0]
    return "exploding" if size > 1e3 else "vanishing" if size < 1e-3 else "healthy"
