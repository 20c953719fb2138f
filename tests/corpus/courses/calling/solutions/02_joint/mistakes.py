"""Known mistakes of the joint function."""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[backward]
- dy = 2 * y / n
no_mean: dy = 2 * y
    The loss is divided by n.

- dy.sum(0)
twice_x: (x.sum(1, keepdim=True) * dy).sum(0)
    x is not part of db.
""")
