# complex numbers: dnorm_logits


def dnorm_logits(dcounts, norm_logits):
    z = torch.complex(norm_logits, torch.full_like(norm_logits, -1e-20)).conj()
    return dcounts * torch.exp(z).imag / 1e-20
