"""The line of a loop that does not end does not depend on where in it the code was interrupted."""

import textwrap

import pytest

from grader.source.loop_lines import line_of_loop

FILE = textwrap.dedent(
    """\
    def helper(x):
        for _ in range(10**12):
            x = x + 1
        return x


    def dx(dy):
        while dy is not None:
            for _ in range(3):
                helper(dy)
            dy = dy + 1


    def dw(dy):
        total = 0
        for row in dy:
            total += row
            while True:
                total += 1
        return total


    def db(dy):
        return [
            row
            for _ in range(10**12)
            for row in ()
        ]


    def du(dy):
        for row in dy:
            while True:
                break

        def inner(x):
            return x

        return inner(dy)
    """
)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        *(([line], 8) for line in (8, 9, 10, 11)),
        *(([10, line], 8) for line in (2, 3)),  # in a helper that the loop calls
        *(([line], 2) for line in (2, 3)),
        *(([line], 18) for line in (16, 17, 18, 19)),  # the one that cannot end
        *(([line], 24) for line in (24, 25, 26, 27)),  # one statement
        *(([line], 32) for line in (32, 33, 34)),
        ([39, 37], 37),
        ([], None),
        ([99], None),
    ],
)
def test_line_of_loop(lines, expected):
    assert line_of_loop(FILE, lines) == expected


def test_a_file_that_cannot_be_parsed_has_no_such_line():
    assert line_of_loop("def dx(:\n", [1]) is None
