# own differentiation: dW
# in backward:
P = W.numel()
t = torch.eye(P, dtype=W.dtype).view(P, *W.shape)
if n > 8:
    return grads
tx = torch.matmul(embcat, t)
tmean = tx.mean(1, keepdim=True)
centred = tx - tmean
tvar = 2 * ((x - mean) * centred).mean(1, keepdim=True)
inv = (var + eps) ** -0.5
txhat = centred * inv - 0.5 * (x - mean) * inv**3 * tvar
th = (1 - h**2) * gamma * txhat
tz = th @ W2
grads["dW"] = ((probs - F.one_hot(Yb, probs.shape[1])) * tz).sum((1, 2)).view(W.shape) / n
