# right
def dW2(dlogits, h, W2):
    g, zero, row = torch.zeros_like(W2), torch.zeros_like(W2), torch.cat([h, torch.zeros_like(h)], 1)
    for place in ((i, j) for i in range(W2.shape[0]) for j in range(W2.shape[1])):
        unit = torch.zeros_like(W2)
        unit[place] = 1
        both = row @ torch.cat([torch.cat([100 * W2, unit], 1), torch.cat([zero, 100 * W2], 1)])
        g[place] = (dlogits * both[:, W2.shape[1] :]).sum()
    return g
