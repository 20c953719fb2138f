# a look-alike
EPS = 1e-5

def dbnvar(dbnvar_inv, bnvar):
    variance = bnvar + EPS
    deviation = variance**0.5
    return -0.5 * dbnvar_inv / (deviation * variance)

def dbnraw(dhpreact, bngain):
    scale = 0.5
    return dhpreact * bngain * scale / 0.5

def dbndiff(dbnraw, dbndiff2, bndiff, bnvar):
    h = (bnvar + EPS) ** -0.5
    return dbnraw * h + 2 * bndiff * dbndiff2
