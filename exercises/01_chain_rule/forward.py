"""Fifteen tiny graphs with one or two operations each, and one small network: linear, tanh, sum.

`t.name = expression` names a value; your gradients are with respect to these names. The graphs are
independent of each other: each one has its own inputs.
"""

import torch


def inputs(generator, rows=4, columns=3, inner=5, vocabulary=7, lookups=6):
    """A few small tensors for each graph, most of them of shape (rows, columns).

    `embedding` is (vocabulary, columns). `tokens` (lookups,) says which of its rows are looked up, one of them twice.
    """

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    def positive(*shape):
        return torch.rand(shape, generator=generator) + 0.5

    tokens = torch.randint(0, vocabulary, (lookups,), generator=generator)
    tokens[-1] = tokens[0]
    return {
        "p": normal(rows, columns),
        "q": normal(rows, columns),
        "u": normal(rows, columns),
        "v": normal(rows, columns),
        "fork": normal(rows, columns),
        "positive": positive(rows, columns),
        "exponent": normal(rows, columns),
        "base": positive(rows, columns),
        "grid": normal(rows, columns),
        "sheet": normal(rows, columns),
        "ledger": normal(rows, columns),
        "marks": normal(rows, columns),
        "tile": normal(columns),
        "matrix": normal(rows, columns),
        "column": normal(rows, 1),
        "rating": normal(rows, columns),
        "embedding": normal(vocabulary, columns),
        "tokens": tokens,
        "left": normal(rows, inner),
        "right": normal(inner, columns),
        "x": normal(rows, inner),
        "W": normal(inner, columns) / inner**0.5,
        "b": normal(columns) * 0.1,
        "rows": rows,
        "columns": columns,
    }


def forward(t):
    # two values are combined
    t.added = t.p + t.q
    t.product = t.u * t.v
    # one value is used twice
    t.twice = 2 * t.fork
    t.shifted = t.fork - 1
    # one function is applied to every element
    t.logarithm = t.positive.log()
    t.exponential = t.exponent.exp()
    t.power = t.base**-0.5
    # many values become one: sums and means
    t.total = t.grid.sum()
    t.column_sums = t.sheet.sum(0)
    t.row_sums = t.ledger.sum(1, keepdim=True)
    t.row_means = t.marks.mean(1)
    # one value becomes many: broadcasts
    t.tiled = t.tile.broadcast_to((t.rows, t.columns))
    t.scaled = t.matrix * t.column
    # some values are picked out
    t.highest = t.rating.max(1, keepdim=True).values
    t.looked_up = t.embedding[t.tokens]
    # the matrix product
    t.matmul = t.left @ t.right

    # a small network: linear, tanh, sum
    t.z = t.x @ t.W + t.b
    t.a = torch.tanh(t.z)
    t.loss = t.a.sum()


# Changes to the inputs, for some hidden problems and for some of those of `dojo check` (`change` in lesson.toml).


def without_the_last(inputs):
    """The last token never occurs, and no row has its maximum in the last column."""
    inputs["tokens"] %= len(inputs["embedding"]) - 1
    inputs["rating"][:, -1] = inputs["rating"].min() - 1.0


def two_highest(inputs):
    """In every row, the first and the last column both hold the row's maximum."""
    rating = inputs["rating"]
    rating[:, 0] = rating[:, -1] = rating.max(1).values + 1.0


TIE = {
    "drating": "Where two elements share the maximum of a row, your `drating` differs from torch's: `max(1)` sends the "
    "gradient to only one of them. At a tie there is no derivative, so this costs no points. But does your row still "
    "add up to `dhighest`?"
}
