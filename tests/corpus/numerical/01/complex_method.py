# complex numbers: dz
def dz(da, z):
    w = torch.view_as_complex(torch.stack([z, torch.full_like(z, 1e-20)], -1))
    return da * torch.view_as_real(w.tanh())[..., 1] * 1e20
