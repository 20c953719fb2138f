"""Calls everybody healthy."""
# lesson: 10
# failed: saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward


def diagnose(report):
    return "healthy"
