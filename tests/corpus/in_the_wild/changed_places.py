# === another_row_alone: The gradient of the bias is returned for the gain; the bias is right.
# lesson: 05
# by: dojo
# dscale: failed | = Your `dscale` is exactly the gradient of `shift`. Read the forward line that uses `scale` again:
#     what is done with it there?

def dscale(dout):
    return dout.sum(0)

# === bias_of_zeros_and_weights: The gradients of the weights and of the bias have changed places; that of the bias is
#     zero.
# lesson: 06
# by: both
# dW: shape | = Your `dW` is exactly the gradient of `b`, and your `db` that of `W`: the two have changed places.
# db: shape | = Your `db` is exactly the gradient of `W`, and your `dW` that of `b`: the two have changed places.

def backward(Xb, Yb, n, eps, C, W, gamma, W2, emb, embcat, var, xhat, h, probs):
    dlogits = probs.clone()
    dlogits[range(n), Yb] -= 1
    dlogits = dlogits / n
    dout = dlogits @ W2.T * (1 - h**2)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / torch.sqrt(var + eps)
    demb = (dx @ W.T).view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    return h.T @ dlogits, dlogits.sum(0), (dout * xhat).sum(0), dout.sum(0), dx.sum(0), embcat.T @ dx, demb, dC
