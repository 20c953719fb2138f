# complex numbers: dnorm_logits
def dnorm_logits(dcounts, norm_logits):
    return dcounts * (norm_logits + 1e-20j).exp().imag / 1e-20
