"""Returns a whole number that no float can hold."""
# lesson: 09
# rows of best_spacing: failed


def best_spacing(depth):
    return 10**400
