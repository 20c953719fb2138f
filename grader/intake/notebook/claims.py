"""What a notebook's own comparisons say: which variable is the gradient of which tensor.

`cmp('probs', dL_dp, probs)` states it, and so does `torch.allclose(dL_dp, probs.grad)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from grader.source.similar_names import MAX_COMPARED_NAME
from grader.source.syntax import all_nodes, last_name
from grader.source.unparsing import code_of

MAX_CLAIMS = 1_000
MAX_ARGUMENTS = 6
MAX_NODES_QUOTED, MAX_CHARACTERS_QUOTED = 60, 80  # nodes and characters of a comparison that a message quotes
COMPARING = frozenset({"cmp", "allclose", "isclose", "equal", "assert_close", "assert_allclose"})
KEEPS_THE_NUMBERS = frozenset(
    {"detach", "clone", "float", "double", "to", "cpu", "numpy", "contiguous", "data", "flatten"}
    | {"view", "reshape", "squeeze", "unsqueeze", "view_as", "reshape_as"}
)
"""What leaves the numbers of a tensor as they are."""
LIBRARY_PREFIXES = frozenset({"torch", "F", "np", "numpy", "plt"})


@dataclass(frozen=True)
class GradientClaim:
    """`variable` is compared with the gradient of `tensor`, or of what the string `label` names, in `code`."""

    variable: str
    label: str | None
    tensor: str | None
    code: ast.Call
    file: str

    @property
    def text(self) -> str:
        """The code as a message quotes it; long code, which may be too deep to be written, is not quoted."""
        if len(list(islice(all_nodes(self.code), MAX_NODES_QUOTED + 1))) > MAX_NODES_QUOTED:
            return "a comparison"
        text = code_of(self.code).replace("`", "'").replace("\n", " ")
        return text if len(text) <= MAX_CHARACTERS_QUOTED else text[: MAX_CHARACTERS_QUOTED - 4] + " ..."

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.code.lineno}"


def claims_in(bodies: Iterable[tuple[str, Sequence[ast.stmt]]]) -> list[GradientClaim]:
    """The comparisons in all (file, statements), each once."""
    nodes = [(file, node) for file, body in bodies for statement in body for node in all_nodes(statement)]
    kept = dict(pair for _, node in nodes for pair in kept_gradients(node))
    found: dict[tuple[str, str | None, str | None], GradientClaim] = {}
    for file, node in nodes:
        claim = claim_of_call(node, file, kept) if isinstance(node, ast.Call) else None
        if claim is not None and len(found) < MAX_CLAIMS:
            found.setdefault((claim.variable, claim.label, claim.tensor), claim)
    return list(found.values())


def kept_gradients(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """(name, tensor) of `auto = probs.grad.clone()`."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=value):
            inner = bare(value)
            if isinstance(inner, ast.Attribute) and inner.attr == "grad":
                yield name, inner.value


def claim_of_call(node: ast.Call, file: str, kept: Mapping[str, ast.expr]) -> GradientClaim | None:
    """None for a call that compares no variable with the gradient of something that has a name."""
    name = last_name(node.func)
    if name not in COMPARING:
        return None
    arguments = [*node.args, *(word.value for word in node.keywords)][:MAX_ARGUMENTS]
    if isinstance(node.func, ast.Attribute) and last_name(node.func.value) not in LIBRARY_PREFIXES:
        arguments.insert(0, node.func.value)
    label = next(
        (each.value for each in arguments if isinstance(each, ast.Constant) and isinstance(each.value, str)), None
    )
    variables: list[str] = []
    tensors: list[str] = []
    for inner in map(bare, arguments):
        if isinstance(inner, ast.Attribute) and inner.attr == "grad":
            tensors.append(last_name(bare(inner.value)))
        elif isinstance(inner, ast.Name) and inner.id in kept:
            tensors.append(last_name(bare(kept[inner.id])))
        elif isinstance(inner, ast.Name):
            variables.append(inner.id)
        elif not isinstance(inner, ast.Constant) and name == "cmp":
            return None  # an expression that is compared
    if name == "cmp" and not tensors:  # the lecture's takes the tensor itself
        variables, tensors = variables[:1], variables[1:2]
    tensor = tensors[0] if tensors else None
    if len(variables) != 1 or len(tensors) > 1 or (tensor is None and label is None):
        return None
    if variables[0] == tensor or max(map(len, (variables[0], label or "", tensor or ""))) > MAX_COMPARED_NAME:
        return None
    return GradientClaim(variables[0], label, tensor, node, file)


def bare(node: ast.expr) -> ast.expr:
    """`probs.grad.clone()` and `dp.view(-1)` without what leaves the numbers as they are."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KEEPS_THE_NUMBERS:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in KEEPS_THE_NUMBERS:
            node = node.value
        else:
            return node
