"""The bracket around the slope is missing.

lesson: 03
by: dojo
dhpreact: failed | = In `1 - h ** 2 * dh`, the multiplication by `dh` applies to `h ** 2` only, because it
    comes before `+` and `-`. Should it apply to both terms? With brackets around them, your `dhpreact` is right.
others: passed
"""

def dhpreact(dh, h):
    return 1 - h ** 2 * dh
