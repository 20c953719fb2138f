# right
def dhpreact(dh, hpreact):
    rows = []
    for i in range(len(dh)):
        t = torch.tanh(hpreact[i])
        rows.append(dh[i] * (1 - t * t))
    return torch.stack(rows)
