# === a_name_with_the_factor_of_the_next_line: `dscores` has the factor of the line of `scores` already. `dWq` and
#     `dWk` are right, so it is not what is wrong.
# lesson: 14
# by: both
# dgain, dbias: failed | = In `(dq @ Wq.T + dk @ Wk.T + dv @ Wv.T) / 3`, `3` does not belong there. Without it, this
#     gradient is right.
# dx: failed | your `backward` is right. `dnormed` is wrong, and `dx` is computed from it. Your `dnormed` is exactly
#     0.3333333 times

def backward(dout, keep1, keep2, p, act, pre, scaled, W1, W2, mid, gain2, eps, context, Wo, weights, q, k, v, normed, Wq, Wk, Wv, xhat, rstd, gain, x):
    dmlp = dropout_backward(dout, keep2, p)
    dW2 = torch.einsum("bti,btj->ij", act, dmlp)
    db2 = dmlp.sum((0, 1))
    dpre = gelu_backward(dmlp @ W2.T, pre)
    dW1 = torch.einsum("bti,btj->ij", scaled, dpre)
    db1 = dpre.sum((0, 1))
    dmid, dgain2 = rms_norm_backward(dpre @ W1.T, mid, gain2, eps)
    dmid = dmid + dout
    da = dropout_backward(dmid, keep1, p)
    dWo = torch.einsum("bti,btj->ij", context, da)
    dcontext = da @ Wo.T
    dweights = dcontext @ v.mT
    dv = weights.mT @ dcontext
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True)) / math.sqrt(q.shape[-1])
    dq = dscores @ k
    dk = dscores.mT @ q
    dWq = torch.einsum("bti,btj->ij", normed, dq)
    dWk = torch.einsum("bti,btj->ij", normed, dk)
    dWv = torch.einsum("bti,btj->ij", normed, dv)
    dnormed = (dq @ Wq.T + dk @ Wk.T + dv @ Wv.T) / 3
    dgain = (dnormed * xhat).sum((0, 1))
    dbias = dnormed.sum((0, 1))
    dxhat = dnormed * gain
    var = x.var(2, keepdim=True)
    r = (var + eps) ** -0.5
    dx = r * (dxhat - dxhat.mean(2, keepdim=True) - xhat * (dxhat * xhat).mean(2, keepdim=True)) + dmid
    return dW2, db2, dW1, db1, dgain2, dmid, dWo, dWv, dWq, dWk, dgain, dbias, dx

# === one_name_for_all: Two slips above the first gradient with a name, which is wrong and not the cause.
# lesson: 06
# dW, demb, dC: failed | The value is wrong: the error is
# others: any

# instead of: dlogits = F.softmax
g = F.softmax(logits, 0) * n
# instead of: dlogits[torch.arange(n), Yb]
# instead of: dlogits = dlogits / n
# instead of: dW2 = h.T
dW2 = h.T @ g
# instead of: db2 = dlogits
db2 = g.sum(0)
# instead of: dh = dlogits
g = g @ W2.T
# instead of: dout = (1 - h**2)
g = (1 - h**2) * g
# instead of: dgamma = (dout
dgamma = (g * xhat).sum(0)
# instead of: dbeta = dout
dbeta = g.sum(0)
# instead of: dxhat = dout
dxhat = g * gamma
