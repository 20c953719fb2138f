# lesson: 19

# === ends_at_the_diagonal: The loop over keys ends before the tiles that the diagonal cuts.
# flash_forward: failed | `O` at [0, 0] is nan, not a finite number.
# any_tiles: failed
# memory, operations, precision: failed | = `flash_forward` is not right yet: start there. This row counts once its
#     values are right.

# instead of: k = K[left
k = K[left : left + columns]
if causal and left + len(k) > top:
    break

# === only_the_output: `flash_forward` forgets to return L: no row says that of `flash_backward`.
# flash_forward: shape | = `flash_forward` returned a tensor of shape (8, 5); expected a tuple of 2.
# any_tiles: shape | = `flash_forward` returned a tensor of shape (7, 5); expected a tuple of 2.
# memory, operations: failed | = `flash_forward` is not right yet: start there. This row counts once its values are right.
# precision: shape | = `flash_forward` returned a tensor of shape (48, 16), which is not what was expected.

# instead of: return O, L
return O
