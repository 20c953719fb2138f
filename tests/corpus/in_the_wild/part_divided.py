# === brackets_of_the_divisor: Brackets that are missing around what divides, or around what a function is applied to.
# lesson: 14
# by: both
# dropout_backward: failed | In `dout * keep / 1 - p`, brackets are missing: powers come first, then products and
#     quotients, then sums and differences. With brackets around the right part, `dropout_backward` is right.
# gelu_backward: failed | `torch.erf(x) / math.sqrt(2)` changes what `x` becomes, and not `x` itself. With
#     `math.sqrt(2)` inside of the function's brackets, `gelu_backward` is right.
# others: any

def dropout_backward(dout, keep, p):
    return dout * keep / 1 - p


def gelu_backward(dout, x):
    probability = 0.5 * (1 + torch.erf(x) / math.sqrt(2))
    return dout * (probability + x * torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi))

# === lecture_mean: Only the path through the mean is divided in the wrong place.
# lesson: 03
# by: dojo
# dhprebn: failed | = In `(dbndiff + dbnmeani) / n`, what stands before or after the brackets applies to both terms in
#     them. Applied to only one of the two, your `dhprebn` is right.

def dhprebn(dbndiff, dbnmeani, n):
    return (dbndiff + dbnmeani) / n

# === softmax_over_n: Only the softmax is divided.
# lesson: 02
# by: dojo
# dlogits: failed | = In `F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])`, a part is not divided by `N`.
#     Divided by it in the right place, your `dlogits` is right.

def dlogits(logits, Y, N):
    return F.softmax(logits, 1) / N - F.one_hot(Y, logits.shape[1])

# === whole_network: Only one part is divided, inside the whole backward pass.
# lesson: 06
# by: dojo
# dW2, db2, dgamma, dbeta, dW, demb, dC: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing:
#     powers come first, then products and quotients, then sums and differences. With brackets around the right part,
#     this gradient is right.
# db: failed | zeros are right without any work

# instead of: dlogits = F.softmax
dlogits = probs - F.one_hot(Yb, C.shape[0]) / n
# instead of: dlogits[torch.arange
# instead of: dlogits = dlogits / n
