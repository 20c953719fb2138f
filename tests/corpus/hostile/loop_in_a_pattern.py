"""A regular expression that tries 2^40 ways."""
# group: time
# rows: timeout
# unlocked: safe

import re


def dlogits(logits):
    return re.match("(a|a?)+$", "a" * 40 + "b")
