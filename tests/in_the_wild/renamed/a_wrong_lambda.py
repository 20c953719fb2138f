"""A lambda is read as a function is.

lesson: 01
by: dojo
dpositive: failed | = In `dlogarithm * positive`, you multiply by `positive`. If you divide by it, your `dpositive`
    is right. What is the
    local derivative of the forward line?
others: passed
"""

dpositive = lambda dlogarithm, positive: dlogarithm * positive  # noqa: E731
