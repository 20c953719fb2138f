# own differentiation: dW2
# in backward:
g = torch.zeros_like(W2)
p = torch.softmax(h @ W2 + b2, 1) - F.one_hot(Yb, len(b2))
row = torch.cat([h, torch.zeros_like(h)], 1)
for i in range(W2.shape[0]):
    for j in range(W2.shape[1]):
        unit = torch.zeros_like(W2)
        unit[i, j] = 1
        block = torch.cat([torch.cat([W2, unit], 1), torch.cat([torch.zeros_like(W2), W2], 1)])
        g[i, j] = (p * (row @ block)[:, len(b2) :]).sum() / n
grads["dW2"] = g
