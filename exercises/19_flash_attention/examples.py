"""The public examples that `dojo check 19` runs: torch's own attention on small problems, and measurements.

The hidden test suite uses other problems, and measures on others, too.
"""

import torch
import torch.nn.functional as F

LONG = {"queries": 96, "keys": 12000, "size": 4, "rows": 96, "columns": 240}  # all scores have 9.2 MB

SMALLEST = """
def flash_forward(Q, K, V, causal, rows, columns):
    (K[:columns] @ Q[:rows].T).exp().sum(0)
    return Q.clone(), Q[:, 0].clone()


def flash_backward(dO, Q, K, V, O, L, causal, rows, columns):
    (K[:columns] @ Q[:rows].T).exp().sum(0)
    return Q.clone(), K.clone(), V.clone()
"""  # what every answer needs, measured in a process of its own


def problem(generator, queries, keys, size):
    """(Q, K, V, dO)"""
    lengths = (queries, keys, keys, queries)
    return [torch.randn(length, size, generator=generator, dtype=torch.float64) for length in lengths]


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


def forward(on, generator, causal, rows, columns):
    Q, K, V, _ = problem(generator, 6, 4 if not causal else 6, 3)
    O, L = on.call("flash_forward", Q, K, V, causal, rows, columns)
    return {"O": O, "L": L}


def backward(on, generator, causal, rows, columns):
    Q, K, V, dO = problem(generator, 6, 4 if not causal else 6, 3)
    results = Torch.flash_forward(Q, K, V, causal, rows, columns)
    dQ, dK, dV = on.call("flash_backward", dO, Q, K, V, *results, causal, rows, columns)
    return {"dQ": dQ, "dK": dK, "dV": dV}


EVEN = ({"causal": False, "rows": 3, "columns": 2}, {"causal": True, "rows": 2, "columns": 3})


def test_add_tile(check):
    m, l = torch.tensor([float("-inf")]).double(), torch.zeros(1).double()
    state = (m, l, torch.zeros(1, 2).double())
    V = torch.tensor([[1.0, 0.0], [0.0, 4.0]]).double()
    state = check.on.call("add_tile", *state, torch.tensor([[1.0, 1.0]]).double(), V)
    found = dict(zip(("m", "l", "acc"), state, strict=True))
    check.equals(found, {"m": m.new_tensor([1]), "l": m.new_tensor([2]), "acc": m.new_tensor([[1, 4]])})
    higher = 1 + torch.log(m.new_tensor([[2.0, 2.0]]))  # twice the weight of the scores before
    m, l, acc = check.on.call("add_tile", *state, higher, V)
    check.equals({"l": l, "acc": acc}, {"l": m.new_tensor([3]), "acc": m.new_tensor([[1.5, 6]])})


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


def test_flash_backward(check):
    check.agrees(backward, draws=EVEN, reference=Torch)


def test_any_tiles(check):
    draws = ({"causal": True, "rows": 4, "columns": 5}, {"causal": False, "rows": 4, "columns": 3})
    check.agrees(forward, draws=draws, reference=Torch)
    check.agrees(backward, draws=draws, reference=Torch)


def for_forward(generator, queries, keys, size, rows, columns):
    return *problem(generator, queries, keys, size)[:3], False, rows, columns


def test_memory(check):
    taken = check.measured("flash_forward", for_forward, LONG, SMALLEST)
    Q, K, V = check.once(for_forward, LONG)[:3]
    check.equals({"O": taken.value[0]}, {"O": output(Q, K, V, False)})
    if taken.extra_bytes > 5_000_000:
        check.fail(f"`flash_forward` took {taken.extra_bytes / 1e6:.0f} MB more than one tile; all scores have 9.2 MB.")


def test_operations(check):
    Q, K, V, _ = problem(check.generator(), 40, 40, 3)
    (O, _), counts = check.on.counted("flash_forward", Q, K, V, True, 5, 5)
    if not torch.allclose(O, output(Q, K, V, True)):
        check.fail("Get the value of `flash_forward` right first: with tiles of 5, `O` is not what it should be.")
    products = sum(counts.dispatched.get(name, 0) for name in ("mm", "bmm", "addmm"))
    if products > 2.5 * 36:
        check.fail(f"Of 8 x 8 tiles, 36 have a key that a query may read: {products} matrix products are too many.")


def test_precision(check):
    Q, K, V, _ = (tensor.float() for tensor in problem(check.generator(), 12, 16, 4))
    O, _ = check.on.call("flash_forward", Q, K, V, False, 4, 4)
    error = (O.double() - output(Q.double(), K.double(), V.double(), False)).abs().max()
    if not error < 2e-6:
        check.fail(f"In float32, your `O` has an error of {error:.2g}; about 1e-7 is usual.")
