# own differentiation: dhpreact
class Matrix:
    """[[v, d], [0, v]]: the product of two is the product rule."""

    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def of(cls, value, slope):
        return cls(torch.stack([value, slope, torch.zeros_like(value), value], -1).view(*value.shape, 2, 2))

    def __matmul__(self, other):
        return Matrix(self.rows @ other.rows)

    def tanh(self):
        up = torch.linalg.matrix_exp(self.rows)
        down = torch.linalg.inv(up)
        return Matrix((up - down) @ torch.linalg.inv(up + down))

def dhpreact(dh, hpreact):
    return dh * Matrix.of(hpreact, torch.ones_like(hpreact)).tanh().rows[..., 0, 1]
