# === of_the_forward_exponent: The slope of the variance with the fraction written out, twice.
# lesson: 05
# dvar: failed | = In `(dxhat * (x - mean)).sum(0) * -1/2 * (var + 1e-5) ** -3/2`, brackets are missing: powers come
#     first, then products and quotients, then sums and differences. With brackets around the right part, your `dvar`
#     is right.

def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean)).sum(0) * -1/2 * (var + 1e-5) ** -3/2
