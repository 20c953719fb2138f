# lesson: 01
# by: both

# === that_would_be_needed: A threshold of the student's own, for the one that is given; and another name for an
#     input.
# closed_share: failed | expected
# backward: error | TypeError: backward() takes 3 positional arguments but 5 were given

def closed_share(h):
    return (h.abs() > 0.9).float().mean()


def backward(inputs, W, a):
    dz = 1 - a**2
    return inputs.T @ dz, dz.sum(0), dz @ W.T
