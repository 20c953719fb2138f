"""Which lines of a loop are left out for the step of one gradient: those that fill what the step is given."""

from __future__ import annotations

import ast

import pytest

from grader.intake.notebook.loop_parts import without_other_gradients

ROUNDS = "for k in range(m):"


def left(text: str, *others: str) -> tuple[str, set[str]]:
    (loop,) = ast.parse(text).body
    node, left_out = without_other_gradients(loop, others)
    return ast.unparse(node), set(left_out)


def rows(*lines: str) -> str:
    return "for r in range(n):\n" + "\n".join("    " + line for line in lines)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (rows("dy[r] = f(x[r])", "dx[r] = 2 * dy[r]"), rows("dx[r] = 2 * dy[r]")),
        (rows("dy[r] = f(x[r])", "dx[r] = 2 * dy[r, 0]"), rows("dx[r] = 2 * dy[r, 0]")),
        (rows("dy[r] += a[r]", "dy[r] += b[r]", "dx[r] = dy[r]"), rows("dx[r] = dy[r]")),
        (rows("dy[r, :] = f(x[r])", "dx[r] = sum(dy[r, :])"), rows("dx[r] = sum(dy[r, :])")),
        (rows("dy[r] = f(x[r])", "if r > 2:", "    dx[r] = dy[r]"), rows("if r > 2:", "    dx[r] = dy[r]")),
        (rows("dy[g(r)] += x[r]", "dx[r] = x[r]"), rows("dx[r] = x[r]")),  # nothing reads it
        (rows("dy += outer(x[r], dx[r])"), rows("pass")),
        (rows(ROUNDS, " dy[r, k] = x[k]", " dx[r, k] = dy[r, k]"), rows(ROUNDS, " dx[r, k] = dy[r, k]")),
        ("for r, v in enumerate(x):\n    dy[r] = v\n    dx[r] = dy[r]", "for r, v in enumerate(x):\n    dx[r] = dy[r]"),
    ],
)
def test_final_elements(text, rest):
    assert left(text, "dy") == (ast.unparse(ast.parse(rest)), {"dy"})


@pytest.mark.parametrize(
    "text",
    [
        rows("dx[r] = dy[r]", "dy[r] = f(x[r])"),  # read before it is filled
        rows("dy[r] += a[r]", "dx[r] = dy[r]", "dy[r] += b[r]"),  # half done
        rows("dy[r] = f(x[r])", "dx[r] = dy[r - 1]"),  # another element
        rows("dy[r] = f(x[r])", "dx[r] = dy.sum()"),  # all elements, of which some are still to come
        rows("dy[r, 0] = f(x[r])", "dx[r] = dy[r]"),  # more than is filled
        rows("dy[0] += x[r]", "dx[r] = dy[0]"),  # filled in every round
        rows("for k in range(m):", "    dy[r] = x[k]", "    dx[r, k] = dy[r]"),  # overwritten
        rows("if r > 2:", "    dy[r] = x[r]", "dx[r] = dy[r]"),  # not always filled
        rows("dy[r] = x[r]", "r += 1", "dx[r] = dy[r]"),
        rows("dy[r] = x[r]", "for r in range(m):", "    dx[r] = dy[r]"),
        rows("dy[r] = dy[r] + x[r]", "dx[r] = dy[r]"),  # reads itself
        rows("dy[r] = x[r]", "view = dy[r]", "view += 1", "dx[r] = dy[r]"),  # another name for a part
        rows("dy[r] = x[r]", "dx[r] = change(dy[r])"),
        rows("dy[r] = x[r]", "dx[r] = dy[r].mul_(2)"),
        rows("dy[r] = x[r]", "dx[r] = torch.neg(x[r], out=dy[r])"),
        rows("dy[r] = x[r]", "for v in dy[r]:", "    dx[r] += v"),
        rows("dy[r] = x[r]", "while dy[r] > 0:", "    dx[r] += 1"),
        rows("dy = dy + x[r]", "dx[r] = dy"),
        rows("dx[r] = x[r]"),  # does not fill it
        "for r in indices:\n    dy[r] = x[r]\n    dx[r] = dy[r]",  # may have one number twice
        "for r in range(-n, n):\n    dy[r] = x[r]\n    dx[r] = dy[r]",  # counts each element twice
    ],
)
def test_everything_else_stays_whole(text):
    assert left(text, "dy") == (ast.unparse(ast.parse(text)), set())


def test_one_that_only_another_one_reads():
    text = rows("dz[r] = x[r]", "dy[r] = dz.sum()", "dx[r] = 2 * dy[r]")
    assert left(text, "dy", "dz") == (rows("dx[r] = 2 * dy[r]"), {"dy", "dz"})


def test_every_statement_keeps_its_line():
    (loop,) = ast.parse(
        rows("for k in range(m):", "    dy[r, k] = x[k]", "if r:", "    dy[r] += 1", "dx[r] = x[r]")
    ).body
    node, _ = without_other_gradients(loop, ["dy"])
    lines = [each.lineno for each in ast.walk(node) if isinstance(each, ast.stmt)]
    assert sorted(lines) == [1, 2, 2, 4, 4, 6]
