"""Summed over the other axis: 32 numbers where 64 belong is more than an axis of length one.

lesson: 03
as: notebook
dbnvar_inv: shape
"""
# instead of: dbnvar_inv =
dbnvar_inv = (bndiff * dbnraw).sum(1)
