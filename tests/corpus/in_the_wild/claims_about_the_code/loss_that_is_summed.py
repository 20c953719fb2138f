"""`dlogits` is not divided by n: the sums that come after it are right, and no mean belongs there.

lesson: 07
by: dojo
db2: failed | `dlogits` is wrong, and `db2` is computed from it.
others: any
"""

# instead of: dlogits /= n
