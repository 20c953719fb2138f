"""Samples from the model without its MLP."""
# group: hostile return values
# lesson: 15
# rows: missing
# rows of sample: failed

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, mlp=0.0)
