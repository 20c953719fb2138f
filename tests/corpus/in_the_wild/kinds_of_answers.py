# === list_for_dict: A comparison that returns a list without names.
# lesson: 06
# compare_all: shape | expected a tuple of 2 (True or False, a dict).

def compare_all(gradients, references, atol=1e-5):
    matches = []
    for name, reference in references.items():
        mine = gradients.get(name)
        matches.append(mine is not None and mine.shape == reference.shape and torch.allclose(mine, reference, atol=atol))
    return all(matches), matches

# === numbers_for_truth_values: Ones and zeros where the docstring asks for True and False.
# lesson: 01
# by: both
# nonzero_places: shape | The result holds numbers (int64); expected True and False (bool).

def nonzero_places(labels, classes):
    return F.one_hot(labels, classes)

# === two_of_three_gradients: A tuple that lacks the last gradient.
# lesson: 01
# by: both
# backward: shape | The result is a tuple of 2; expected 3 values: dW, db, dx.

def backward(x, W, b, a, z):
    dz = 1 - a**2
    return x.T @ dz, dz.sum(0)

# === two_of_three_values: The third value of a comparison is not returned: both commands say `shape`.
# lesson: 06
# by: both
# cmp, cmp_shapes: shape | `cmp` returned a tuple of 2

def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False
    return bool((mine == reference).all()), torch.allclose(mine, reference)
