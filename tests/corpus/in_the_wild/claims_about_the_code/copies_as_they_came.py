"""A gradient is passed on as it came, where the forward line made copies; only its shape tells.

lesson: 13
dvh: shape | = You return `dvalues` as it came: its shape is (3, 4, 5, 7), and that of `vh` is (3, 2, 5, 7). What makes
    `values` out of `vh`?
others: passed
"""

def dvh(dvalues):
    return dvalues
