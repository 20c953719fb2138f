"""`all` of a dictionary looks at its names, which are true.

lesson: 06
compare_all: failed | = `all_match` is True whatever the answers are. Does `all` look at the dictionary's names here, or
    at its values?
others: passed
"""


def compare_all(gradients, references, atol=1e-5):
    matches = {}
    for name, reference in references.items():
        mine = gradients.get(name)
        matches[name] = mine is not None and mine.shape == reference.shape and torch.allclose(mine, reference, atol=atol)
    return all(matches), matches
