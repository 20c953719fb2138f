"""A sum by einsum loses the axis.

lesson: 03
by: dojo
dbnvar_inv: shape | = The shape is (64,); expected (1, 64), the shape of the value itself.
"""

def dbnvar_inv(dbnraw, bndiff):
    return torch.einsum('ij,ij->j', bndiff, dbnraw)
