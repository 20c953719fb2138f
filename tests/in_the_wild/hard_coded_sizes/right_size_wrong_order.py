"""The sizes are right, their order is not: `view` fills another shape, with the numbers in other places.

lesson: 03
as: notebook
demb: failed
"""
# instead of: cmp('emb',
demb = dembcat.view(32, 10, 3).permute(0, 2, 1)
