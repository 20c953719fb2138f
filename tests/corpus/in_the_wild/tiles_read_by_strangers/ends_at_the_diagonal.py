"""The loop over keys ends before the tiles that the diagonal cuts.

lesson: 19
flash_forward: failed | = `break` ends the whole loop: rounds that `flash_forward` needs are left out. With the
    loop going on, `flash_forward` is right.
any_tiles: failed
memory, operations, precision: failed | = `flash_forward` is not right yet. This row counts once its values are right.
"""

# instead of: k = K[left
k = K[left : left + columns]
if causal and left + len(k) > top:
    break
