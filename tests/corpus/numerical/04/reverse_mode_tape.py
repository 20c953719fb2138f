# a look-alike
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
