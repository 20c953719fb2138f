# === axis_of_another_layout: A sum over axis 0 of a value that has time first: the forward pass has the examples
#     first, so it is their axis 1.
# lesson: 16
# dbo: shape | `bo` (11,) is broadcast to (4, 6, 11) in `logits`, and of these axes you sum over axis 1 only.
# others: any

def gradients(parameters, X, Y):
    C, h0, Wx, Wh, b, Wo, bo = (parameters[name] for name in ("C", "h0", "Wx", "Wh", "b", "Wo", "bo"))
    h = rnn(C[X].transpose(0, 1), h0.expand(len(X), -1), Wx, Wh, b)
    logits, Y = h[1:] @ Wo + bo, Y.T
    dlogits = torch.zeros_like(logits)
    dlogits[Y >= 0] = (F.softmax(logits[Y >= 0], 1) - F.one_hot(Y[Y >= 0], len(bo))) / (Y >= 0).sum()
    return F.cross_entropy(logits[Y >= 0], Y[Y >= 0]), {**dict.fromkeys(parameters), "bo": dlogits.sum(0)}

# === half_precision: Computed in half precision.
# lesson: 11
# dx: failed | = `(dy * scale).to(torch.float16)` rounds. Without the rounding, your `dx` is right.

def dx(dy, scale, xhat, rstd):
    g = (dy * scale).to(torch.float16)
    return rstd * (g - g.mean(-1, keepdim=True) - xhat * (g * xhat).mean(-1, keepdim=True))

# === method_misspelled: A method's name is misspelled.
# lesson: 03
# db1: error | = AttributeError: 'Tensor' object has no attribute 'sums'. Do you mean `.sum`?

def db1(dhprebn):
    return dhprebn.sums(0)

# === on_a_gpu: Moves a tensor to a GPU.
# lesson: 11
# dbias: error | The grader has no GPU. Leave out `.cuda()`

def dbias(dout):
    return dout.cuda().sum((0, 1))

# === sum_without_its_factor: A sum lacks a factor.
# lesson: 05
# dh: failed | = In `dh_bn.sum(0)`, a part lacks the factor `h_norm`. With it, your `dh` is right. What is the local
#     derivative of the forward line?

def dh(dh_bn, gamma, h_norm, h_var, N):
    return gamma / (h_var + 1e-5).sqrt() / N * (N * dh_bn - dh_bn.sum(0) - h_norm * dh_bn.sum(0))
