"""The public examples that `dojo check 19` runs: torch's own attention on small problems, and measurements.

The hidden test suite uses other problems, and measures on others, too.
"""

import torch
import torch.nn.functional as F

LONG = {"queries": 96, "keys": 12000, "size": 4, "rows": 96, "columns": 240}  # all scores have 9.2 MB
MASKED = {"queries": 1536, "keys": 1536, "size": 4, "rows": 128, "columns": 128}  # a mask of all scores has 2.4 MB

SMALLEST = """
def flash_forward(Q, K, V, causal, rows, columns):
    (K[:columns] @ Q[:rows].T).exp().sum(0)
    return Q.clone(), Q[:, 0].clone()


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    (K[:columns] @ Q[:rows].T).exp().sum(0)
    return Q.clone(), K.clone(), V.clone()
"""  # what every answer needs, measured in a process of its own


def problem(generator, queries, keys, size, shift=0.0):
    """(Q, K, V, dO). All scores are near `shift`, if there is one."""
    lengths = (queries, keys, keys, queries)
    Q, K, V, dO = (torch.randn(length, size, generator=generator, dtype=torch.float64) for length in lengths)
    if shift:
        Q[:, 0], K[:, 0] = shift / 30, 30 * size**0.5
    return Q, K, V, dO


def reading(Q, K, causal):
    return torch.ones(len(Q), len(K), dtype=torch.bool).tril() if causal else None


def output(Q, K, V, causal):
    return F.scaled_dot_product_attention(Q[None], K[None], V[None], reading(Q, K, causal))[0]


class Torch:
    @staticmethod
    def flash_forward(Q, K, V, causal, rows, columns):
        scores = torch.einsum("td,sd->ts", Q, K).div(len(Q.T) ** 0.5)
        blocked = ~reading(Q, K, True) if causal else torch.zeros_like(scores).bool()
        return output(Q, K, V, causal), scores.masked_fill(blocked, float("-inf")).logsumexp(1)

    @staticmethod
    def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
        with torch.enable_grad():
            given = [tensor.clone().requires_grad_() for tensor in (Q, K, V)]
            return torch.autograd.grad((output(*given, causal) * dO).sum(), given)


def forward(on, generator, causal, rows, columns, shift=0.0):
    Q, K, V, _ = problem(generator, 6, 4 if not causal else 6, 3, shift)
    O, L = on.call("flash_forward", Q, K, V, causal, rows, columns)
    return {"O": O, "L": L}


def backward(on, generator, causal, rows, columns, shift=0.0):
    Q, K, V, dO = problem(generator, 6, 4 if not causal else 6, 3, shift)
    results = Torch.flash_forward(Q, K, V, causal, rows, columns)
    dQ, dK, dV = on.call("flash_backward", dO, Q, K, V, *results, causal, rows, columns)
    return {"dQ": dQ, "dK": dK, "dV": dV}


EVEN = (
    {"causal": False, "rows": 3, "columns": 2},
    {"causal": True, "rows": 2, "columns": 3},
    {"causal": False, "rows": 3, "columns": 2, "shift": 900.0},
    {"causal": True, "rows": 2, "columns": 3, "shift": -900.0},
)


def test_add_tile(check):
    m, l = torch.tensor([float("-inf")]).double(), torch.zeros(1).double()
    state = (m, l, torch.zeros(1, 2).double())
    V = torch.tensor([[1.0, 0.0], [0.0, 4.0]]).double()
    state = check.on.call("add_tile", *state, torch.tensor([[1.0, 1.0]]).double(), V)
    found = dict(zip(("m", "l", "acc"), state, strict=True))
    check.equals(found, {"m": m.new_tensor([1]), "l": m.new_tensor([2]), "acc": m.new_tensor([[1, 4]])})
    higher = 1 + torch.log(m.new_tensor([[3.0, 3.0]]))  # three times the weight of the scores before
    before = [tensor.clone() for tensor in (*state, higher)]
    (m, l, acc), arguments = check.on.apply("add_tile", *state, higher, V)
    check.equals({"l": l, "acc": acc}, {"l": m.new_tensor([8 / 3]), "acc": m.new_tensor([[4 / 3, 16 / 3]])})
    for name, given, after in zip(("m", "l", "acc", "scores"), before, arguments, strict=False):
        if not torch.equal(given, after):
            check.fail(f"`add_tile` changes its argument `{name}` in place. The results have to be new tensors.")
    found = dict(zip(("m", "l", "acc"), check.on.call("add_tile", m, l, acc, higher - higher + 1, V), strict=True))
    check.equals(found, {"m": higher[:, 0], "l": m.new_tensor([10 / 3]), "acc": m.new_tensor([[5 / 3, 20 / 3]])})
    empty = torch.full((2,), float("-inf")).double(), torch.zeros(2).double(), torch.zeros(2, 2).double()
    far_apart = m.new_tensor([[900, 900], [-900, -900]])
    found = dict(zip(("m", "l", "acc"), check.on.call("add_tile", *empty, far_apart, V), strict=True))
    check.equals(found, {"m": far_apart[:, 0], "l": m.new_tensor([2, 2]), "acc": m.new_tensor([[1, 4], [1, 4]])})


def test_flash_forward(check):
    check.agrees(forward, draws=EVEN, reference=Torch)


def test_correction(check):
    dO, O = torch.tensor([[1.0, 2.0], [0.0, -1.0]]).double(), torch.tensor([[3.0, 1.0], [5.0, 2.0]]).double()
    check.gives("correction", (dO, O), dO.new_tensor([5, -2]))


def test_tile_backward(check):
    q, k, v, dO = problem(check.generator(), 3, 4, 5)  # one tile is the whole problem
    O, L = Torch.flash_forward(q, k, v, False, 3, 4)
    D = torch.diagonal(dO @ O.T)
    found = check.on.call("tile_backward", dO, q, k, v, L, D, torch.ones(3, 4, dtype=torch.bool))
    expected = Torch.flash_backward(dO, q, k, v, O, L, False, 3, 4)
    names = ("dq", "dk", "dv")
    check.equals(dict(zip(names, found, strict=True)), dict(zip(names, expected, strict=True)))
    q, k, v, dO = problem(check.generator(), 6, 6, 3)  # two tiles of all queries: each key is in one of them
    q[:, 0], k[4] = 1, 0
    k[4, 0] = 2000 * 3**0.5  # its score is 2000 for all queries, and queries 0 to 3 may not read it
    O, L = Torch.flash_forward(q, k, v, True, 6, 3)
    D, allowed, tiles = torch.diagonal(dO @ O.T), reading(q, k, True), []
    for keys in (slice(0, 3), slice(3, 6)):
        tiles.append(check.on.call("tile_backward", dO, q, k[keys], v[keys], L, D, allowed[:, keys]))
    (dq, dk, dv), (more, *last) = tiles
    found = {"dq of both tiles": dq + more, "dk": torch.cat([dk, last[0]]), "dv": torch.cat([dv, last[1]])}
    check.equals(found, dict(zip(found, Torch.flash_backward(dO, q, k, v, O, L, True, 6, 3), strict=True)))


def test_flash_backward(check):
    check.agrees(backward, draws=EVEN, reference=Torch)


def test_any_tiles(check):
    draws = ({"causal": True, "rows": 4, "columns": 5}, {"causal": False, "rows": 4, "columns": 3})
    check.agrees(forward, draws=draws, reference=Torch)
    check.agrees(backward, draws=draws, reference=Torch)


def for_backward(generator, queries, keys, size, rows, columns):
    Q, K, V, dO = problem(generator, queries, keys, size)
    O, L = Torch.flash_forward(Q, K, V, True, rows, columns)
    return dO, Q, K, V, O, L, True, rows, columns


def for_forward(generator, queries, keys, size, rows, columns):
    return *problem(generator, queries, keys, size)[:3], False, rows, columns


def test_memory(check):
    taken = check.measured("flash_forward", for_forward, LONG, SMALLEST)
    Q, K, V = check.once(for_forward, LONG)[:3]
    wrong = "`flash_forward` is not right yet: start there. This row counts once its values are right."
    check.equals({"O": taken.value[0]}, {"O": output(Q, K, V, False)}, otherwise=wrong)
    if taken.extra_bytes > 5_000_000:
        check.fail("`flash_forward` took more than 5 MB next to one tile; all scores have 9.2 MB.")
    if check.measured("flash_backward", for_backward, MASKED, SMALLEST).extra_bytes > 1_600_000:
        check.fail(
            "`flash_backward` took more than 1.6 MB next to one tile. With `causal`, a mask of all scores has 2.4 MB: "
            "make the mask of one tile only."
        )


def too_many_products(check, name, per_tile, counted):
    """End the check where tiles are computed again, or where a causal call computes those that no query may read."""
    products, causal = (
        sum(counted[causal][1].dispatched.get(product, 0) for product in ("mm", "bmm", "addmm"))
        for causal in (False, True)
    )
    if products > per_tile * 64:
        check.fail(
            f"On 8 x 8 tiles, `{name}` computed {products} matrix products, more than {int(per_tile)} per tile. Is "
            "something computed several times, or row by row?"
        )
    if products >= 64 and causal * 64 > products * 50:
        check.fail(
            f"Of 8 x 8 tiles, 36 have a key that a query may read. `{name}` computed {causal} matrix products with "
            f"`causal`, and {products} without: skip the other tiles."
        )


def test_operations(check):
    Q, K, V, dO = problem(check.generator(), 40, 40, 3)
    expected = {causal: Torch.flash_forward(Q, K, V, causal, 5, 5) for causal in (False, True)}
    found = {causal: check.on.counted("flash_forward", Q, K, V, causal, 5, 5) for causal in (False, True)}
    if not torch.allclose(found[True][0][0], expected[True][0]):
        check.fail("Get the value of `flash_forward` right first: with tiles of 5, `O` is not what it should be.")
    too_many_products(check, "flash_forward", 2.5, found)
    counted = {c: check.on.counted("flash_backward", dO, Q, K, V, *expected[c], c, 5, 5) for c in (False, True)}
    too_many_products(check, "flash_backward", 10.5, counted)


def test_precision(check):
    Q, K, V, _ = (tensor.float() for tensor in problem(check.generator(), 12, 16, 4))
    O, _ = check.on.call("flash_forward", Q, K, V, False, 4, 4)
    error = (O.double() - output(Q.double(), K.double(), V.double(), False)).abs().max()
    if not error < 0.01:
        check.fail("In float32, your `O` is wrong, not only inexact. Get the rows before this one right first.")
    if not error < 2e-6:
        check.fail(f"In float32, your `O` has an error of {error:.2g}; about 1e-7 is usual.")
