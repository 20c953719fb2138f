"""A lambda is read as a function is.

lesson: 01
by: dojo
dpositive: failed | = In `dlogarithm * positive`, the `*` in front of `positive` is the wrong operation. With
    another one, your `dpositive` is right. What is the local derivative of the forward line?
others: passed
"""

dpositive = lambda dlogarithm, positive: dlogarithm * positive  # noqa: E731
