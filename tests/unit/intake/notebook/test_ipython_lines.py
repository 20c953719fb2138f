"""A cell as IPython reads it, and what is read of a cell that Python cannot parse."""

from __future__ import annotations

import ast

from grader.intake.notebook.ipython_lines import python_of
from grader.intake.notebook.readable_lines import readable_statements


def test_magics_give_way_line_for_line():
    for source, python in [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!wget x \\\n  -O y\nx = 1", "pass\n\nx = 1"),
        ("if a:\n    !ls\n    %cd ..\n", "if a:\n    pass\n    pass\n"),
        ("%%time\nx = 1", "pass\nx = 1"),
        ("# note\n%%capture out\nx = 1", "# note\npass\nx = 1"),
        ("%%bash\nx = 1", ""),
        ("%%writefile backward.py\nx = 1", "pass\nx = 1"),
        ("%time x = f(1)", "x = f(1)"),
        ("torch.max?\n?torch\nx??", "pass\npass\npass"),
        ('%%check 01.f\ndef f():\n    """Why?"""\n    return 1', 'pass\ndef f():\n    """Why?"""\n    return 1'),
        ('%%check 01.f\ndef f():\n    """Why?\n    """', 'pass\ndef f():\n    """Why?\n    """'),
        ("files = !ls\nx = 1", "pass\nx = 1"),
        ("x = (7\n    %a)", "x = (7\n    %a)"),
        ("  x = 1\n  !ls", "x = 1\npass"),
        ("x = 1 +", "x = 1 +"),
        ("", ""),
    ]:
        assert python_of(source) == python


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
