"""A cell as IPython reads it: indentation, prompts, magics. IPython itself says what is right."""

from __future__ import annotations

import ast

import pytest

from grader.intake.notebook.ipython_lines import python_of
from grader.intake.notebook.readable_lines import readable_statements

transformer2 = pytest.importorskip("IPython.core.inputtransformer2")

CODE = "def f(x):\n    y = x + 1\n\n    return y\nz = f(1)\n"


SAME_AS_IPYTHON = {
    "plain": CODE,
    "indented": "".join(f"    {line}" for line in CODE.splitlines(keepends=True)),
    "magics": "%matplotlib inline\nx = 1\n!ls\ny = 2\n",
    "magics in a block": "if x:\n    %time\n    !ls\n    y = 1\n",
    "indented magics": "  %matplotlib inline\n  x = 1\n",
    "help": "x = 1\nx?\nx.sum??\n?x\nx[0]?\n",
    "help on what is assigned": "x = 1\ny = x?\nz = 2\n",
    "a semicolon": "x = 1;\ny = 2;\n",
    "assigned": "a.b = !ls\nc, d = %who\nx = 1\n",
    "a line that goes on": "!ls \\\n  -l\nx = 1\n",
    "a remainder in brackets": "x = (7\n    % 4)\n",
    "an annotation": "x: int = 1\n",
    "three dots": "def f():\n    ...\n",
}


def own_statements(tree: ast.Module) -> list[str]:
    """The statements other than commands of IPython and what stands in their place."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.Return):
            text = ast.unparse(node)
            if "get_ipython" not in text:
                found.append(text)
    return found


def test_a_cell_is_read_as_ipython_reads_it():
    for name in SAME_AS_IPYTHON:
        source = SAME_AS_IPYTHON[name]
        theirs = transformer2.TransformerManager().transform_cell(source)
        ours = python_of(source)
        assert own_statements(ast.parse(ours)) == own_statements(ast.parse(theirs))
        assert len(ours.split("\n")) == len(source.split("\n"))


def test_unfinished_lines_cost_only_themselves():
    for text, read, left_out in [
        ("dh = 1\ndhpreact =\ndbngain = # later\ndW2 = 2", ["dh", "dhpreact", "dbngain", "dW2"], []),
        ("dh = (1\ndW2 = 2", ["dW2"], [1]),
        ("dh = 1)\ndW2 = 2", ["dW2"], [1]),
        ("dh = 1\n dW2 = 2\ndb2 = 3", ["dh", "db2"], [2]),
        ("dh = h.\ndW2 = 2", ["dW2"], [1]),
        ("dh = 'a\ndW2 = 2", ["dW2"], [1]),
        ("with a:\n  for i in x:\n    dh =\n    dW2 = 2", ["dh", "dW2"], []),
        ("for i in x\n    dh = 1\ndW2 = 2", ["dW2"], [1]),
        ("I am text.\nSo am I (really).\ndW2 = 2", ["dW2"], [1, 2]),
    ]:
        statements, broken = readable_statements("a", text)
        names = [n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and n.id[:1] == "d"]
        assert sorted(names) == sorted(read)
        assert [each.line for each in broken] == left_out


def test_an_unfinished_line_is_still_to_be_written():
    (statement,), _ = readable_statements("a", "dh =")
    assert ast.unparse(statement) == "dh = ..."
