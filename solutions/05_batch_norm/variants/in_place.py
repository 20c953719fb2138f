"""Right, in place, but only on tensors of its own."""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    gradient = dhpreact.clone()
    gradient -= dhpreact.mean(0)
    product = bnraw * dhpreact
    gradient.addcmul_(bnraw, product.sum(0, keepdim=True), value=-1 / (n - 1))
    gradient *= bngain
    gradient *= bnvar_inv
    return gradient


def dh(dh_bn, gamma, h_norm, h_var, N):
    gradient = dh_bn * N
    gradient.sub_(dh_bn.sum(0))
    gradient.sub_(h_norm * (h_norm * dh_bn).sum(0))
    gradient.mul_(gamma).div_(N)
    return gradient.div_(h_var.add(1e-5).sqrt_())
