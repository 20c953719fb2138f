"""Samples from the model without its MLP."""
# lesson: 15
# rows of sample: failed

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, mlp=0.0)
