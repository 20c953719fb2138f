"""Known mistakes of lesson 19, each with the message that its author gets."""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[add_tile]
- return largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V
sum_not_rescaled: return largest, l + weights.sum(1), acc * shrink[:, None] + weights @ V
    Your `l` adds sums that belong to different maxima. By what do you multiply the old sum when the maximum changes?
output_not_rescaled: return largest, l * shrink + weights.sum(1), acc + weights @ V
    Your `acc` adds rows that belong to different maxima. By what do you multiply the old one when the maximum changes?
neither_rescaled: return largest, l + weights.sum(1), acc + weights @ V
    Your `l` and `acc` add terms that belong to different maxima. By what do you multiply the old ones when the maximum
    changes?
own_maximum_in_acc:
        alone = torch.exp(scores - scores.amax(1, keepdim=True))
        return largest, l * shrink + weights.sum(1), acc * shrink[:, None] + alone @ V
    In `acc`, the new exponentials are taken with the maximum of their own tile. Which maximum do the old ones have?
kept_divided:
        total = l * shrink + weights.sum(1)
        return largest, total, (acc * (l * shrink)[:, None] + weights @ V) / total[:, None]
    Your `acc` is divided by `l` already: it is a mean. It should be the sum of exp(score - m) times the values.

- largest = torch.maximum(m, scores.amax(1))
tile_maximum: largest = scores.amax(1)
    Your `m` is the maximum of the new tile alone. The maximum so far may be larger.
one_for_all: largest = torch.maximum(m, scores.max())
    You take one maximum over the whole tile. Each row has a maximum of its own.
from_zero: largest = torch.maximum(m, scores.amax(1)).clamp(min=0)
    If the scores of a row are all far below zero, your maximum is still far above them, and every exponential vanishes.
    Where does the maximum start?

- weights = torch.exp(scores - largest[:, None])
maximum_of_the_tile: weights = torch.exp(scores - scores.amax(1, keepdim=True))
    The exponentials of the new tile are taken with its own maximum. Which maximum do `l` and `acc` belong to?
new_maximum_only: weights = torch.exp(scores)
    You take the exponential of the new scores as they are. The terms in `l` and `acc` are exp(score - m): which `m`
    belongs to the new ones?
no_maximum: largest, shrink = torch.zeros_like(m), torch.ones_like(m); weights = torch.exp(scores)
    You take the exponential of the scores as they are. Large scores overflow: what do you subtract?

[flash_forward]
- L[top:bottom] = m + l.log()
only_the_sum: L[top:bottom] = l.log()
    The log-sum-exp contains the maximum: l is a sum of exp(score - m).
only_the_maximum: L[top:bottom] = m
    This `L` is the largest score. It should be the logarithm of the sum of exp(S).
sum_without_logarithm: L[top:bottom] = l * torch.exp(m)
    This `L` is the sum of exp(S). Where is the logarithm?
no_logarithm: L[top:bottom] = m + l
    `L` is the logarithm of a sum of exponentials. Where is the logarithm?
sum_itself: L[top:bottom] = l
    This `L` is `l` itself. It should be the logarithm of the sum of exp(S), and `l` is a sum of exp(S - m).
logarithm_of_both: L[top:bottom] = (m + l).log()
    The sum of exp(S) is not `m + l`. Each term of `l` is exp(S - m): which factor do all terms have in common?

- O[top:bottom] = acc / l[:, None]
not_divided: O[top:bottom] = acc
    Your `O` is the weighted sum before the division. Weights add up to one.

- m, l, acc = add_tile(m, l, acc, scores, V[left : left + columns])
divided_in_each_tile: m, l, acc = add_tile(m, l, acc / l[:, None] if left else acc, scores, V[left : left + columns])
    `acc` is divided by `l` in every tile. The next tile goes on with the sum, not with a mean.

- scores = q @ k.T / size**0.5
no_root: scores = q @ k.T
    The scores are not divided by the root of the head's size.
size_for_root: scores = q @ k.T / size
    The scores are divided by the size of the head, not by its root.
root_of_the_keys: scores = q @ k.T / len(k) ** 0.5
    The scores are divided by the root of the number of keys in the tile. It should be the root of the head's size.
- scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), -torch.inf)
no_mask: pass
    With `causal`, your queries read keys that come after them within a tile. Some tiles are cut by the diagonal.
first_tile: scores = scores.masked_fill(~causal_tile(0, len(q), 0, len(k)), -torch.inf)
    Every tile gets the mask of the first one. Which positions do the rows and columns of this tile have?
queries_from_zero: scores = scores.masked_fill(~causal_tile(0, len(q), left, left + len(k)), -torch.inf)
    The mask counts the queries from 0 in every tile. Which positions do the queries of this tile have?
zeros: scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), 0.0)
    A score of 0 still has a weight: exp(0) is 1. What is the score of a key that must get no weight?
inside_the_tile:
        if left + len(k) > top:
            scores = scores.masked_fill(~causal_tile(0, len(q), 0, len(k)), -torch.inf)
    The mask counts queries and keys inside the tile. Which positions do the rows and columns of this tile have?
strict: scores = scores.masked_fill(~causal_tile(top - 1, bottom - 1, left, left + len(k)), -torch.inf)
    A query may read its own position. Yours reads earlier ones only.
inverted: scores = scores.masked_fill(causal_tile(top, bottom, left, left + len(k)), -torch.inf)
    You hide the keys that a query may read. `causal_tile` is True where it may.
exchanged: scores = scores.masked_fill(~causal_tile(left, left + len(k), top, bottom).T, -torch.inf)
    A query reads its own position and later ones here. Are the positions of queries and keys exchanged in the mask?

- for left in range(0, min(len(K), bottom) if causal else len(K), columns):
-     k = K[left : left + columns]
-     scores = q @ k.T / size**0.5
-     if causal:
-         scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), -torch.inf)
aligned_at_the_end:
        more = len(K) - len(Q)
        for left in range(0, min(len(K), bottom + more) if causal else len(K), columns):
            k = K[left : left + columns]
            scores = q @ k.T / size**0.5
            if causal:
                scores = scores.masked_fill(~causal_tile(top + more, bottom + more, left, left + len(k)), -torch.inf)
    Your mask counts from the last query and the last key. Here query t reads the keys s <= t, both counted from 0.

- if causal:
-     scores = scores.masked_fill(~causal_tile(top, bottom, left, left + len(k)), -torch.inf)
- m, l, acc = add_tile(m, l, acc, scores, V[left : left + columns])
masked_after_the_exponential:
        largest = torch.maximum(m, scores.amax(1))
        shrink = torch.exp(m - largest)
        weights = torch.exp(scores - largest[:, None])
        if causal:
            weights = weights * causal_tile(top, bottom, left, left + len(k))
        m, l, acc = largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V[left : left + columns]
    Your maximum counts scores that a query may not read. If one of them is the largest of its row by far, the weights
    of the others vanish. When do you mask?
- for left in range(0, min(len(K), bottom) if causal else len(K), columns):
-     k = K[left : left + columns]
last_tile_lost:
        for left in range(0, len(K) // columns * columns, columns):
            k = K[left : left + columns]
    The last tile of keys is missing when `columns` does not divide their number.
cut_tiles_skipped:
        for left in range(0, len(K), columns):
            k = K[left : left + columns]
            if causal and left + len(k) > bottom:
                continue
    With `causal`, you skip tiles that some of the queries may read in part. When may none of them read any key?
skipped_too_early:
        for left in range(0, min(len(K), top + 1) if causal else len(K), columns):
            k = K[left : left + columns]
    With `causal`, you skip tiles that a query may read. Where the first query of a tile may read none of the keys, the
    last one still may.

- for top in range(0, queries, rows):
last_queries_lost:
        O, L = torch.zeros_like(O), torch.zeros_like(L)
        for top in range(0, queries // rows * rows, rows):
    The last queries are missing when `rows` does not divide their number.

- m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
kept_state:
        if top == 0:
            m, l, acc = q.new_full((len(q),), -torch.inf), q.new_zeros(len(q)), torch.zeros_like(q)
    `m`, `l` and `acc` still contain the previous queries. Each tile of queries starts with an empty state.

[correction]
- return (dO * O).sum(1)
from_output: return O.sum(1)
    This is the sum of `O`. What is `O` multiplied by?
from_upstream: return dO.sum(1)
    This is the sum of `dO`. What is `dO` multiplied by?
product_of_sums: return dO.sum(1) * O.sum(1)
    This multiplies two sums. `D` is the sum of the products.
all_pairs: return (dO @ O.T).sum(1)
    The `dO` of each query meets the `O` of all queries. `D` needs `dO` and `O` of the same query only.

[tile_backward]
- P = torch.exp(scores - L[:, None])
softmax_of_tile: P = torch.softmax(scores, 1)
    You take the softmax over this tile alone. A row has other tiles as well, and `L` knows about them.
no_log_sum: P = torch.exp(scores)
    These are exponentials, not weights. What do you subtract from the scores so that
    the weights of a row add up to one?
divided_by_log_sum: P = torch.exp(scores) / L[:, None]
    You divide by `L`. It is the logarithm of the sum, not the sum.
two_exponentials: P = torch.exp(scores) / torch.exp(L)[:, None]
    The formula is right, but exp(score) overflows if the scores are large. Take one exponential, of a difference.
- dS = P * (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
no_correction: dS = P * (dO @ v.T) / q.shape[1] ** 0.5
    The gradients are as if `D` were zero. A score also changes the sum that divides its row.
own_correction: dP = dO @ v.T; dS = P * (dP - (dP * P).sum(1, keepdim=True)) / q.shape[1] ** 0.5
    You compute the correction from this tile alone. It is a sum over all tiles of the row, which `D` contains.
no_weights: dS = (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
    The weights are missing in dS. A score with a tiny weight has hardly any influence.
no_root: dS = P * (dO @ v.T - D[:, None])
    `dq` and `dk` lack the division by the root of the head's size. The scores are divided by it, so their gradient is,
    too.
root_twice: dS = P * (dO @ v.T - D[:, None]) / q.shape[1]
    `dq` and `dk` are divided by the size of the head. Is its root in them twice, or is the root forgotten?
root_of_the_rows: dS = P * (dO @ v.T - D[:, None]) / q.shape[0] ** 0.5
    `dS` is divided by the root of the number of queries in the tile. The scores are divided by the root of the head's
    size.
- return dS @ k, dS.T @ q, P.T @ dO
root_in_queries_only: return dS @ k, dS.T @ q * q.shape[1] ** 0.5, P.T @ dO
    `dk` lacks the division by the root of the head's size. It is in the scores, so `dq` and `dk` both need it.
root_in_keys_only: return dS @ k * q.shape[1] ** 0.5, dS.T @ q, P.T @ dO
    `dq` lacks the division by the root of the head's size. It is in the scores, so `dq` and `dk` both need it.
values_from_dP: return dS @ k, dS.T @ q, (dO @ v.T).T @ dO
    Your dv is made with dP. The line is `O = P @ V`: what multiplies V there?
swapped: return dS.T @ q, dS @ k, P.T @ dO
    The gradients of queries and keys have changed places.
- scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
mask_ignored: scores = q @ k.T / q.shape[1] ** 0.5
    The gradients are as if `allowed` were True everywhere. A key that a query may not read gets no gradient from it.
# The rows of `flash_backward` alone show it.

[flash_backward]
- scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
zeros: scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, 0.0)
    A score of 0 still has a weight. What is the score of a key that must get no weight?

[tile_backward]
- scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(~allowed, -torch.inf)
inverted: scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(allowed, -torch.inf)
    You hide the keys that a query may read. `allowed` is True where it may.
scores_without_root: scores = (q @ k.T).masked_fill(~allowed, -torch.inf)
    These are not the scores of the forward pass: the division by the root of the head's size is missing.
- P = torch.exp(scores - L[:, None])
- dS = P * (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
mask_after_the_exponential:
        P = torch.exp(q @ k.T / q.shape[1] ** 0.5 - L[:, None]) * allowed
        dS = P * (dO @ v.T - D[:, None]) / q.shape[1] ** 0.5
    You mask after the exponential. The exponential of a forbidden score can be infinite, and infinity times 0 is NaN.

[flash_backward]
- allowed = causal_tile(top, bottom, left, right)
mask_ignored: pass
    With `causal`, the keys of a tile on the diagonal get gradients from queries that may not read them.
exchanged: allowed = causal_tile(left, right, top, bottom).T
    A query reads its own position and later ones here. Are the positions of queries and keys exchanged in the mask?
first_tile: allowed = causal_tile(0, bottom - top, 0, right - left)
    Every tile gets the mask of the first one. Which positions do the rows and columns of this tile have?
- for left in range(0, min(len(K), bottom) if causal else len(K), columns):
-     right = min(left + columns, len(K))
skipped_too_early:
        for left in range(0, min(len(K), top + 1) if causal else len(K), columns):
            right = min(left + columns, len(K))
    With `causal`, you skip tiles that a query may read. Where the first query of a tile may read none of the keys, the
    last one still may.
last_tile_lost:
        for left in range(0, len(K) // columns * columns, columns):
            right = min(left + columns, len(K))
    The last tile of keys is missing when `columns` does not divide their number.
cut_tiles_skipped:
        for left in range(0, len(K), columns):
            right = min(left + columns, len(K))
            if causal and right > bottom:
                continue
    With `causal`, you skip tiles that some of the queries may read in part. When may none of them read any key?
- for top in range(0, len(Q), rows):
last_queries_lost: for top in range(0, len(Q) // rows * rows, rows):
    The last queries are missing when `rows` does not divide their number.
- allowed = torch.ones(bottom - top, right - left, dtype=torch.bool)
again:
        allowed = torch.ones(bottom - top, right - left, dtype=torch.bool)
        _, L = flash_forward(Q, K, V, causal, rows, columns)
    You go through all tiles again for every tile. `L` is known before the loops.
- dK[there] += dk
- dV[there] += dv
overwritten_keys_and_values:
        dK[there] = dk
        dV[there] = dv
    A key and its value are in many tiles. You keep the contribution of the last one only.
- dQ[here] += dq
overwritten_queries: dQ[here] = dq
    The queries of a tile meet many tiles of keys. You keep the contribution of the last one only.
- dQ[here] += dq
- dK[there] += dk
- dV[there] += dv
overwritten_everywhere:
        dQ[here] = dq
        dK[there] = dk
        dV[there] = dv
    A query is in many tiles, and so is a key. You keep the contribution of the last one only.
- return dQ, dK, dV
order: return dV, dK, dQ
    The results have changed places. Their order is `dQ, dK, dV`.
keys_first: return dK, dQ, dV
    The results have changed places. Their order is `dQ, dK, dV`.
values_second: return dQ, dV, dK
    The results have changed places. Their order is `dQ, dK, dV`.
""")
