"""The right names, of texts instead of whole numbers."""
# lesson: 15
# rows of sample: shape

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return [str(token) for token in drawn(parameters, heads, generator)]
