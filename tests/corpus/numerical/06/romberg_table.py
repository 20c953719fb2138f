# differences: dbeta
def slope(f, v):
    g = []
    for i in range(v.numel()):
        table = []
        h = 0.1
        for row in range(6):
            step = torch.zeros_like(v)
            step[i] = h
            table.append([(f(v + step) - f(v - step)) / (2 * h)])
            for k in range(1, row + 1):
                table[row].append(table[row][k - 1] + (table[row][k - 1] - table[row - 1][k - 1]) / (4**k - 1))
            h = h / 2
        g.append(table[-1][-1])
    return torch.stack(g)
