# lesson: 19

# === only_the_output: `flash_forward` forgets to return L: no row says that of `flash_backward`.
# flash_forward: shape | = `flash_forward` returned a tensor of shape (8, 5); expected a tuple of 2.
# any_tiles: shape | = `flash_forward` returned a tensor of shape (7, 5); expected a tuple of 2.
# memory, operations: failed | = `flash_forward` is not right yet. This row counts once its values are right.
# precision: shape | = `flash_forward` returned a tensor of shape (48, 16), which is not what was expected.

# instead of: return O, L
return O
