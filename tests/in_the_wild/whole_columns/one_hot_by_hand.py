"""A one-hot matrix made by hand, with whole columns.

lesson: 06
by: dojo
dW2: failed | = The value is wrong: the error is 2.8 of the gradient's size. Worst element [45, 2]: found
    -0.170784685, expected 0.0618925908. 17 of 27 columns are wrong: 1, 2, 8, 9, 10 ....
db2: failed | = The value is wrong: the error is 20 of the gradient's size. Worst element [25]: found -0.961610112,
    expected 0.00713988801. 17 of 27 elements are wrong, the first of them [1].
dgamma: failed | = The value is wrong: the error is 3.5 of the gradient's size. Worst element [41]: found
    -0.0813679976, expected 0.00675629643. It has little in common with the gradient (correlation 0.08).
dbeta: failed | = The value is wrong: the error is 18 of the gradient's size. Worst element [41]: found 0.690999989,
    expected 0.00571166. Typically it is 5.26 times the gradient (half of its elements between -6.56 and 22.1 times;
    correlation 0.48).
dW: failed | = The value is wrong: the error is 2.1 of the gradient's size. Worst element [14, 58]: found
    0.0964166302, expected -0.00263632708. It has little in common with the gradient (correlation 0.08).
demb: failed | = The value is wrong: the error is 2 of the gradient's size. Worst element [10, 2, 7]: found
    -0.0150288472, expected 0.00660058187. It has little in common with the gradient (correlation 0.10).
dC: failed | = The value is wrong: the error is 2.2 of the gradient's size. Worst element [9, 7]: found
    -0.0500937552, expected -0.010337924. 26 of 27 rows are wrong: 0, 1, 2, 3, 4 ....
others: passed
"""

def backward(emb, embcat, x, mean, var, xhat, out, h, logits, probs, C, W, b, gamma, beta, W2, b2, Xb, Yb, n, eps):
    dlogits = F.softmax(logits, 1)
    dlogits[:, Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = (1 - h**2) * dh
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    from_mean = dxhat.mean(0)
    from_variance = xhat * (dxhat * xhat).mean(0)
    dx = (dxhat - from_mean - from_variance) / torch.sqrt(var + eps)
    dW = embcat.T @ dx
    db = dx.sum(0)
    dembcat = dx @ W.T
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
    return dW2, db2, dgamma, dbeta, dW, db, demb, dC
