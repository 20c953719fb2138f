"""The exponent comes down but is not lowered.

lesson: 01
by: dojo
dbase: failed | = The exponent -0.5 in `dpower * -0.5 * base ** -0.5` is not the right one. With another one,
    your `dbase` is right.
"""

def dbase(dpower, base):
    return dpower * -0.5 * base ** -0.5
