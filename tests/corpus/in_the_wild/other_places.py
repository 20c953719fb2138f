# === called_with_a_part: The error is in a function that is right; the one that calls it takes one example only.
# lesson: 07
# split_loss: error | Your `gradients` fails here, and it is right by itself: how does `split_loss` call it?
# others: any

def split_loss(parameters, statistics, X, Y):
    return gradients(parameters, X[:1], Y[:1])[0]

# === slip_in_the_other_function: A row runs two functions, and the slip is in the one that has no wrong row.
# lesson: 13
# any_strides: failed | In your `split_heads`:
# others: any

def split_heads(x, heads):
    b, t, c = x.shape
    return torch.as_strided(x, (b, heads, t, c // heads), (t * c, c // heads, c, 1))
def merge_heads(y):
    return y.transpose(1, 2).flatten(2)

# === a_square_in_the_line_below: The derivative of the root is right, and the quotient below it is not.
# lesson: 01
# dbase: failed | One of two lines is wrong. In `2 * s`, a power is missing. With `2 * s ** 2`, your `dbase` is right.
#     Or: In `-ds / s`, a power is missing.
# others: any

def dbase(dpower, base):
    s = base.sqrt()
    ds = 1 / (2 * s)
    return dpower * (-ds / s)

# === sums_for_means: The factor is the product of two sizes.
# lesson: 17
# dphoto: failed | Your `dphoto` is exactly rows·columns times the gradient (here
# others: any

def dphoto(daverage, photo, rows, columns, stride):
    result = torch.zeros_like(photo)
    for i in range(daverage.shape[2]):
        for j in range(daverage.shape[3]):
            part = daverage[:, :, i : i + 1, j : j + 1]
            result[:, :, i * stride : i * stride + rows, j * stride : j * stride + columns] += part
    return result

# === doubt_is_no_claim: A gradient for which the checker cannot tell is not listed.
# lesson: 08
# wrong_gradients: failed | = `gradient_check` says None for `w`, and True for `b`: list `w`. Yours lists no name.

def wrong_gradients(f, parameters, gradients, eps=1e-5):
    def of(name):
        return lambda value: f({**parameters, name: value})

    given = [name for name in parameters if name in gradients]
    checked = {name: gradient_check(of(name), parameters[name], gradients[name], eps)[0] for name in given}
    return [name for name in parameters if checked.get(name, False) is False]
