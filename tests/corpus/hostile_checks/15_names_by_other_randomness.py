"""Draws from the right probabilities, with randomness of its own."""
# lesson: 15
# rows of sample: failed

# the text of drawn_names.py


def sample(parameters, heads, generator):
    return drawn(parameters, heads, generator, lambda probs: int(torch.multinomial(probs, 1)))
