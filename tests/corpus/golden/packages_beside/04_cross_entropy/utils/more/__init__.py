def shifted(x):
    return x - x.max(1, keepdim=True).values
