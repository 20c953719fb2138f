# differences, not seen: dcolumn
def dcolumn(dscaled, matrix, column):
    one = torch.ones_like(column)
    scaled = lambda c: matrix * c
    return (dscaled * (scaled(column + one) - scaled(column - one)) / 2).sum(1, keepdim=True)
