"""A mean where the largest belongs: a sum would give what one of the function's two checks wants, and not the other.

lesson: 06
by: grade
cmp: failed | = `cmp of tensors with one element larger by 0.0004 %.maxdiff` is 5.81125134e-07; expected
    6.9735016e-06.
cmp_shapes: failed | = `cmp of wrong tensors of shape (3, 1).maxdiff` is 0.1; expected 0.3.
others: any
"""

def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False, float("inf")
    exact = bool((mine == reference).all())
    return exact, torch.allclose(mine, reference), (mine - reference).abs().mean().item()
