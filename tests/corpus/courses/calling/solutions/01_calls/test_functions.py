"""The hidden suite of a lesson that is no step table."""

import math

import torch

from grader.calling.protocol import Function


def largest(on, generator, rows):
    a, b = torch.randn(2, rows, 3, generator=generator, dtype=torch.float64)
    return on.call("gap", a, b=b)


def test_gap(check):
    check.agrees(largest, draws=({"rows": 4}, {"rows": 1}))


def twice(on, generator):
    values = [torch.randn(2, generator=generator, dtype=torch.float64) for _ in range(3)]
    _, (after,) = on.apply("doubled", values)
    return after


def test_doubled(check):
    check.agrees(twice)


def counted(Counter, size, batches):
    counter = Counter(size)
    return {"means": [counter.add(batch) for batch in batches], "seen": counter.seen}


def two_batches(on, generator, size):
    batches = [torch.randn(n, size, generator=generator, dtype=torch.float64) for n in (3, 5)]
    return on.run_with(["Counter"], Function(counted), size, batches)


class Reference:
    class Counter:
        def __init__(self, size):
            self.rows = []
            self.seen = 0

        def add(self, x):
            self.rows.append(x)
            self.seen += len(x)
            return torch.cat(self.rows).mean(0)


def test_kept(check):
    check.agrees(two_batches, draws=({"size": 2}, {"size": 4}), reference=Reference)


def cubic(x, scale):
    return scale * x**3 + math.sin(x)


def at_a_point(on, generator):
    x = torch.rand((), generator=generator).item()
    return on.call("slope", Function(cubic, scale=2.0), x)


def test_slope(check):
    check.agrees(at_a_point, tolerance=1e-7)


def from_a_generator(on, generator):
    return on.call("drawn", torch.Generator().manual_seed(5), 4)


def test_drawn(check):
    check.agrees(from_a_generator)


def test_in_few_operators(check):
    _, counts = check.on.counted("gap", torch.zeros(3), torch.ones(3))
    if counts.operators > 6:
        check.fail(f"`gap` takes {counts.operators} operators; 4 are enough.")
