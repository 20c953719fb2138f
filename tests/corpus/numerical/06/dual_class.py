# own differentiation: dgamma
class Dual:
    def __init__(self, value, dot):
        self.value, self.dot = value, dot

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value + other.value, self.dot + other.dot)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value * other.value, self.dot * other.value + self.value * other.dot)

    def __matmul__(self, matrix):
        return Dual(self.value @ matrix, self.dot @ matrix)

    def tanh(self):
        t = torch.tanh(self.value)
        return Dual(t, (1 - t * t) * self.dot)

# in backward:
g = torch.zeros_like(gamma)
for i in range(len(gamma)):
    seed = torch.zeros_like(gamma)
    seed[i] = 1
    z = (Dual(gamma, seed) * xhat + beta).tanh() @ W2 + b2
    p = torch.softmax(z.value, 1)
    g[i] = ((p - F.one_hot(Yb, p.shape[1])) * z.dot).sum() / n
grads["dgamma"] = g
