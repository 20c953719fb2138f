"""The bracket around the slope is missing.

lesson: 03
by: dojo
dhpreact: failed | = In `1 - h ** 2 * dh`, brackets are missing: powers come first, then products and quotients,
    then sums and differences. With brackets around the right part, your `dhpreact` is right.
"""

def dhpreact(dh, h):
    return 1 - h ** 2 * dh
