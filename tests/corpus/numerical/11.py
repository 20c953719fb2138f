# === layer_norm_variance: differences: dvar
def dvar(dinv_std, var):
    def f(v):
        return (v + 1e-5) ** -0.5
    h = var * 1e-3
    fourth = lambda s: (8 * (f(var + s) - f(var - s)) - f(var + 2 * s) + f(var - 2 * s)) / (12 * s)
    return dinv_std * (16 * fourth(h / 2) - fourth(h)) / 15
