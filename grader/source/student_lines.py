"""On which line of a student's file something happens: a loop begins, a gradient is assigned, an argument is changed.

The file is read, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

from grader.source.aliases import VIEW_ATTRIBUTES, SharedNames, changes_numbers
from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, inner_statements, names_in, nested_statements

LoopStatement = ast.For | ast.AsyncFor | ast.While


def line_of_loop(source: str, lines: Sequence[int]) -> int | None:
    """The line where the loop begins in which code was interrupted; without a loop, that of the innermost statement.

    `lines` are those of the calls that were active, outermost first. The outermost loop counts: one inside it may be
    between two of its runs. Only an endless `while` inside that loop is more certain. None where nothing is found.
    """
    tree = parse_submitted(source)
    if tree is None:
        return None
    for line in lines:
        loops = [node for node in statements_around(tree, line) if isinstance(node, LoopStatement)]
        if loops:
            inside = (node for node in ast.walk(loops[0]) if isinstance(node, ast.While))
            return min((node.lineno for node in inside if is_endless(node)), default=loops[0].lineno)
    around = [*statements_around(tree, lines[-1])] if lines else []
    return around[-1].lineno if around else None


def statements_around(tree: ast.Module, line: int) -> Iterator[ast.stmt]:
    """The statements that contain the line, outermost first; inside a function only its own."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= line <= last_line(node)]
    found.sort(key=lambda node: (node.lineno, -last_line(node)))
    definitions = [
        place for place, node in enumerate(found) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    yield from found[definitions[-1] + 1 :] if definitions else found


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def is_endless(loop: ast.While) -> bool:
    """Whether the condition is a constant that is true, and no statement leaves the loop."""
    leaves = any(isinstance(node, ast.Break | ast.Return | ast.Raise) for node in ast.walk(loop))
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value) and not leaves


ADDING = frozenset({"append", "insert", "extend"})
"""Methods of a list that put something into it. torch's methods that change a tensor end in `_`."""


def assignment_lines(source: str, function: str, gradients: Sequence[str]) -> tuple[int, dict[str, int]] | None:
    """The function's first line, and {gradient: the line that assigns it last}, for those that are found.

    `gradients` are the names in the order of the returned tuple. What counts is the variable that is returned under a
    name; else a variable of that name, an entry such as `d["dW"]` or `d["W"]`, or `W.grad`. None where there is no such
    function.
    """
    tree = parse_submitted(source)
    nodes = ast.walk(tree) if tree is not None else ()
    definitions = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == function]
    if not definitions:
        return None
    definition = definitions[-1]
    last: dict[str, int] = {}
    returned: dict[str, ast.expr] = {}
    for node in statements_in_order(definition.body):
        if isinstance(node, ast.Return):
            returned |= returned_parts(node.value, gradients)
        elif name := assigned_variable(node):
            last[name] = max(node.lineno, last.get(name, 0))  # type: ignore[attr-defined]
    found: dict[str, int] = {}
    for gradient in gradients:
        part = returned.get(gradient)
        if part is not None and not isinstance(part, (ast.Name, ast.Constant)):
            found[gradient] = part.lineno
        elif line := last.get(part.id if isinstance(part, ast.Name) else "") or last.get(gradient):
            found[gradient] = line
    return min([definition.lineno, *(each.lineno for each in definition.decorator_list)]), found


def statements_in_order(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes, without those inside `return` statements, and inside functions and classes that are defined there."""
    waiting = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Return)):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def assigned_variable(node: ast.AST) -> str:
    """The variable that a node assigns, or changes in place; an entry of a dictionary as its gradient; "" for none."""
    match node:
        case ast.Name(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            return changed_place(node)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method)) if is_change(method):
            return changed_place(receiver)
        case ast.Constant(value=str(key)) if key.startswith("d") and key.isidentifier():
            return key  # a key of a dictionary that is written out
    return ""


def changed_place(node: ast.expr) -> str:
    """The variable of `dW`, `dW[0]`; the gradient of `d["W"]`, `d["dW"][0]`, `W.grad`; "" for anything else."""
    while isinstance(node, ast.Subscript):
        match node:
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(key))):
                is_of_gradients = table[0] in "dg"  # d, grads: no forward values
                return key if key.startswith("d") else f"d{key}" if is_of_gradients else ""
        node = node.value
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="grad"):
            return f"d{name}"
    return ""


def is_change(method: str) -> bool:
    return method in ADDING or (method.endswith("_") and not method.startswith("_"))


def returned_parts(value: ast.expr | None, gradients: Sequence[str]) -> dict[str, ast.expr]:
    """{gradient: the expression that is returned for it} of a tuple, a list or a dictionary that is written out."""
    found: dict[str, ast.expr] = {}
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) >= len(gradients):
            found = dict(zip(gradients, parts, strict=False))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):  # such as the loss and a dictionary
            for part in parts:
                found |= returned_parts(part, gradients)
        case ast.Dict(keys=keys, values=parts):
            pairs = zip(keys, parts, strict=True)
            found = {str(key.value): part for key, part in pairs if isinstance(key, ast.Constant)}
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            found = {keyword.arg: keyword.value for keyword in keywords if keyword.arg is not None}
    return {name if name in gradients else f"d{name}": part for name, part in found.items()}


ChangedName = tuple[str, Collection[str]]
"""(function, its parameters that were changed in place)"""


def lines_of_changes(source: str, changes: Sequence[ChangedName]) -> list[int | None]:
    """For each change the first line of the function that writes into one of the parameters, or into an alias of one.

    None where no such line is found: a function that is called may change the parameter, or the text cannot be parsed.
    """
    tree = parse_submitted(source)
    nodes = ast.walk(tree) if tree is not None else ()
    definitions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}  # the last one of a name
    found: dict[tuple[str, frozenset[str]], int | None] = {}
    result: list[int | None] = []
    for function, changed in changes:
        key = function, frozenset(changed)
        if key not in found:
            found[key] = line_of_first_change(definitions[function], changed) if function in definitions else None
        result.append(found[key])
    return result


def line_of_first_change(function: ast.FunctionDef, changed: Collection[str]) -> int | None:
    aliases, shared = set(changed), SharedNames(VIEW_ATTRIBUTES)
    for statement in nested_statements(function.body):
        line = line_of_write(statement, aliases, shared)
        if line is not None:
            return line
        update_aliases(statement, aliases, shared)
    return None


def line_of_write(statement: ast.stmt, aliases: Collection[str], shared: SharedNames) -> int | None:
    """The line on which a statement itself (not the blocks in it) writes into one of the aliases."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = [target for target in statement.targets if isinstance(target, (ast.Subscript, ast.Attribute))]
    if any(shared.name_of(target) in aliases for target in targets):
        return statement.lineno
    expressions = (child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr))
    for node in (node for expression in expressions for node in ast.walk(expression)):
        if isinstance(node, ast.Call):
            changed = [word.value for word in node.keywords if word.arg == "out"]
            if isinstance(node.func, ast.Attribute) and changes_numbers(node.func.attr):
                changed += [node.func.value, *node.args[:1]]  # x.relu_(), torch.relu_(x)
            if any(shared.name_of(each) in aliases for each in changed):
                return node.lineno
    return None


def update_aliases(statement: ast.stmt, aliases: set[str], shared: SharedNames) -> None:
    """Adds the names that a statement makes aliases, and removes those to which it assigns something else."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    if isinstance(statement, ast.AnnAssign):
        pairs = [(statement.target, statement.value)]
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs += list(zip(target.elts, statement.value.elts, strict=False))
            else:
                pairs.append((target, statement.value))
    for target, value in pairs:
        if isinstance(target, ast.Name):
            if shared.name_of(value) in aliases:
                aliases.add(target.id)
            else:
                aliases.discard(target.id)


def nested_definitions(source: str, names: Collection[str]) -> dict[str, tuple[int, str]]:
    """{name: (line, what it is inside of, in words)} of functions that are defined inside something else only."""
    tree = parse_submitted(source)
    found: dict[str, tuple[int, str]] = {}
    waiting: list[tuple[ast.stmt, str]] = [(statement, "") for statement in reversed(tree.body if tree else [])]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name in names and inside:
            found.setdefault(node.name, (node.lineno, inside))
        if isinstance(node, FunctionDefinition):
            inside = f"the function `{node.name}`"
        elif isinstance(node, ast.ClassDef):
            inside = f"the class `{node.name}`"
        elif isinstance(node, ast.stmt) and not inside:
            guard = isinstance(node, ast.If) and "__name__" in names_in(node.test)
            inside = 'a block `if __name__ == "__main__":`, which is not run here' if guard else "a block"
        waiting += [(each, inside) for each in reversed(inner_statements(node))]
    return found


def first_nested(texts: Iterable[str], names: Collection[str]) -> str:
    """The first nested definition of one of these functions, and what to do with it, in words; "" for none."""
    for text in texts:
        for name, (_, where) in nested_definitions(text, names).items():
            return f"`{name}` inside {where}. Move it to the top level, without indentation."
    return ""
