"""Another small number stands outside of the power: the two slopes differ in their fifth digit, and the message shows it.

lesson: 03
dbnvar: failed | = Change two things, and your `dbnvar` is right: `bnvar` in `bnvar**-1.5`,
    and the term `2e-5` in `bnvar**-1.5 + 2e-5`.
others: passed
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * (bnvar**-1.5 + 2e-5) * dbnvar_inv
