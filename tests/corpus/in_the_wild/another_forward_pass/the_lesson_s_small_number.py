"""The forward pass adds the lesson's number, and the way back another one: there the message is about the way back.

lesson: 03
as: notebook
dbnvar: failed | = The small number 1e-6 in `bnvar + 1e-6` is not the right one. With another one, your `dbnvar`
    is right.
"""

# instead of: dbnvar =
dbnvar = (-0.5*(bnvar + 1e-6)**-1.5) * dbnvar_inv
