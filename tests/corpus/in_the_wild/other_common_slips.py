# === rows_without_columns: An index that picks rows only.
# lesson: 04
# by: both
# dlogits: error | `p[Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows and columns
#     together, so that each row is paired with its own entry, your `dlogits` is right.
# in_one_go: error

def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[Yb] -= 1
    return p / n

# === factor_of_a_function: A part lacks a tensor that the function is given.
# lesson: 14
# by: dojo
# gelu_backward: failed | The second term of the product rule keeps the other factor. By what is the density multiplied?
# others: any

def gelu_backward(dout, x):
    density, cdf = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi), (1 + torch.erf(x / math.sqrt(2))) / 2
    return dout * (cdf + density)

# === one_part_is_wrong: One of six results: what it is computed from is changed first.
# lesson: 16
# lstm_step_backward: failed | = In `dc * o`, look at `o`: another value belongs there. With it, `lstm_step_backward` is
#     right.
# others: any

def lstm_step_backward(dh, dc, i, f, g, o, c, c_before, h_before, x, Wx, Wh):
    tanh_c = torch.tanh(c)
    do = dh * tanh_c
    dc = dc + dh * o * (1 - tanh_c**2)
    di, df, dg = dc * g, dc * c_before, dc * i
    da = torch.cat((di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)), 1)
    return da @ Wx.T, da @ Wh.T, dc * o, x.T @ da, h_before.T @ da, da.sum(0)
