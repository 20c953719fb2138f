"""Returns texts that no file can hold: half surrogate pairs, a million of them."""
# lesson: 10
# rows of saturated: failed
# rows of dead: failed
# rows of vanishing: failed
# rows of exploding: failed
# rows of not_zeroed: failed
# rows of not_averaged: failed
# rows of forgotten_branch: failed
# rows of ward: failed
# rows of closed_share: shape


def diagnose(report):
    return chr(0xD800) * 1_000_000


def closed_share(h, threshold=0.99):
    return {chr(0xDFFF): chr(0xD800)}
