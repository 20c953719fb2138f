"""Known mistakes: a formula, and edits of the answer key."""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[gap]
mean: distance = (a - b).abs(); {"gap": distance.mean().item(), "where": int(distance.argmax())}
    This is the mean distance, and the largest one was asked for.

[Counter]
- self.total = self.total + x.sum(0)
last_batch: self.total = x.sum(0)
    This is the mean of the last batch alone: keep the total.

[slope]
- (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
one_sided: (f(x + 1e-5) - f(x)) / 1e-5
    This is a difference to one side: it is off by a term in eps.

[drawn]
- torch.randn(n,
uniform: torch.rand(n,
    These numbers are uniform, not normal.

[doubled]
- value *= 2
tripled: value *= 3
    That is three times.
""")
