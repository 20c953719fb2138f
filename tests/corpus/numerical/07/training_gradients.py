# differences: dbnbias trajectory resumed no_grad
def network(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    z = torch.tanh(bngain * raw + bnbias) @ W2 + b2
    return F.cross_entropy(z, Yb)

def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, dbngain, dbnbias) = by_hand(parameters, Xb, Yb)
    old, h = parameters[6], 1e-5
    dbnbias = torch.zeros_like(old)
    for j in range(old.shape[1]):
        e = torch.zeros_like(old)
        e[0, j] = h
        plus = network([*parameters[:6], old + e], Xb, Yb)
        minus = network([*parameters[:6], old - e], Xb, Yb)
        dbnbias[0, j] = (plus - minus) / (2 * h)
    return loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
