# complex numbers: db2 trajectory resumed no_grad
def gradients(parameters, Xb, Yb):
    loss, grads = by_hand(parameters, Xb, Yb)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    pre = C[Xb].view(len(Xb), -1) @ W1 + b1
    d = pre - pre.mean(0, keepdim=True)
    h = torch.tanh(bngain * d * ((d**2).sum(0, keepdim=True) / (len(Xb) - 1) + 1e-5) ** -0.5 + bnbias)
    db2 = torch.zeros_like(b2)
    for j in range(len(b2)):
        b = b2 + 0j
        b[j] = b[j] + 1e-20j
        z = h @ W2 + b
        db2[j] = ((z.exp().sum(1).log() - z[range(len(Yb)), Yb]).mean().imag / 1e-20).to(b2.dtype)
    return loss, [grads[0], grads[1], grads[2], grads[3], db2, grads[5], grads[6]]
