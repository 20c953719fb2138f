"""A bias's gradient as (1, 27), with the batch's axis kept.

lesson: 03
as: notebook
db2: passed | = The numbers are right. `db2` has shape (1, 27), `b2` has shape (27,). Lines that use it may broadcast it
    differently.
"""
# instead of: cmp('b2',
db2 = dlogits.sum(0, keepdim=True)
