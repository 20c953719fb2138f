"""Takes the most probable token each time, and draws nothing."""
# group: hostile return values
# lesson: 15
# rows: missing
# rows of sample: failed

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, lambda probs: int(probs.argmax()))
