# differences: trajectory resumed no_grad
def slopes_of(parameters, Xb, Yb, h=1e-4):
    found = []
    for p in parameters:
        out = torch.zeros_like(p)
        for j in range(p.numel()):
            old = p.view(-1)[j].item()
            values = []
            for k in (1, -1):
                p.view(-1)[j] = old + k * h
                values.append(network(parameters, Xb, Yb))
            p.view(-1)[j] = old
            out.view(-1)[j] = (values[0] - values[1]) / (2 * h)
        found.append(out)
    return found

def network(parameters, Xb, Yb):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    raw = d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5
    return F.cross_entropy(torch.tanh(bngain * raw + bnbias) @ W2 + b2, Yb)

@torch.no_grad()
def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    for step, ix in enumerate(batches, start):
        losses.append(network(parameters, X[ix], Y[ix]).item())
        update(parameters, slopes_of(parameters, X[ix], Y[ix]), learning_rate(step, max_steps))
    return losses
