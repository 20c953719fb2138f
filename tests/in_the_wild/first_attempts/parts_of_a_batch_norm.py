"""One term of the batch norm alone, softmax alone, and a sum that stands before the product.

lesson: 02
dh: shape | = The shape is (8,); expected (6, 8), the shape of the value itself.
dlogits: failed | = The value is wrong: the error is 5 of the gradient's size. Worst element [0, 0]: found 0.97857037,
    expected -0.00357160495.
dgamma: shape | = `dh_bn.sum(0) * h_norm` takes the sum of `dh_bn` alone and multiplies afterwards. Multiply first, then
    take the sum: so your `dgamma` is right.
others: passed
"""

def dh(dh_norm, h_var):
    return -dh_norm.mean(0) / (h_var + 1e-5).sqrt()


def dlogits(logits):
    return logits.softmax(1)


def dgamma(dh_bn, h_norm):
    return dh_bn.sum(0) * h_norm
