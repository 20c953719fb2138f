"""The right names, of numbers that are rounded down to the right tokens."""
# group: hostile return values
# lesson: 15
# rows: missing
# rows of sample: shape

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return [token + 0.9 for token in drawn(parameters, heads, generator)]
