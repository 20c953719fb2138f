# own differentiation: dW2
from dataclasses import dataclass

@dataclass
class Pair:
    re: torch.Tensor
    du: torch.Tensor

    def __matmul__(self, o):
        return Pair(self.re @ o.re, self.du @ o.re + self.re @ o.du)

    def plus(self, o):
        return Pair(self.re + o, self.du)

# in backward:
g = torch.zeros_like(W2)
if n > 8:
    return grads
for i in range(W2.shape[0]):
    for j in range(W2.shape[1]):
        e = torch.zeros_like(W2)
        e[i, j] = 1
        z = (Pair(h, torch.zeros_like(h)) @ Pair(W2, e)).plus(b2)
        g[i, j] = ((z.re.softmax(1) - F.one_hot(Yb, b2.numel())) * z.du).sum() / n
grads["dW2"] = g
