"""The names that a function takes from outside, as Python itself resolves them.

A reading of the syntax tree can be misled: in `[0 for name in ()]` the name belongs to the comprehension, and the same
name elsewhere in the function is another one, which Python looks up in the module and then among its own.
"""

from __future__ import annotations

import symtable


def names_from_outside(text: str) -> set[str]:
    """The global and built-in names that the function in `text` uses, wherever inside it; without its annotations.

    Raises SyntaxError where Python refuses the text, and ValueError where it is not one function.
    """
    (function,) = (each for each in symtable.symtable(text, "", "exec").get_children() if each.get_type() == "function")
    return global_names(function)


def global_names(table: symtable.SymbolTable) -> set[str]:
    """What a function, its lambdas and its comprehensions use that is not their own."""
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return found.union(*map(global_names, table.get_children()))
