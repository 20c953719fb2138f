"""A table of counts that is as long as the tokens need: it has no entry for a larger one, with any seed.

lesson: 01
accumulation_factor: error | IndexError
"""


def accumulation_factor(tokens, token):
    return torch.bincount(tokens.flatten())[token]
