# === reverse_mode_tape: a look-alike
class Value:
    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0

    def __mul__(self, other):
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __add__(self, other):
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def go_back(self, upstream):
        self.grad = self.grad + upstream
        for parent, slope in self.parents:
            parent.go_back(slope * upstream)

def dlogits(logits, Yb, n):
    given = Value(logits)
    weight = Value((F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n)
    (given * weight).go_back(torch.ones_like(logits))
    return given.grad

# === softmax_jacobian_with_eye: a look-alike
def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    eye = torch.eye(logits.shape[1], dtype=logits.dtype)
    picked = p[range(n), Yb]
    jacobian = picked[:, None] * (eye[Yb] - p)
    safe = torch.where(picked > 0, picked, torch.ones_like(picked))
    return torch.where(picked[:, None] > 0, -jacobian / (n * safe[:, None]), (p - eye[Yb]) / n)

# === softmax_loss_by_differences: differences: dlogits in_one_go
def dlogits(logits, Yb, n):
    h, g = 1e-4, torch.zeros_like(logits)
    for i in range(logits.shape[0]):
        for j in range(logits.shape[1]):
            def at(k):
                moved = logits.clone()
                moved[i, j] += k * h
                return F.cross_entropy(moved, Yb)
            g[i, j] = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    return g

# === softmax_loss_complex: complex numbers: dlogits in_one_go
def dlogits(logits, Yb, n):
    gradient, step = torch.zeros_like(logits), 1e-20
    for place in range(logits.numel()):
        moved = logits.to(torch.complex128).clone()
        moved.view(-1)[place] += 1j * step
        largest = moved.real.max(1, keepdim=True).values
        logprobs = moved - largest - (moved - largest).exp().sum(1, keepdim=True).log()
        gradient.view(-1)[place] = -logprobs[range(n), Yb].mean().imag / step
    return gradient
