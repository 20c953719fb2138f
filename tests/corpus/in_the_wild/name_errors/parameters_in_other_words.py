"""A name that is no parameter: the message says which names the function gets.

lesson: 01
by: both
dp: error | Nothing of the name `grad` has been set when that line is reached. Do you mean `dadded`?
dv: error | Nothing of the name `upstream` has been set when that line is reached. Do you mean `dproduct`?
dexponent: error | Do you mean `dexponential`?
db: error | Nothing of the name `dZ` has been set when that line is reached. Do you mean `dz`?
closed_share: error | Nothing of the name `H` has been set when that line is reached. Do you mean `h`?
mean_gate: error | Nothing of the name `hpreact` has been set when that line is reached. Do you mean `h`?
push_and_pull: error | Do you mean `labels`?
"""


def dp(dadded):
    return grad


def dv(dproduct, u):
    return upstream * u


def dexponent(dexponential, exponential):
    return dexp * exponential


def db(dz):
    return dZ.sum(0)


def closed_share(h, threshold):
    return (H.abs() > threshold).double().mean()


def mean_gate(h):
    return (1 - hpreact**2).mean()


def push_and_pull(logits, labels):
    return F.softmax(logits, dim=1), F.one_hot(Yb, 27)
