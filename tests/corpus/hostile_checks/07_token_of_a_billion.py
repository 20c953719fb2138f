"""Draws a token that would need a table of 8 GB to count."""
# lesson: 07
# rows of sample: shape


def sample(parameters, statistics, generator):
    return [1, 10**9]
