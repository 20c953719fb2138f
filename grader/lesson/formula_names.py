"""Which names a known mistake's formula reads: they become the parameters of its function."""

from __future__ import annotations

import ast
import symtable
import textwrap

from grader.source.parsing import global_names


def names_of_formula(formula: str, body: list[ast.stmt]) -> list[str]:
    """The names that a function with this body reads without giving them a value first, each once, in order."""
    text = textwrap.indent(formula, "    ")
    (table,) = symtable.symtable(f"def formula():\n{text}", "formula", "exec").get_children()
    read, given = global_names(table), set[str]()
    assigned = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
    ordered: list[ast.Name] = []
    for statement in body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if assigned and isinstance(statement, (ast.Assign, ast.AugAssign)):
            updated = [statement.target] if isinstance(statement, ast.AugAssign) else []
            own = {node.id for node in names if isinstance(node.ctx, ast.Load) or node in updated}
            read |= own & assigned - given
        given |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
        ordered += sorted(names, key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(node.id for node in ordered if node.id in read))
