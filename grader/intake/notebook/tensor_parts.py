"""Gradients that a notebook keeps at its tensors: as an attribute, `probs.man`, or in a dictionary, `grads[probs]`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterable, Mapping, Sequence

from grader.intake.notebook.claims import bare
from grader.intake.notebook.object_classes import NAMESPACE_CLASSES
from grader.source.syntax import all_nodes, last_name

MIN_TENSORS_WITH_GRADIENTS = 3
"""Tensors with the same attribute, or in the same dictionary, from which on they hold gradients."""
Bodies = Sequence[tuple[str, Sequence[ast.stmt]]]


def without_tensor_parts(bodies: Bodies) -> tuple[Bodies, dict[str, str]]:
    """The statements with plain variables for such attributes and texts for such keys; {variable: the attribute}."""
    nodes = [node for _, body in bodies for statement in body for node in all_nodes(statement)]
    assigned = [(target, node.value) for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    made = {t.id: last_name(v.func) for t, v in assigned if isinstance(t, ast.Name) and isinstance(v, ast.Call)}
    objects = NAMESPACE_CLASSES | {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    attributes: dict[str, dict[str, None]] = {}  # {attribute: the tensors that have it}
    keys: dict[str, set[str]] = {}  # {dictionary: the tensors that are its keys}
    for target, value in assigned:
        match target:
            case ast.Attribute(value=ast.Name(id=tensor), attr=attribute):
                if made.get(tensor) not in objects and is_computed(value):
                    attributes.setdefault(attribute, {})[tensor] = None
            case ast.Subscript(value=ast.Name(id=dictionary), slice=ast.Name(id=tensor)):
                keys.setdefault(dictionary, set()).add(tensor)
    bound = {target.id: value for target, value in assigned if isinstance(target, ast.Name)}
    is_empty = {name for name, value in bound.items() if isinstance(value, ast.Dict) or made.get(name) == "dict"}
    keys = {
        name: tensors
        for name, tensors in keys.items()
        if name in is_empty and len(tensors) >= MIN_TENSORS_WITH_GRADIENTS
    }
    variables = variables_for(attributes, {node.id for node in nodes if isinstance(node, ast.Name)})
    if not variables and not keys:
        return bodies, {}
    rename = TensorParts(variables, keys)
    changed = [(file, [rename.visit(copy.deepcopy(node)) for node in body]) for file, body in bodies]
    return changed, {name: f"{tensor}.{attribute}" for (tensor, attribute), name in variables.items()}


def variables_for(attributes: Mapping[str, Collection[str]], taken: set[str]) -> dict[tuple[str, str], str]:
    """{(tensor, attribute): a variable that is not `taken`}, for attributes that enough tensors have."""
    variables: dict[tuple[str, str], str] = {}
    for attribute, tensors in sorted(attributes.items(), key=lambda entry: -len(entry[1])):
        for tensor in tensors if len(tensors) >= MIN_TENSORS_WITH_GRADIENTS else ():
            names = (f"d{tensor}", f"grad_of_{tensor}", f"{attribute}_of_{tensor}")
            variables[tensor, attribute] = next((name for name in names if name not in taken), names[-1])
            taken.add(variables[tensor, attribute])
    return variables


def is_computed(value: ast.expr) -> bool:
    """Whether it is more than a constant or what autograd left."""
    inner = bare(value)
    return not isinstance(inner, ast.Constant) and not (isinstance(inner, ast.Attribute) and inner.attr == "grad")


class TensorParts(ast.NodeTransformer):
    def __init__(self, variables: Mapping[tuple[str, str], str], keys: Mapping[str, Iterable[str]]) -> None:
        self._variables, self._keys = variables, keys

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        tensor = node.value.id if isinstance(node.value, ast.Name) else ""
        if (tensor, node.attr) in self._variables:
            return ast.copy_location(ast.Name(self._variables[tensor, node.attr], node.ctx), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        holder = node.value.id if isinstance(node.value, ast.Name) else ""
        if isinstance(node.slice, ast.Name) and node.slice.id in self._keys.get(holder, ()):
            node.slice = ast.copy_location(ast.Constant(node.slice.id), node.slice)
        return self.generic_visit(node)
