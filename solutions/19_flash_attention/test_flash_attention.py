"""The hidden suite of lesson 19: values are compared with autograd's; the kernel measures memory and processor time.

`SHIFTED` problems have scores that are all near `offset`: with an exponential of the scores as they are, it overflows
or everything vanishes. The weights do not change, so autograd's gradients stay ordinary numbers.
"""

import inspect
import math

import torch

LONG_ROWS = {"queries": 2, "keys": 2**21, "size": 1, "rows": 2, "columns": 8192}
LONG_KEYS = {"queries": 16, "keys": 2**18, "size": 1, "rows": 16, "columns": 4096}
LONG_QUERIES = {"queries": 3072, "keys": 1024, "size": 4, "rows": 32, "columns": 1024}
"""Where memory is measured: a tile has 0.13 to 0.5 MB, a strip along the long axis 25 to 34 MB.

In LONG_ROWS one row of scores has 17 MB: its softmax takes three rows, and the memory allowed is 44 MB with the copies.
A small tensor takes up to 1.5 kB, whatever is in it. One or two for each query are honest: up to 9 MB here.
"""
MAX_MEMORY = 10_000_000
"""Bytes allowed next to a copy of each argument and result: filling `K` up to whole tiles makes a copy."""
MANY = {"queries": 768, "keys": 768, "size": 8, "rows": 96, "columns": 96}
"""Where processor time is measured: 64 tiles. To go through all tiles again for each of them takes 20 times as long."""
MAX_TIME = 5.0
"""Processor time allowed, in multiples of `PLAIN_WORK`'s. Right answers take 0.6 to 2.6."""
MASKED = {"queries": 2048, "keys": 2048, "size": 4, "rows": 128, "columns": 128, "causal": True}
MAX_MASKED = 2_600_000
"""Where the memory of masks is measured: a mask of all scores has 4.2 MB. Right answers take up to 0.8 MB."""
FUTURE = {"queries": 512, "keys": 131072, "size": 2, "rows": 512, "columns": 128, "causal": True}
MAX_FUTURE = 3.0
"""Processor time where 4 tiles of 1024 are read. Right answers take 0.5 to 1.4; 6 or more if they visit the others."""
COUNTED = {"queries": 384, "keys": 384, "size": 2, "rows": 64, "columns": 32, "causal": True}
VISITED, ALL_TILES = 42, 72
"""Tiles there that have a key which a query may read."""
FEW_SCORES = {"queries": 6, "keys": 40, "size": 3, "rows": 2, "columns": 2}
"""60 tiles of 4 scores. Whole rows take at most 30 products here, and tiles of 16 by 16 fewer. A function that always
takes smaller tiles computes too many products in COUNTED."""
MAX_ERROR = 3.0
"""The float32 error allowed, in multiples of the straightforward form's: the criterion of FlashAttention's own tests.

Right answers have 1.0 to 1.4 times its error in the middle, and in one draw of 2,500 more than 3 times, where the
straightforward form happens to be very exact. So where the first draw exceeds it, the middle of several decides.
"""
PRECISION_DRAWS = 5
WRONG = 0.01
"""A relative error above which `precision` speaks of a wrong value, and not of lost digits."""

PLAIN_MEMORY = """
import torch


def flash_forward(Q, K, V, causal, rows, columns):
    (Q[:rows] @ K[:columns].T).exp().sum(1)
    return Q.clone(), Q[:, 0].clone()


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    (Q[:rows] @ K[:columns].T).exp().sum(1)
    return Q.clone(), K.clone(), V.clone()
"""
"""What every answer needs: one tile, and results of the right sizes."""

PLAIN_WORK = """
import torch


def flash_forward(Q, K, V, causal, rows, columns):
    for top in range(0, len(Q), rows):
        q = Q[top : top + rows]
        for left in range(0, len(K), columns):
            k, v = K[left : left + columns].clone(), V[left : left + columns].clone()
            if causal and left >= top + len(q):
                continue
            weights = (q @ k.T / 2).exp()
            weights.sum(1), weights.amax(1), weights @ v + q
    return Q, Q[:, 0]


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    for top in range(0, len(Q), rows):
        q, do = Q[top : top + rows], dO[top : top + rows]
        for left in range(0, len(K), columns):
            k, v = K[left : left + columns].clone(), V[left : left + columns].clone()
            if causal and left >= top + len(q):
                continue
            P = (q @ k.T / 2 - 1).exp()
            dS = P * (do @ v.T - 1) / 2
            dS @ k, dS.T @ q, P.T @ do
    return Q, K, V
"""
"""The operations of a right answer on each tile that a query may read, and copies of the keys of the others."""


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def drawn(generator, queries, keys, size, offset=0, last=0):
    """(Q, K, V, dO). `offset` is added to all scores, by one feature that all queries and keys have in common.

    With `last`, it is the score of every query with the last key, which a causal query before that may not read.
    """
    Q, K, V = normal(generator, queries, size), normal(generator, keys, size), normal(generator, keys, size)
    if offset:
        root = math.sqrt(abs(offset) * math.sqrt(size))
        Q[:, 0], K[:, 0] = math.copysign(root, offset), root
    if last:
        Q[:, 0], K[-1] = 1, 0
        K[-1, 0] = last * math.sqrt(size)
    return Q, K, V, normal(generator, queries, size)


def scores_of(Q, K, causal):
    scores = Q @ K.T / Q.shape[1] ** 0.5
    past = torch.ones(scores.shape, dtype=torch.bool).tril()
    return scores.masked_fill(~past, -math.inf) if causal else scores


class Autograd:
    """The same functions without tiles, with PyTorch's own derivatives."""

    @staticmethod
    def add_tile(m, l, acc, scores, V):
        largest = torch.maximum(m, scores.max(1).values)
        total = l.log() + m
        together = torch.logaddexp(total, scores.logsumexp(1))
        factor = torch.exp(together - largest)
        before = torch.exp(m - largest)
        return largest, factor, acc * before[:, None] + torch.exp(scores - largest[:, None]) @ V

    @staticmethod
    def flash_forward(Q, K, V, causal, rows, columns):
        last = len(Q) if causal else len(K)  # no query reads the keys after it
        scores = scores_of(Q, K[:last], causal)
        return scores.softmax(1) @ V[:last], scores.logsumexp(1)

    @staticmethod
    def correction(dO, O):
        return torch.einsum("qd,qd->q", dO, O)

    @staticmethod
    def tile_backward(dO, q, k, v, L, D, allowed):
        leaves = [leaf.clone().requires_grad_() for leaf in (q, k, v)]
        scores = (leaves[0] @ leaves[1].T / q.shape[1] ** 0.5).masked_fill(~allowed, -math.inf)
        P = (scores - L[:, None]).exp()  # the rest of the row is in L: its gradient with respect to this tile is P, and
        out = ((P @ leaves[2]) * dO).sum() - (P.sum(1) * D).sum()  # D is the sum that it is multiplied by
        dv = torch.autograd.grad((P @ leaves[2] * dO).sum(), leaves[2], retain_graph=True)[0]
        return *torch.autograd.grad(out, leaves[:2]), dv

    @staticmethod
    def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
        leaves = [leaf.clone().requires_grad_() for leaf in (Q, K, V)]
        O, _ = Autograd.flash_forward(*leaves, causal, rows, columns)
        return torch.autograd.grad((O * dO).sum(), leaves)


def named(names, function, called):
    """The parts of a result by their names, and the tensors that were given as they are afterwards."""
    result, arguments = called
    if not isinstance(result, (tuple, list)) or len(result) != len(names):
        raise ValueError(f"it should be `({', '.join(names)})`, a tuple of {len(names)} tensors")
    parameters = inspect.signature(getattr(Autograd, function)).parameters
    after = {f"{name} afterwards": value for name, value in zip(parameters, arguments, strict=False)}
    return {**dict(zip(names, result, strict=True)), **after}


def tiles_added(on, generator, rows, columns, size, tiles, offset=0, hidden=False):
    """The state after each of several tiles, the first one from the empty state."""
    state = torch.full((rows,), -math.inf).double(), torch.zeros(rows).double(), torch.zeros(rows, size).double()
    found = {}
    for number in range(1, tiles + 1):
        scores = 3 * normal(generator, rows, columns) + offset
        if hidden and number > 1:
            scores[::2, number % columns :] = -math.inf
            scores[1] = -math.inf
        V = normal(generator, columns, size)
        found[f"tile {number}"] = named(("m", "l", "acc"), "add_tile", on.apply("add_tile", *state, scores, V))
        state = Autograd.add_tile(*state, scores, V)
    return found


def outputs(on, generator, queries, keys, size, rows, columns, causal, **scores):
    Q, K, V, _ = drawn(generator, queries, keys, size, **scores)
    return named(("O", "L"), "flash_forward", on.apply("flash_forward", Q, K, V, causal, rows, columns))


def corrections(on, generator, queries, size):
    dO, O = normal(generator, queries, size), normal(generator, queries, size)
    D, arguments = on.apply("correction", dO, O)
    return {"D": D, "an argument after the call": arguments}


def one_tile(on, generator, rows, columns, size, more, offset=0, forbidden=False):
    """A tile of a larger problem: `more` keys are outside of it, so its weights do not add up to one."""
    q, k, v, dO = drawn(generator, rows, columns + more, size, offset)
    allowed = torch.ones(rows, columns + more, dtype=torch.bool)
    if forbidden:  # the first half of the keys: some of their scores are the largest by far
        allowed[: rows - 1, : columns // 2] = False
        k[: columns // 2] *= 40
    scores = (q @ k.T / size**0.5).masked_fill(~allowed, -math.inf)
    O, L = scores.softmax(1) @ v, scores.logsumexp(1)
    D = (dO * O).sum(1)
    called = on.apply("tile_backward", dO, q, k[:columns], v[:columns], L, D, allowed[:, :columns])
    return named(("dq", "dk", "dv"), "tile_backward", called)


def gradients(on, generator, queries, keys, size, rows, columns, causal, **scores):
    Q, K, V, dO = drawn(generator, queries, keys, size, **scores)
    O, L = Autograd.flash_forward(Q, K, V, causal, rows, columns)
    called = on.apply("flash_backward", dO, Q, K, V, O, L, causal, rows, columns)
    return named(("dQ", "dK", "dV"), "flash_backward", called)


def attention(*numbers, **more):
    return {**dict(zip(("queries", "keys", "size", "rows", "columns", "causal"), numbers, strict=True)), **more}


EVEN = (
    attention(8, 6, 5, 4, 3, False),
    attention(12, 12, 3, 4, 6, True),
    attention(6, 9, 7, 2, 3, True),  # more keys than queries: the last keys are in the future
    attention(10, 4, 3, 5, 2, False, offset=900),
    attention(6, 10, 4, 3, 5, False, offset=-900),
    attention(8, 8, 3, 4, 4, True, last=2000),
)
UNEVEN = (
    attention(7, 10, 5, 3, 4, False),
    attention(11, 11, 3, 4, 3, True),
    attention(9, 5, 4, 2, 3, True),
    attention(5, 7, 3, 8, 9, False),  # one tile, larger than the problem
    attention(5, 7, 3, 1, 1, True),
    attention(10, 13, 6, 3, 5, True, offset=-900),
    attention(9, 9, 4, 4, 5, True, last=2000),
)


def test_add_tile(check):
    check.agrees(
        tiles_added,
        draws=(
            {"rows": 4, "columns": 3, "size": 5, "tiles": 3},
            {"rows": 3, "columns": 6, "size": 2, "tiles": 2, "offset": 800},
            {"rows": 5, "columns": 2, "size": 3, "tiles": 3, "offset": -800},
            {"rows": 4, "columns": 5, "size": 3, "tiles": 3, "hidden": True},
        ),
        reference=Autograd,
    )


def test_flash_forward(check):
    check.agrees(outputs, draws=EVEN, reference=Autograd)


def test_correction(check):
    check.agrees(corrections, draws=({"queries": 4, "size": 3}, {"queries": 2, "size": 7}), reference=Autograd)


def test_tile_backward(check):
    check.agrees(
        one_tile,
        draws=(
            {"rows": 4, "columns": 3, "size": 5, "more": 6},
            {"rows": 3, "columns": 5, "size": 2, "more": 0},
            {"rows": 5, "columns": 4, "size": 3, "more": 2, "offset": 800},
            {"rows": 6, "columns": 7, "size": 4, "more": 3, "forbidden": True, "offset": 300},
        ),
        reference=Autograd,
    )


def test_flash_backward(check):
    check.agrees(gradients, draws=EVEN, reference=Autograd)


def test_any_tiles(check):
    check.agrees(outputs, draws=UNEVEN, reference=Autograd)
    check.agrees(gradients, draws=UNEVEN, reference=Autograd)
    require_own_tiles(check)


def given_forward(generator, queries, keys, size, rows, columns, causal=False):
    return *drawn(generator, queries, keys, size)[:3], causal, rows, columns


def given_backward(generator, queries, keys, size, rows, columns, causal=False):
    Q, K, V, dO = drawn(generator, queries, keys, size)
    return dO, Q, K, V, *Autograd.flash_forward(Q, K, V, causal, rows, columns), causal, rows, columns


def right_forward(generator, **sizes):
    return Autograd.flash_forward(*given_forward(generator, **sizes))


def right_backward(generator, **sizes):
    return Autograd.flash_backward(*given_backward(generator, **sizes))


FUNCTIONS = (("flash_forward", given_forward, right_forward), ("flash_backward", given_backward, right_backward))


def is_right(found, expected):
    """Whether a tuple of tensors is the expected one; what was found may be anything."""
    if not isinstance(found, (tuple, list)) or len(found) != len(expected):
        return False
    return all(
        isinstance(part, torch.Tensor)
        and part.shape == reference.shape
        and bool((part.double() - reference).norm() <= 1e-9 * reference.norm())
        for part, reference in zip(found, expected, strict=True)
    )


def require_right_values(check):
    """End the check unless both functions are right on a small problem: then nothing needs to be measured."""
    for name, given, right in FUNCTIONS:
        sizes = {"queries": 7, "keys": 10, "size": 3, "rows": 3, "columns": 4, "causal": True}
        if not is_right(check.on.call(name, *given(check.generator(), **sizes)), right(check.generator(), **sizes)):
            check.fail(f"`{name}` is not right yet: start there. This row counts once its values are right.")


def measured(check, name, given, right, sizes, yardstick, cpu_ratio=None):
    """What one call took. Ends the check unless its results are right."""
    result = check.measured(name, given, sizes, yardstick, cpu_ratio)
    if not is_right(result.value, check.once(right, sizes)):
        check.fail(
            f"With {sizes['queries']} queries and {sizes['keys']} keys, `{name}` is not right. This row counts once "
            "its values are right."
        )
    return result


def bytes_of(values):
    return sum(value.nbytes for value in values if isinstance(value, torch.Tensor))


def too_much_memory(check):
    """(name, sizes, bytes allowed) of a call that holds more than tiles and its results, or None."""
    for (name, given, right), sizes in (
        (FUNCTIONS[0], LONG_ROWS),
        (FUNCTIONS[1], LONG_KEYS),
        (FUNCTIONS[1], LONG_QUERIES),
    ):
        taken = measured(check, name, given, right, sizes, PLAIN_MEMORY).extra_bytes
        allowed = MAX_MEMORY + bytes_of(check.once(given, sizes)) + bytes_of(check.once(right, sizes))
        if taken > allowed:
            return name, sizes, allowed
    return None


def test_memory(check):
    require_right_values(check)
    excess = too_much_memory(check)
    if excess is not None:
        name, sizes, allowed = excess
        strip = sizes["queries"] * sizes["keys"] * 8
        check.fail(
            f"With {sizes['queries']} queries and {sizes['keys']} keys, `{name}` took more than the "
            f"{allowed / 1e6:.0f} MB that are allowed next to its results and one tile. All scores together have "
            f"{strip / 1e6:.0f} MB: which tensor has them, or one whole row? Does a list keep finished tiles?",
            mistake="all_scores",
        )
    for name, given, right in FUNCTIONS:
        taken = measured(check, name, given, right, MASKED, PLAIN_MEMORY).extra_bytes
        if taken > MAX_MASKED:
            check.fail(
                f"With 2048 queries, 2048 keys and `causal`, `{name}` took more than {MAX_MASKED / 1e6:.1f} MB next to "
                "its results and one tile. A mask of all scores has 4.2 MB, even with one byte for each. Make the mask "
                "of one tile only.",
                mistake="whole_mask",
            )


PRODUCTS = ("mm", "bmm", "addmm", "baddbmm")
VECTOR_PRODUCTS = ("mv", "addmv", "dot")
PER_TILE = {"flash_forward": 2.5, "flash_backward": 10.5}
"""Matrix products per tile: 2 forward; 5 backward, or 10 if `dQ` has a loop of its own. Some more for the whole."""
MAX_VISITED = (VISITED + ALL_TILES) / 2
"""Tiles that a causal call may have computed, by its matrix products. One that computes them all is above it."""


def counted_products(check, name, given, sizes, operators=PRODUCTS):
    """Products in a call, as the student's process says: enough to name a mistake, not to pass."""
    counts = check.on.counted(name, *given(check.generator(name), **sizes))[1]
    return sum(counts.dispatched.get(operator, 0) for operator in operators)


def require_own_tiles(check):
    """End the check if a function computes fewer matrix products than it has tiles.

    Products that are written as sums are not counted: where none is, the memory must be that of tiles.
    """
    tiles = FEW_SCORES["queries"] // FEW_SCORES["rows"] * FEW_SCORES["keys"] // FEW_SCORES["columns"]
    for name, given, _ in FUNCTIONS:
        products = counted_products(check, name, given, FEW_SCORES)
        if 0 < products < tiles:
            check.fail(
                f"On {tiles} tiles, `{name}` computed {products} matrix products: fewer than one for each tile. Take "
                "`rows` queries and `columns` keys at a time.",
                mistake="other_tiles",
            )
        if products == 0:
            require_memory_of_tiles(check)


def require_memory_of_tiles(check):
    if too_much_memory(check) is not None:
        check.fail("This row counts once the row `memory` passes: a function that holds all scores takes no tiles.")


def test_operations(check):
    require_right_values(check)
    require_own_tiles(check)
    for name, given, _ in FUNCTIONS:
        whole = {**COUNTED, "causal": False}
        products, causal = (counted_products(check, name, given, sizes) for sizes in (whole, COUNTED))
        vectors = counted_products(check, name, given, whole, VECTOR_PRODUCTS)
        if products > PER_TILE[name] * ALL_TILES or vectors > 2 * PER_TILE[name] * ALL_TILES:
            check.fail(
                f"On {ALL_TILES} tiles, `{name}` computed {products + vectors} matrix products: {int(PER_TILE[name])} "
                "for each tile are enough. What do you compute again for every tile, or row by row?",
                mistake="again",
            )
        if products >= ALL_TILES and causal * ALL_TILES > products * MAX_VISITED:  # else they are not those of tiles
            check.fail(
                f"With `causal`, {ALL_TILES - VISITED} of {ALL_TILES} tiles are entirely in the future, but `{name}` "
                f"computed {causal} matrix products, and {products} without `causal`. Skip the tiles that no query "
                "may read.",
                mistake="future_tiles",
            )
    require_memory_of_tiles(check)
    for name, given, right in FUNCTIONS:
        ratio = measured(check, name, given, right, MANY, PLAIN_WORK, MAX_TIME).cpu_ratio
        if ratio > MAX_TIME:
            check.fail(
                f"On 64 tiles, `{name}` took {ratio:.1f} times the processor time of the plain operations on each "
                f"tile; {MAX_TIME} are allowed. What do you compute again for every tile, or row by row?"
            )
    for name, given, right in FUNCTIONS:
        ratio = measured(check, name, given, right, FUTURE, PLAIN_WORK, MAX_FUTURE).cpu_ratio
        if ratio > MAX_FUTURE:
            check.fail(
                f"With `causal`, {FUTURE['queries']} queries and {FUTURE['keys']} keys, `{name}` took {ratio:.1f} "
                f"times the processor time of the plain operations on the tiles that a query may read; {MAX_FUTURE} "
                "are allowed. Skip the tiles that no query may read.",
                mistake="future_tiles",
            )


def straightforward(dO, Q, K, V, causal):
    """(O, L, dQ, dK, dV) with all scores at once, in the precision of its arguments."""
    scores = scores_of(Q, K, causal)
    P = scores.softmax(1)
    dP = dO @ V.T
    dS = P * (dP - (dP * P).sum(1, keepdim=True)) / Q.shape[1] ** 0.5
    return P @ V, scores.logsumexp(1), dS @ K, dS.T @ Q, P.T @ dO


def float32_errors(check, draw, number, causal, offset):
    """{name: (its error in multiples of the straightforward form's, relative to its value)}."""
    Q, K, V, dO = (t.float() for t in drawn(check.generator(number, *draw), 48, 60, 16, offset))
    exact = straightforward(*(t.double() for t in (dO, Q, K, V)), causal)
    plain = straightforward(dO, Q, K, V, causal)
    errors = {}

    def add(names, values):
        for name, value in zip(names, values, strict=True):
            reference, other = exact[len(errors)], plain[len(errors)]
            error = (value.double() - reference).norm().nan_to_num(math.inf, math.inf)
            errors[name] = float(error / (other.double() - reference).norm()), float(error / reference.norm())

    add(("O", "L"), check.on.call("flash_forward", Q, K, V, causal, 16, 16))
    add(("dQ", "dK", "dV"), check.on.call("flash_backward", dO, Q, K, V, *plain[:2], causal, 16, 16))
    return errors


def test_precision(check):
    """Errors in float32, against float64: those of the tiles may be three times those of the straightforward form."""
    for number, (causal, offset) in enumerate(((False, 0), (True, 0), (False, 150))):
        first = float32_errors(check, (), number, causal, offset)
        if all(ratio <= MAX_ERROR for ratio, _ in first.values()):
            continue
        draws = [first, *(float32_errors(check, (draw,), number, causal, offset) for draw in range(1, PRECISION_DRAWS))]
        where = f"In float32{' with scores near 150' if offset else ''}"
        for name in first:
            ratio, relative = sorted(errors[name] for errors in draws)[PRECISION_DRAWS // 2]
            if ratio <= MAX_ERROR:
                continue
            if relative > WRONG:
                require_right_values(check)  # else it is not about float32
            if math.isinf(relative):
                check.fail(f"{where} your `{name}` is not finite. Which exponential can be too large?")
            if relative > WRONG:
                check.fail(
                    f"{where} your `{name}` is wrong, not only inexact. Get the rows before this one right first."
                )
            check.fail(
                f"{where} the errors of your `{name}` are {ratio:.3g} times those of the straightforward form; "
                f"{MAX_ERROR:g} times are allowed. Where do you lose digits?"
            )
