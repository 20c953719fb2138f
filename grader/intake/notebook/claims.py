"""What a notebook's own comparisons say: which variable is the gradient of which tensor.

`cmp('probs', dL_dp, probs)` states it, and so do `torch.allclose(dL_dp, probs.grad)`, `dL_dp - probs.grad`, a function
of the student's own that compares one parameter with another one's `.grad`, and a loop over a list of such tuples.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from grader.intake.notebook.gradient_claim import GradientClaim
from grader.intake.notebook.tuple_loops import MAX_LOOP_ENTRIES, LoopRound, TupleLoops, listed_names, unpacked_arguments
from grader.source.similar_names import MAX_COMPARED_NAME
from grader.source.syntax import FunctionDefinition, all_nodes, children, last_name, parameters

MAX_CLAIMS = MAX_LOOP_ENTRIES
MAX_IN_A_LOOP = 8  # comparisons in the body of a loop over tuples
KEEPS_THE_NUMBERS = frozenset(
    {"detach", "clone", "float", "double", "to", "cpu", "numpy", "contiguous", "data", "flatten"}
    | {"view", "reshape", "squeeze", "unsqueeze", "view_as", "reshape_as"}
)
"""What leaves the numbers of a tensor as they are."""
NO_COMPARISON = frozenset({"print", "display", "append", "zip", "list", "dict", "plot", "scatter", "hist", "imshow"})
LIBRARY_PREFIXES = frozenset({"torch", "F", "np", "numpy", "plt"})
ListedComprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp
LoopNode = ast.For | ast.comprehension


@dataclass(frozen=True)
class ComparedPair:
    """Two operands of a comparison, before the names of a loop or a function are replaced by what they stand for."""

    variable: ast.expr
    tensor: ast.expr | None
    label: ast.expr | None = None


@dataclass
class ComparisonFunction:
    """A function of the student's own; `roles` are {"variable" | "tensor" | "label": its parameter's place}."""

    name: str
    parameters: Sequence[str]
    roles: dict[str, int] = field(default_factory=dict)


LECTURE = ComparisonFunction("cmp", ("s", "dt", "t"), {"label": 0, "variable": 1, "tensor": 2})


def scan_of(bodies: Iterable[tuple[str, Sequence[ast.stmt]]]) -> Scan:
    """A Scan that has read all (file, statements)."""
    scan = Scan()
    for file, body in bodies:
        scan.walk(file, body)
    return scan


def bare(node: ast.expr) -> ast.expr:
    """`probs.grad.clone()` and `dp.view(-1)` without what leaves the numbers as they are."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in KEEPS_THE_NUMBERS:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr in KEEPS_THE_NUMBERS:
            node = node.value
        else:
            return node


class Scan:
    """One walk over all nodes; names of lists and of gradients that autograd left are followed one step."""

    def __init__(self) -> None:
        self.functions: dict[str, ComparisonFunction] = {"cmp": LECTURE}
        self.lists: dict[str, ast.expr] = {}
        self.kept: dict[str, ast.expr] = {}  # {name: the tensor whose .grad it is}
        self.bound: set[str] = set()
        self.stored: set[str] = set()
        self.looping: set[str] = set()  # files with a loop
        self.loops = TupleLoops(self.lists)
        self.found: list[tuple[ast.expr | ast.AugAssign, str, ComparisonFunction | None, LoopNode | None]] = []

    def walk(self, file: str, body: Sequence[ast.stmt]) -> None:
        waiting: list[tuple[ast.AST, ComparisonFunction | None, LoopNode | None]]
        waiting = [(node, None, None) for node in reversed(body)]
        while waiting:
            node, function, loop = waiting.pop()
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    self.stored.add(node.id)
                continue
            if isinstance(node, FunctionDefinition) and function is None:
                function = ComparisonFunction(node.name, [each.arg for each, _ in parameters(node)])
                self.functions[node.name] = function
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if isinstance(node.value, ast.Lambda) and function is None:
                    function = ComparisonFunction(name, [each.arg for each, _ in parameters(node.value)])
                    self.functions[name] = function
                else:
                    self.note(name, node.value)
            elif isinstance(node, ast.For | ast.While):
                self.looping.add(file)
                loop = node if isinstance(node, ast.For) else loop
            elif isinstance(node, ListedComprehension) and len(node.generators) == 1:
                loop = node.generators[0]
            elif isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.AugAssign):
                self.found.append((node, file, function, loop))
            waiting += [(part, function, loop) for part in reversed(children(node))]

    def note(self, name: str, value: ast.expr) -> None:
        again = name in self.bound
        self.bound.add(name)
        inner = bare(value)
        if again and name in self.lists and listed_names(value) == listed_names(self.lists[name]) != []:
            return  # the same list again
        if again:
            self.lists.pop(name, None)
            self.kept.pop(name, None)
        elif isinstance(value, ast.List | ast.Tuple | ast.Dict):
            self.lists[name] = value
        elif isinstance(inner, ast.Attribute) and inner.attr == "grad":
            self.kept[name] = inner.value

    def claims(self) -> list[GradientClaim]:
        for node, _, function, _ in self.found:
            if function is not None and not function.roles:
                self.define(function, self.pair(node, {}))
        result: dict[tuple[str, str | None, str | None], GradientClaim] = {}
        rows: dict[int, list[LoopRound]] = {}
        counts: dict[int, int] = {}
        for node, file, function, loop in self.found:
            if len(result) >= MAX_CLAIMS:
                break
            if loop is not None and id(loop) not in rows:
                rows[id(loop)] = self.loops.rows(loop)
            rounds: Sequence[LoopRound] = rows[id(loop)] if loop is not None else ()
            if rounds:
                counts[id(loop)] = counts.get(id(loop), 0) + 1
                if counts[id(loop)] > MAX_IN_A_LOOP:
                    continue
            own = set(function.parameters) if function else set()
            for row in rounds or ({},):
                pair = self.pair(node, row)
                if pair is None and not has_star(node):
                    break  # nor is it one in the other rounds
                claim = gradient_claim(substitute_names(pair, row), node, row, file) if pair else None
                if claim is not None and own.isdisjoint((claim.variable, claim.tensor)):
                    result.setdefault((claim.variable, claim.label, claim.tensor), claim)
        return list(result.values())

    def define(self, function: ComparisonFunction, pair: ComparedPair | None) -> None:
        """A function that compares two of its parameters: which of them is what."""
        if pair is None:
            return
        places = {name: place for place, name in enumerate(function.parameters)}
        variable, tensor = bare(pair.variable), pair.tensor and bare(pair.tensor)
        if (
            isinstance(variable, ast.Name)
            and isinstance(tensor, ast.Name)
            and {variable.id, tensor.id} <= places.keys()
        ):
            function.roles |= {"variable": places[variable.id], "tensor": places[tensor.id]}
            others = [place for place in places.values() if place not in function.roles.values()]
            function.roles |= {"label": others[0]} if others else {}

    # one comparison

    def pair(self, node: ast.expr | ast.AugAssign, row: LoopRound) -> ComparedPair | None:
        if isinstance(node, ast.AugAssign):
            return of_update(node, row)
        if isinstance(node, ast.BinOp):
            return self.of_two(node.left, node.right) if isinstance(node.op, ast.Sub) else None
        if isinstance(node, ast.Compare):
            alone = len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq)
            return self.of_two(node.left, node.comparators[0]) if alone else None
        assert isinstance(node, ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            function = self.functions[node.func.id]
            if function.roles:
                arguments = unpacked_arguments(node.args, row)
                return pair_of_call(function, arguments, node.keywords) if arguments is not None else None
        return self.of_call(node)

    def of_two(self, left: ast.expr, right: ast.expr) -> ComparedPair | None:
        for one, tensor in ((left, self.differentiated(right)), (right, self.differentiated(left))):
            if tensor is not None and isinstance(bare(one), ast.Name) and self.differentiated(one) is None:
                return ComparedPair(one, tensor)
        return None

    def of_call(self, node: ast.Call) -> ComparedPair | None:
        """A call with one argument that is some tensor's `.grad`, and one other that is a variable."""
        arguments = [*node.args[:6], *(word.value for word in node.keywords[:6])]
        name = last_name(node.func)
        if isinstance(node.func, ast.Attribute) and last_name(node.func.value) not in LIBRARY_PREFIXES:
            arguments.append(node.func.value)
        if not name or name in NO_COMPARISON or name in KEEPS_THE_NUMBERS or len(arguments) < 2:
            return None
        tensors = [tensor for each in arguments if (tensor := self.differentiated(each)) is not None]
        if len(tensors) != 1:
            return None
        labels = [each for each in arguments if is_string_value(each)]
        variables = [e for e in arguments if isinstance(bare(e), ast.Name) and self.differentiated(e) is None]
        return ComparedPair(variables[0], tensors[0], labels[0] if labels else None) if len(variables) == 1 else None

    def differentiated(self, node: ast.expr) -> ast.expr | None:
        """The tensor whose `.grad` it is."""
        inner = bare(node)
        if isinstance(inner, ast.Attribute) and inner.attr == "grad":
            return inner.value
        return self.kept.get(inner.id) if isinstance(inner, ast.Name) else None


def substitute_names(pair: ComparedPair, row: LoopRound) -> ComparedPair:
    """With the loop's names replaced by what they stand for in this round."""

    def put(node: ast.expr) -> ast.expr:
        inner = bare(node)
        return row.get(inner.id, node) if isinstance(inner, ast.Name) else node

    tensor, label = (None if each is None else put(each) for each in (pair.tensor, pair.label))
    return ComparedPair(put(pair.variable), tensor, label)


def has_star(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(isinstance(each, ast.Starred) for each in node.args)


def gradient_claim(
    pair: ComparedPair, node: ast.expr | ast.AugAssign, row: LoopRound, file: str
) -> GradientClaim | None:
    """None where it is not a variable, or is the tensor itself, or where nothing says whose gradient it is."""
    variable, tensor, label = bare(pair.variable), pair.tensor and bare(pair.tensor), pair.label
    if isinstance(tensor, ast.Attribute) and tensor.attr == "grad":
        tensor = bare(tensor.value)  # a comparison function that takes the gradient itself
    named = label.value if isinstance(label, ast.Constant) and isinstance(label.value, str) else None
    of = tensor.id if isinstance(tensor, ast.Name) else None
    if not isinstance(variable, ast.Name) or (named is None and of is None) or variable.id in {of, *LIBRARY_PREFIXES}:
        return None
    if max(map(len, (variable.id, named or "", of or ""))) > MAX_COMPARED_NAME:
        return None
    shown: ast.AST = node
    if row:
        parts = [each for each in (label, pair.variable, pair.tensor) if each is not None]
        shown = ast.Tuple(elts=parts, ctx=ast.Load())
    line = getattr(pair.variable, "lineno", None) or node.lineno
    return GradientClaim(variable.id, named, of, shown, file, line)


def of_update(node: ast.AugAssign, row: LoopRound) -> ComparedPair | None:
    """`p.data += -lr * grad` in a loop over parameters and gradients: whose gradient each is."""
    target = bare(node.target)
    names = [each for each in islice(all_nodes(node.value), 20) if isinstance(each, ast.Name) and each.id in row]
    named = isinstance(target, ast.Name) and target.id in row
    return ComparedPair(names[0], target) if named and len(names) == 1 else None


def pair_of_call(
    function: ComparisonFunction, arguments: Sequence[ast.expr], words: Sequence[ast.keyword]
) -> ComparedPair | None:
    """A call of a function that compares, its arguments by their roles."""
    given = dict(enumerate(arguments[:6]))
    for word in words[:6]:
        if word.arg in function.parameters:
            given[function.parameters.index(word.arg)] = word.value
    variable, tensor = (given.get(function.roles[role]) for role in ("variable", "tensor"))
    texts = [each for each in given.values() if is_string_value(each)]
    label = given.get(function.roles.get("label", -1), texts[0] if texts else None)
    return ComparedPair(variable, tensor, label) if variable is not None else None


def is_string_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
