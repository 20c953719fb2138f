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

# === ring_of_three: Three gradients are returned in another order. What two of them are computed from is right: it
#     has their factor.
# lesson: 14
# dWv: failed | = Your `dWv` is exactly the gradient of `Wq`, your `dWq` that of `Wk`, and your `dWk` that of `Wv`:
#     they have changed places.
# dWq: failed | they have changed places
# dWk: failed | they have changed places
# dx: failed | In `(dxhat * xhat).sum(2, keepdim=True)`, a mean and a sum are confused

def backward(
    gain, Wq, Wk, Wv, Wo, gain2, W1, W2, keep1, keep2, dout, p, eps, rstd, xhat, normed, q, k, v, weights, context, mid,
    scaled, pre, act,
):  # fmt: skip
    dmlp = dropout_backward(dout, keep2, p)
    dW2, db2 = (act.mT @ dmlp).sum(0), dmlp.sum((0, 1))
    dpre = gelu_backward(dmlp @ W2.T, pre)
    dW1, db1 = (scaled.mT @ dpre).sum(0), dpre.sum((0, 1))
    dmid, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid = dmid + dout
    dprojected = dropout_backward(dmid, keep1, p)
    dWo = (context.mT @ dprojected).sum(0)
    dcontext = dprojected @ Wo.T
    dweights = dcontext @ v.mT
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True)) / q.shape[2] ** 0.5
    dq, dk, dv = dscores @ k, dscores.mT @ q, weights.mT @ dcontext
    dWq, dWk, dWv = ((normed.mT @ each).sum(0) for each in (dq, dk, dv))
    dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    dgain, dbias = (dnormed * xhat).sum((0, 1)), dnormed.sum((0, 1))
    dxhat = dnormed * gain
    dx = rstd * (dxhat - dxhat.mean(2, keepdim=True) - xhat * (dxhat * xhat).sum(2, keepdim=True)) + dmid
    return dW2, db2, dW1, db1, dgain2, dmid, dWo, dWq, dWk, dWv, dgain, dbias, dx
