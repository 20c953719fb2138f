# === twice_the_padding: A two that is no size: what is wrong is the end of a slice, without padding.
# lesson: 17
# by: dojo
# dX: shape | Without padding, a slice that ends at `-padding` ends at -0, so it is empty.
# never_read: failed | = `dX` is not right yet for an image whose last rows no window reads. Its public example:
#     exercises/17_convolution/examples.py:22

def dX(dY, X, W, stride, padding):
    P = torch.zeros(X.shape[0], X.shape[1], X.shape[2] + 2 * padding, X.shape[3] + 2 * padding)
    for i in range(dY.shape[2]):
        for j in range(dY.shape[3]):
            P[:, :, i * stride:i * stride + W.shape[2], j * stride:j * stride + W.shape[3]] += torch.einsum("nf,fcab->ncab", dY[:, :, i, j], W)
    return P[:, :, padding:-padding, padding:-padding]

# === two_globals: Two globals in one line.
# lesson: 06
# by: dojo
# dW2, db2, dgamma, dbeta, dW, db, demb, dC: error | = This gradient is right at the sizes in README.md and wrong at
#     others (batch 7, block 2, vocabulary 9, embedding 5, hidden 8). Is a number a size there? In line 113,
#     `BATCH = 32`, 32 equals `n`. Take it from what you are given.

BATCH, CLASSES = 32, 27

# instead of: dlogits = F.softmax
dlogits = (probs - F.one_hot(Yb, CLASSES)) / BATCH
# instead of: dlogits[torch.arange
# instead of: dlogits = dlogits / n

# === wrong_and_a_size_as_a_number: A number for the classes, and the mean is forgotten: the number is what the error
#     is about.
# lesson: 02
# by: both
# dlogits: error | `dlogits` runs at the sizes in README.md and raises an error at others

def dlogits(logits, Y):
    return F.softmax(logits, 1) - F.one_hot(Y, 5)
