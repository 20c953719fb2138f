"""No lesson asks for what only a later one derives, and no answer is worth the points of a later lesson by itself."""

from __future__ import annotations

import ast
from collections import defaultdict

from support import ROOT

from grader.lesson.lesson import Course

FEW = 3
"""An answer of so few operations is a pattern of lesson 01, such as a product or a sum, and occurs often."""
PRACTISED_AGAIN = {
    ("03.dbnvar", "11.dvar"),  # lesson 03 teaches the derivative of (v + 1e-5)**-0.5, lesson 11 uses it
    ("12.dx", "13.dx"),  # lesson 12 teaches that x is read by three projections
    ("15.clip", "16.clip"),  # lesson 15 teaches clipping by norm; a recurrent network cannot be trained without it
    ("14.gelu_backward", "15.gelu_backward"),  # lesson 15 is built from the parts of lesson 14
}
DERIVED_LATER = {"02.dlogits": "04", "02.dh": "05"}


class Renamed(ast.NodeTransformer):
    """The same code with the names of variables numbered in the order of their appearance."""

    def __init__(self) -> None:
        self.numbers: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.numbers.setdefault(node.id, f"v{len(self.numbers)}"), node.ctx)


def operations(body: list[ast.stmt]) -> int:
    kinds = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript)
    return sum(isinstance(node, kinds) for statement in body for node in ast.walk(statement))


def test_an_answer_of_several_operations_is_not_an_answer_of_a_later_lesson():
    found = defaultdict(list)
    for path in sorted((ROOT / "solutions").glob("*/backward.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if operations(body) > FEW:
                    renamed = Renamed()
                    form = "\n".join(ast.dump(renamed.visit(statement)) for statement in body)
                    found[form].append(f"{path.parent.name[:2]}.{node.name}")
    assert {tuple(names) for names in found.values() if len({name[:2] for name in names}) > 1} <= PRACTISED_AGAIN


def test_what_a_later_lesson_derives_waits_for_it():
    lessons = list(Course(ROOT).lessons.values())
    waiting = {
        f"{each.number}.{item.name}": item.taught_in for each in lessons for item in each.items if item.taught_in
    }
    assert waiting == DERIVED_LATER
    numbers = [each.number for each in lessons]
    assert all(name[:2] in numbers and name[:2] < later and later in numbers for name, later in waiting.items())
