"""One term of the batch norm alone, softmax alone, and a sum that stands before the product.

lesson: 02
dh: shape | = The shape is (8,); expected (6, 8), the shape of the value itself.
dlogits: failed | Adding the same number to a whole row of `logits` changes nothing
dgamma: shape | = `dh_bn.sum(0) * h_norm` takes the sum of `dh_bn` alone and multiplies afterwards. Multiplied
    first, your `dgamma` is right.
others: passed
"""

def dh(dh_norm, h_var):
    return -dh_norm.mean(0) / (h_var + 1e-5).sqrt()


def dlogits(logits):
    return logits.softmax(1)


def dgamma(dh_bn, h_norm):
    return dh_bn.sum(0) * h_norm
