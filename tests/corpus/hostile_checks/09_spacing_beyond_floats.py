"""Returns a whole number that no float can hold."""
# group: hostile return values
# lesson: 09
# rows: missing
# rows of best_spacing: failed


def best_spacing(depth):
    return 10**400
