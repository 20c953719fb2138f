# differences: dbeta
import operator

def slope(f, v):
    h, g = 1e-3, []
    for e in torch.eye(v.numel(), dtype=v.dtype):
        first = operator.sub(f(torch.add(v, e, alpha=h)), f(torch.sub(v, e, alpha=h)))
        second = operator.sub(f(torch.add(v, e, alpha=2 * h)), f(torch.sub(v, e, alpha=2 * h)))
        g.append(operator.truediv(operator.sub(operator.mul(8, first), second), 12 * h))
    return torch.stack(g)
