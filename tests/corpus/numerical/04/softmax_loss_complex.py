# complex numbers: dlogits in_one_go
def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient
