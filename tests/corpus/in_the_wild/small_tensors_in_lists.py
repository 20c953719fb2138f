# === tiles_in_a_list: A list that keeps the scores of every tile holds all scores, however small the tiles are.
# lesson: 19
# memory: failed | `flash_backward` took
# operations: any

# instead of: D = correction
D = correction(dO, O)
tiles = []
# instead of: here, there =
here, there = slice(top, bottom), slice(left, right)
tiles.append(Q[here] @ K[there].T)
