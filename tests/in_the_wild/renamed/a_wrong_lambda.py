"""A lambda is read as a function is.

lesson: 01
by: dojo
dpositive: failed | = `dlogarithm * positive` multiplies. If it divides, your `dpositive` is right. What is the
    local derivative of the forward line?
others: passed
"""

dpositive = lambda dlogarithm, positive: dlogarithm * positive  # noqa: E731
