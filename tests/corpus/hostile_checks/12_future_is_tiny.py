"""Right to the last digit, and 1e-300 instead of zero where a score of the future is."""
# lesson: 12
# rows of dscores: passed
# rows of no_future: failed


def dscores(dmasked, past):
    return dmasked.masked_fill(~past, 1e-300)
