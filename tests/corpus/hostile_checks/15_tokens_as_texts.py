"""The right names, of texts instead of whole numbers."""
# group: hostile return values
# lesson: 15
# rows: missing
# rows of sample: shape

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return [str(token) for token in drawn(parameters, heads, generator)]
