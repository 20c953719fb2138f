"""Calls every tanh network saturated and every other one dead."""
# lesson: 10
# failed: saturated, dead, vanishing, exploding, not_zeroed, not_averaged, forgotten_branch, ward


def diagnose(report):
    return "saturated" if report["activation"] == "tanh" else "dead"
