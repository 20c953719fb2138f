# differences: dW2
def dW2(dlogits, h, W2, b2):
    step, g = 1e-3, torch.zeros_like(W2)
    f = lambda M: (dlogits * (h @ M + b2)).sum()
    for i in range(W2.shape[0]):
        for j in range(W2.shape[1]):
            M = W2.clone()
            M[i, j] += step
            up = f(M)
            M[i, j] -= 2 * step
            g[i, j] = (up - f(M)) / (2 * step)
    return g
