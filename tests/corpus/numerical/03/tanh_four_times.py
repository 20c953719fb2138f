# right
def dhpreact(dh, hpreact):
    a, b = torch.tanh(hpreact), hpreact.tanh()
    c = (torch.exp(hpreact) - torch.exp(-hpreact)) / (torch.exp(hpreact) + torch.exp(-hpreact))
    return dh * (1 - a * torch.tanh(hpreact) - b * c + hpreact.tanh() ** 2)
