"""A sum by einsum loses the axis.

lesson: 03
by: dojo
dbnvar_inv: shape | = The numbers are right, the shape is not: (64,) where `bnvar_inv` is (1, 64); sum with
    `keepdim=True`. Broadcasting hides this in a comparison, and hurts later.
others: passed
"""

def dbnvar_inv(dbnraw, bndiff):
    return torch.einsum('ij,ij->j', bndiff, dbnraw)
