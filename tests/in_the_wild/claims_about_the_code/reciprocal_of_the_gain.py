"""Multiplied by one over the gain: no division sign, and still divided.

lesson: 03
by: dojo
dbnraw: failed | = You write `bngain.reciprocal()`. With `bngain` itself in that place, your `dbnraw` is right: the
    `reciprocal` is one too many. At which value is the derivative of the forward line taken?
others: passed
"""

def dbnraw(dhpreact, bngain):
    return dhpreact * bngain.reciprocal()
