"""The third value of a comparison is not returned: both commands say `shape`.

lesson: 06
by: both
cmp, cmp_shapes: shape | `cmp` returned a tuple of 2
"""

def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False
    return bool((mine == reference).all()), torch.allclose(mine, reference)
