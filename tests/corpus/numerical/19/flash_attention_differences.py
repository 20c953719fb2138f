# differences: flash_backward any_tiles memory operations precision
def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    def loss(*tensors):
        return (flash_forward(*tensors, causal, rows, columns)[0] * dO).sum()

    found = []
    for number, tensor in enumerate((Q, K, V)):
        slope = torch.zeros_like(tensor)
        for at in range(tensor.numel()):
            above, below = [[each.clone() for each in (Q, K, V)] for _ in range(2)]
            above[number].view(-1)[at] += 1e-5
            below[number].view(-1)[at] -= 1e-5
            slope.view(-1)[at] = (loss(*above) - loss(*below)) / 2e-5
        found.append(slope)
    return tuple(found)
