# own differentiation: dgamma
def times(p, q):
    return {"value": p["value"] * q["value"], "dot": p["value"] * q["dot"] + q["value"] * p["dot"]}

# in backward:
g = torch.zeros_like(gamma)
for i in range(len(gamma)):
    e = torch.zeros_like(gamma)
    e[i] = 1
    pre = times({"value": gamma, "dot": e}, {"value": xhat, "dot": torch.zeros_like(xhat)})
    act = torch.tanh(pre["value"] + beta)
    dz = ((1 - act**2) * pre["dot"]) @ W2
    g[i] = ((probs - F.one_hot(Yb, probs.shape[1])) * dz).sum() / n
grads["dgamma"] = g
