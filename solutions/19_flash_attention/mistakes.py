"""Known mistakes of lesson 19, each with the message that its author gets."""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[add_tile]
- return largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V
sum_not_rescaled: return largest, l + weights.sum(1), acc * shrink[:, None] + weights @ V
    Your `l` adds sums that belong to different maxima. By what do you multiply the old sum when the maximum changes?
output_not_rescaled: return largest, l * shrink + weights.sum(1), acc + weights @ V
    Your `acc` adds rows that belong to different maxima. By what do you multiply the old one when the maximum changes?
normalised: l = l * shrink + weights.sum(1); return largest, l, (acc * shrink[:, None] + weights @ V) / l[:, None]
    Your `acc` is divided by the sum. Here it is a plain sum; the division comes after the last tile.

- shrink = torch.exp(m - largest)
other_direction: shrink = torch.exp(largest - m)
    The factor is the wrong way round. If the maximum grows, do the old terms become larger or smaller?

- largest = torch.maximum(m, scores.amax(1))
tile_maximum: largest = scores.amax(1)
    This is the maximum of the new tile. The maximum so far may be larger.
from_zero: largest = torch.maximum(m, scores.amax(1)).clamp(min=0)
    Your maximum is never below 0. If all scores are far below, every exponential vanishes.

- weights = torch.exp(scores - largest[:, None])
no_maximum: largest, shrink = torch.zeros_like(m), torch.ones_like(m); weights = torch.exp(scores)
    You take the exponential of the scores as they are. Large scores overflow: what do you subtract?

[flash_forward]
- L[top:bottom] = m + l.log()
only_the_sum: L[top:bottom] = l.log()
    The log-sum-exp contains the maximum: l is a sum of exp(score - m).
no_logarithm: L[top:bottom] = m + l
    `L` is the logarithm of a sum of exponentials. Where is the logarithm?

- O[top:bottom] = acc / l[:, None]
not_divided: O[top:bottom] = acc
    Your `O` is the weighted sum before the division. Weights add up to one.

- scores = q @ k.T / size**0.5
no_root: scores = q @ k.T
    The division by the root of the head's size is missing.
- scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), -torch.inf)
no_mask: pass
    With `causal`, your queries read keys that come after them within a tile. Some tiles are cut by the diagonal.
first_tile: scores = scores.masked_fill(~causal_tile(0, len(q), 0, len(k)), -torch.inf)
    Every tile gets the mask of the first one. Which positions do the rows and columns of this tile have?
zeros: scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), 0.0)
    A score of 0 still has a weight: exp(0) is 1. What is the score of a key that must get no weight?
strict: scores = scores.masked_fill(~causal_tile(top - 1, bottom - 1, left, left + len(k)), -torch.inf)
    A query may read its own position. Yours reads earlier ones only.

- for left in range(0, min(len(K), bottom) if causal else len(K), columns):
-     k = K[left : left + columns]
last_tile_lost:
        for left in range(0, max(columns, (min(len(K), bottom) if causal else len(K)) // columns * columns), columns):
            k = K[left : left + columns]
    The last tile of keys is missing when `columns` does not divide their number.
future_tiles:
        for left in range(0, len(K), columns):
            k = K[left : left + columns]
    You compute tiles that are entirely in the future.

- O, L = torch.empty_like(Q), Q.new_empty(queries)
whole_mask: O, L, past = torch.empty_like(Q), Q.new_empty(queries), torch.ones(queries, len(K), dtype=torch.bool).tril()
    You make a mask of all scores. Make the mask of one tile only.
half: O, L = torch.empty_like(Q), Q.new_empty(queries); Q, K, V = (t.half().to(t.dtype) for t in (Q, K, V))
    Your numbers are rounded to 16 bits on the way.

[correction]
- return (dO * O).sum(1)
mean: return (dO * O).mean(1)
    This is a mean over the features. `D` is a sum.
over_queries: return (dO * O).sum(0)
    This is summed over the queries. Each query has a number of its own.
keepdim: return (dO * O).sum(1, keepdim=True)
    `D` has one axis, that of the queries. Yours has a second one.

[tile_backward]
- P = torch.exp(scores - L[:, None])
softmax_of_tile: P = torch.softmax(scores, 1)
    You take the softmax over this tile alone. A row has other tiles as well, and `L` knows about them.
no_log_sum: P = torch.exp(scores)
    These are exponentials, not weights. What do you subtract from the scores so that
    the weights of a row add up to one?
- dS = P * (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
no_correction: dS = P * (dO @ v.T) / q.shape[1] ** 0.5
    `D` does not occur. A score also changes the sum that divides its row.
own_correction: dP = dO @ v.T; dS = P * (dP - (dP * P).sum(1, keepdim=True)) / q.shape[1] ** 0.5
    You compute the correction from this tile alone. It is a sum over all tiles of the row, which `D` contains.
plus: dS = P * (dO @ v.T + D[:, None]) / q.shape[1] ** 0.5
    The sign of `D`. Does a larger score make the sum of the row larger, and so the other weights smaller?
no_weights: dS = (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
    The weights are missing in dS. A score with a tiny weight has hardly any influence.
no_root: dS = P * (dO @ v.T - D[:, None])
    The division by the root of the head's size is missing.
- return dS @ k, dS.T @ q, P.T @ dO
swapped: return dS.T @ q, dS @ k, P.T @ dO
    The gradients of queries and keys have changed places.
- scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
mask_ignored: scores = q @ k.T / q.shape[1] ** 0.5
    The mask is not used. A key that a query may not read gets no gradient from it.
zeros: scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, 0.0)
    A score of 0 still has a weight. What is the score of a key that must get no weight?

[flash_backward]
- dQ[here] += dq
overwritten_queries: dQ[here] = dq
    A query is in many tiles. You keep the contribution of the last one only.
- dK[there] += dk
overwritten_keys: dK[there] = dk
    A key is in many tiles. You keep the contribution of the last one only.
- allowed = causal_tile(top, bottom, left, right)
mask_ignored: pass
    With `causal`, the keys of a tile on the diagonal get gradients from queries that may not read them.
transposed: allowed = torch.arange(left, right) >= torch.arange(top, bottom)[:, None]
    The mask is transposed: rows are queries, columns are keys.
- for left in range(0, min(len(K), bottom) if causal else len(K), columns):
-     right = min(left + columns, len(K))
future_tiles:
        for left in range(0, len(K), columns):
            right = min(left + columns, len(K))
    You compute tiles that are entirely in the future.
- allowed = torch.ones(bottom - top, right - left, dtype=torch.bool)
again:
        allowed = torch.ones(bottom - top, right - left, dtype=torch.bool)
        _, L = flash_forward(Q, K, V, causal, rows, columns)
    You go through all tiles again for every tile. `L` is known before the loops.
- return dQ, dK, dV
order: return dV, dK, dQ
    The order of the results is `dQ, dK, dV`.
- D = correction(dO, O)
from_upstream: D = dO.sum(1)
    `D` is not the sum of `dO`: what is it multiplied by?
all_scores: D = correction(dO, O); P = torch.exp(Q @ K.T / Q.shape[1] ** 0.5 - L[:, None])
    You hold all scores at the same time.
""")
