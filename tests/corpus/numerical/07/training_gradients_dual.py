# own differentiation: dbngain
class D:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __mul__(self, o):
        return D(self.a * o.a, self.a * o.b + self.b * o.a)

def gradients(parameters, Xb, Yb):
    loss, (dC, dW1, db1, dW2, db2, _, dbnbias) = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    result = torch.zeros_like(bngain)
    for j in range(bngain.shape[1]):
        seed = torch.zeros_like(bngain)
        seed[0, j] = 1
        out = D(bngain, seed) * D(raw, torch.zeros_like(raw))
        h = torch.tanh(out.a + bnbias)
        z, t = h @ W2 + b2, ((1 - h**2) * out.b) @ W2
        p = F.softmax(z, 1)
        result[0, j] = ((p - F.one_hot(Yb, p.shape[1])) * t).sum() / len(Yb)
    return loss, [dC, dW1, db1, dW2, db2, result, dbnbias]
