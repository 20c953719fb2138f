# === softmax_loss_by_differences: differences: dlogits in_one_go
def dlogits(logits, Yb, n):
    h, g = 1e-4, torch.zeros_like(logits)
    for i in range(logits.shape[0]):
        for j in range(logits.shape[1]):
            def at(k):
                moved = logits.clone()
                moved[i, j] += k * h
                return F.cross_entropy(moved, Yb)
            g[i, j] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    return g

# === softmax_loss_complex: complex numbers: dlogits in_one_go
def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient
