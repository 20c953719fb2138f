"""A comparison that returns a list without names.

lesson: 06
compare_all: shape | expected a tuple of 2 (True or False, a dict).
"""

def compare_all(gradients, references, atol=1e-5):
    matches = []
    for name, reference in references.items():
        mine = gradients.get(name)
        matches.append(mine is not None and mine.shape == reference.shape and torch.allclose(mine, reference, atol=atol))
    return all(matches), matches
