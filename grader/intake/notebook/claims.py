"""What a notebook's own comparisons say: which variable is the gradient of which tensor.

`cmp('probs', dL_dp, probs)` states it, and so does `torch.allclose(dL_dp, probs.grad)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from grader.source.similar_names import MAX_COMPARED_NAME
from grader.source.syntax import all_nodes, last_name

MAX_CLAIMS = 1_000
MAX_ARGUMENTS = 6
MAX_NODES_QUOTED, MAX_CHARACTERS_QUOTED = 60, 80  # nodes and characters of a comparison that a message quotes
COMPARING = frozenset({"cmp", "allclose", "isclose", "equal", "assert_close", "assert_allclose"})
KEEPS_THE_NUMBERS = frozenset(
    {"detach", "clone", "float", "double", "to", "cpu", "numpy", "contiguous", "data", "flatten"}
    | {"view", "reshape", "squeeze", "unsqueeze", "view_as", "reshape_as"}
)
"""What leaves the numbers of a tensor as they are."""


class GradientClaim(NamedTuple):
    """`variable` is compared with the gradient of `tensor`, or of what the string `label` names; "" if not given.

    `text` is the code as a message quotes it, `place` its file and line.
    """

    variable: str
    label: str
    tensor: str
    text: str
    place: str


def claims_in(bodies: Iterable[tuple[str, Sequence[ast.stmt]]]) -> list[GradientClaim]:
    """The comparisons in all (file, statements), each once."""
    nodes = [(file, node) for file, body in bodies for statement in body for node in all_nodes(statement)]
    found: dict[tuple[str, str, str], GradientClaim] = {}
    for file, node in nodes:
        said = compared_in(node) if isinstance(node, ast.Call) and len(found) < MAX_CLAIMS else None
        if isinstance(node, ast.Call) and said is not None and said not in found:
            found[said] = GradientClaim(*said, claim_text(node), f"{file}, line {node.lineno}")
    return list(found.values())


def compared_in(node: ast.Call) -> tuple[str, str, str] | None:
    """(variable, label, tensor), where the call compares a variable with the gradient of something that has a name."""
    name = last_name(node.func)
    if name not in COMPARING:
        return None
    arguments = [*node.args, *(word.value for word in node.keywords)][:MAX_ARGUMENTS]
    label, variables, tensors = "", list[str](), list[str]()
    for each in map(bare, arguments):
        if differentiated(each):
            tensors.append(differentiated(each))
        elif isinstance(each, ast.Name):
            variables.append(each.id)
        elif isinstance(each, ast.Constant):
            label = label or (each.value if isinstance(each.value, str) else "")
        elif name == "cmp":
            return None  # an expression that is compared
    if name == "cmp" and not tensors:  # the lecture's takes the tensor itself
        variables, tensors = variables[:1], variables[1:2]
    tensor = "".join(tensors)
    if len(variables) != 1 or len(tensors) > 1 or not (tensor or label) or variables[0] == tensor:
        return None
    return None if max(map(len, (variables[0], label, tensor))) > MAX_COMPARED_NAME else (variables[0], label, tensor)


def differentiated(node: ast.expr) -> str:
    """`probs` of `probs.grad.clone()`; "" for anything else."""
    inner = bare(node)
    return last_name(bare(inner.value)) if isinstance(inner, ast.Attribute) and inner.attr == "grad" else ""


def claim_text(node: ast.Call) -> str:
    """The code as a message quotes it; long code, which may be too deep to be written, is not quoted."""
    if len(list(islice(all_nodes(node), MAX_NODES_QUOTED + 1))) > MAX_NODES_QUOTED:
        return "a comparison"
    text = ast.unparse(node).replace("`", "'").replace("\n", " ")
    return text if len(text) <= MAX_CHARACTERS_QUOTED else text[: MAX_CHARACTERS_QUOTED - 4] + " ..."


def bare(node: ast.expr) -> ast.expr:
    """`probs.grad.clone()` and `dp.view(-1)` without what leaves the numbers as they are."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KEEPS_THE_NUMBERS:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in KEEPS_THE_NUMBERS:
            node = node.value
        else:
            return node
