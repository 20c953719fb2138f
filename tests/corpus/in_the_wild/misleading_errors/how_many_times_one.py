"""The number of contexts, where one is expected, is no multiple of it; and a percentage is a hundred times a share.

lesson: 01
accumulation_factor: failed | = `a token that does not occur` is 6; expected 0.
closed_share: failed | = In `(h.abs() > threshold).float().mean() * 100`, `100` is one too many. Without it, `closed_share` is right.
"""

def accumulation_factor(tokens, token):
    return len(tokens == token)


def closed_share(h, threshold):
    return (h.abs() > threshold).float().mean() * 100
