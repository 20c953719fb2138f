# own differentiation: dgamma
from collections import namedtuple
Jet = namedtuple("Jet", "v d")

def times(a, b):
    value = a.v * b.v
    slope = a.v * b.d + b.v * a.d
    return Jet(value, slope)

def through_tanh(a):
    y = torch.tanh(a.v)
    return Jet(y, a.d - a.d * y * y)

# in backward:
out = torch.zeros_like(gamma)
for k in range(gamma.numel()):
    unit = torch.zeros_like(gamma)
    unit[k] = 1.0
    pre = times(Jet(gamma, unit), Jet(xhat, torch.zeros_like(xhat)))
    act = through_tanh(Jet(pre.v + beta, pre.d))
    logit = Jet(act.v @ W2 + b2, act.d @ W2)
    out[k] = ((torch.softmax(logit.v, 1) - F.one_hot(Yb, logit.v.shape[1])) * logit.d).sum() / n
grads["dgamma"] = out
