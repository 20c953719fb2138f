# complex numbers: trajectory resumed no_grad
def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    with torch.no_grad():
        for step, ix in enumerate(batches, start):
            rate = learning_rate(step, max_steps)
            for i, p in enumerate(parameters):
                moved = [q + 0j for q in parameters]
                for j in range(p.numel()):
                    moved[i].view(-1)[j] += 1e-20j
                    C, W1, b1, W2, b2, bngain, bnbias = moved
                    pre = C[X[ix]].view(len(ix), -1) @ W1 + b1
                    d = pre - pre.mean(0, keepdim=True)
                    h = torch.tanh(bngain * d * ((d**2).sum(0, keepdim=True) / (len(ix) - 1) + 1e-5) ** -0.5 + bnbias)
                    z = h @ W2 + b2
                    loss = (z.exp().sum(1).log() - z[range(len(ix)), Y[ix]]).mean()
                    p.view(-1)[j] -= rate * loss.imag / 1e-20
                    moved[i].view(-1)[j] -= 1e-20j
            losses.append(float(loss.real))
    return losses
