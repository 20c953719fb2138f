"""Which expressions share the memory of a name, and which calls change a tensor in place. Read from the text alone."""

from __future__ import annotations

import ast
from collections.abc import Collection

VIEW_ATTRIBUTES = frozenset({"T", "mT", "data"})
VIEW_METHODS = frozenset(
    {"view", "view_as", "reshape", "squeeze", "unsqueeze", "t", "transpose", "permute", "expand", "expand_as"}
    | {"flatten", "ravel", "contiguous", "detach", "numpy", "narrow", "select", "diagonal", "swapaxes", "movedim"}
)
"""Methods whose result may share its memory with the tensor that they are called on."""
VIEW_FUNCTIONS = frozenset(
    {"from_numpy", "as_tensor", "asarray", "squeeze", "unsqueeze", "transpose", "reshape", "flatten"}
)
"""Functions of torch and numpy whose result may share its memory with their first argument."""
ARRAY_LIBRARIES = frozenset({"torch", "np", "numpy"})


def ends_in_underscore(method: str) -> bool:
    """Whether it is PyTorch's name for a method that changes its object and returns it: `add_`, `requires_grad_`."""
    return method.endswith("_") and not method.startswith("_")


def changes_numbers(method: str) -> bool:
    """Whether a method changes its object's numbers in place."""
    return ends_in_underscore(method) and method not in ("requires_grad_", "retain_grad_")


def shared_object(expression: ast.expr, attributes: Collection[str] | None = None) -> ast.expr | None:
    """The object whose memory an expression shares: `x` of `x[0]`, `x.T`, `x.view(-1)` and `x.add_(1)`.

    None where the expression makes an object of its own. `attributes` are those that share memory; None for all.
    """
    if isinstance(expression, ast.Subscript | ast.Starred):
        return expression.value
    if isinstance(expression, ast.Attribute):
        return expression.value if attributes is None or expression.attr in attributes else None
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        called = expression.func
        of_library = isinstance(called.value, ast.Name) and called.value.id in ARRAY_LIBRARIES
        if of_library and called.attr in VIEW_FUNCTIONS and expression.args:
            return expression.args[0]
        if called.attr in VIEW_METHODS or called.attr.endswith("_"):
            return called.value
    return None


class SharedNames:
    """Finds the name whose memory an expression shares, through any chain of views.

    Each link of a chain is followed once, however often and from wherever the chain is followed, so that the time
    is linear in the length of the text. `attributes` as in `shared_object`.
    """

    def __init__(self, attributes: Collection[str] | None = None) -> None:
        self._attributes = attributes
        self._known: dict[ast.expr, str | None] = {}

    def name_of(self, expression: ast.expr | None) -> str | None:
        """`a` for a, a.T, a[0] and a.view(...); None for an expression that makes an object of its own."""
        found: str | None = None
        links: list[ast.expr] = []
        while expression is not None:
            if isinstance(expression, ast.Name):
                found = expression.id
                break
            if expression in self._known:
                found = self._known[expression]
                break
            links.append(expression)
            expression = shared_object(expression, self._attributes)
        self._known.update(dict.fromkeys(links, found))
        return found
