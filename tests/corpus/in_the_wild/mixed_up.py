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
