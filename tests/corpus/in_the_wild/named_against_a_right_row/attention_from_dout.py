"""The attention gets `dout`, not `dmid`; `dmid` itself is right.

lesson: 14
dmid: passed
dWo: failed | = The attention gets `dout` as its upstream gradient. Its output goes into `mid`: what comes back to `mid`?
dbias: failed | = The attention gets `dout` as its upstream gradient. Its output goes into `mid`: what comes back to `mid`?
others: any
"""


def backward(
    x,
    gain,
    Wq,
    Wk,
    Wv,
    Wo,
    gain2,
    W1,
    W2,
    keep1,
    keep2,
    dout,
    p,
    eps,
    rstd,
    xhat,
    normed,
    q,
    k,
    v,
    weights,
    context,
    mid,
    scaled,
    pre,
    act,
):
    B, T, C = x.shape
    # MLP branch
    dmlp = dropout_backward(dout, keep2, p)
    dW2 = (act.transpose(1, 2) @ dmlp).sum(0)
    db2 = dmlp.sum((0, 1))
    dact = dmlp @ W2.T
    dpre = gelu_backward(dact, pre)
    dW1 = (scaled.transpose(1, 2) @ dpre).sum(0)
    db1 = dpre.sum((0, 1))
    dscaled = dpre @ W1.T
    dmid_norm, dgain2 = rms_norm_backward(dscaled, mid, gain2, eps)
    dmid = dout + dmid_norm
    # attention branch
    dproj = dropout_backward(dout, keep1, p)
    dWo = (context.transpose(1, 2) @ dproj).sum(0)
    dcontext = dproj @ Wo.T
    dweights = dcontext @ v.transpose(1, 2)
    dv = weights.transpose(1, 2) @ dcontext
    dscores = weights * (dweights - (dweights * weights).sum(2, keepdim=True))
    scale = q.shape[2] ** -0.5
    dq = dscores @ k * scale
    dk = dscores.transpose(1, 2) @ q * scale
    dWq = (normed.transpose(1, 2) @ dq).sum(0)
    dWk = (normed.transpose(1, 2) @ dk).sum(0)
    dWv = (normed.transpose(1, 2) @ dv).sum(0)
    dnormed = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    dgain = (dnormed * xhat).sum((0, 1))
    dbias = dnormed.sum((0, 1))
    dxhat = dnormed * gain
    dx_norm = rstd / C * (C * dxhat - dxhat.sum(2, keepdim=True) - xhat * (dxhat * xhat).sum(2, keepdim=True))
    dx = dmid + dx_norm
    return dW2, db2, dW1, db1, dgain2, dmid, dWo, dWv, dWq, dWk, dgain, dbias, dx
