# differences: dexponent
def dexponent(dexponential, exponent):
    h = 1e-8
    return dexponential * ((exponent + h).exp() - exponent.exp()) / h
