"""Patterns of Python code: what a rule looks for, and what takes its place.

`A / B` is a pattern, and `A * B` what takes its place. A capital letter is any expression, the same one wherever it
occurs; `N` is a number, `V` and `W` are names, and `E` is anything else than a name. `*X` is the rest of a call's
arguments, and in a block any statements. `A.sum(*X)` is also `torch.sum(x, 0)`, and `A.any_sum(*X)` a call of any
function in `GROUPS["any_sum"]`. `A.mT` is any transpose. Sums and products match in both orders, unless two bare
letters are added or multiplied.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from grader.source.syntax import last_name

Bound = Mapping[str, Any]
"""{letter or group of a pattern: the node, the list of nodes or the name that it is}"""
GROUPS: Mapping[str, frozenset[str]] = {
    name: frozenset(functions.split())
    for name, functions in {
        "modules": "torch F np numpy math torch.nn.functional nn.functional",
        "any_sum": "sum mean",
        "any_variance": "var std",
        "any_root": "sqrt rsqrt sqrt_ rsqrt_ log pow",
        "any_smooth": "softmax log_softmax sigmoid exp tanh",
        "any_rounding": "round round_ floor ceil trunc fix int long short half bfloat16",
        "any_function": (
            "exp log tanh sqrt rsqrt square abs reciprocal sigmoid softmax neg sign sin cos tan sinh cosh atan arctan "
            "asinh erf log1p expm1 relu clamp clamp_min clamp_max clip log_softmax negative exp_ log_ tanh_ sqrt_ "
            "square_ neg_"
        ),
        "random": (
            "rand rand_like randn randn_like randint randint_like randperm bernoulli multinomial dropout normal_ "
            "uniform_ bernoulli_"
        ),
    }.items()
}
SIGNS = {"±": ("+", "-"), "∓": ("+", "-"), "×": ("*", "/"), "∘": ("*", "/", "**")}
"""In a pattern, each is one of these operators, the same one in what takes its place."""
NOT_COMPARED = ("ctx", "type_comment", "kind")


def variants_of(before: str, after: str) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The pattern and what takes its place, once for each choice of the signs in them."""
    signs = [sign for sign in SIGNS if sign in before]
    for chosen in product(*(SIGNS[sign] for sign in signs)):
        table = str.maketrans(dict(zip(signs, chosen, strict=True)))
        yield parsed_pair(before.translate(table), after.translate(table))


@lru_cache(1000)
def parsed_pair(before: str, after: str) -> tuple[ast.AST, ast.AST]:
    """Both as expressions if both are expressions, else as statements."""
    (pattern,), (new,) = ast.parse(before).body, ast.parse(after).body
    if isinstance(pattern, ast.Expr) and isinstance(new, ast.Expr):
        return pattern.value, new.value
    return pattern, new


def matches(pattern: Any, node: Any, bound: Bound) -> Iterator[Bound]:
    """Every way in which the node is what the pattern says, given what its letters are in `bound`."""
    if isinstance(pattern, ast.Name) and pattern.id.isupper():
        known = bound.get(pattern.id)
        if known is None and fits_letter(pattern.id, node):
            yield {**bound, pattern.id: node}
        elif known is not None and isinstance(node, ast.AST) and ast.unparse(known) == ast.unparse(node):
            yield bound
    elif isinstance(pattern, ast.AST) and isinstance(node, ast.AST):
        own, others = compared_parts(pattern), compared_parts(node)
        yield from matches_list(own, others, bound)
        if isinstance(getattr(pattern, "op", None), ast.Add | ast.Mult) and not all(map(is_letter, (own[0], own[-1]))):
            yield from matches_list(own[::-1], others, bound)
    elif isinstance(pattern, list):
        yield from matches_list(pattern, node, bound) if isinstance(node, list) else []
    elif isinstance(pattern, str) and pattern in GROUPS:
        yield from [{**bound, pattern: node}] if node in GROUPS[pattern] else []
    elif pattern == node and isinstance(pattern, bool) == isinstance(node, bool):
        yield bound


def matches_list(patterns: list[Any], nodes: list[Any], bound: Bound) -> Iterator[Bound]:
    if not patterns:
        yield from [] if nodes else [bound]
    elif rest := rest_letter(patterns[0]):
        for count in range(len(nodes), -1, -1):
            yield from matches_list(patterns[1:], nodes[count:], {**bound, rest: nodes[:count]})
    elif nodes:
        for found in matches(patterns[0], nodes[0], bound):
            yield from matches_list(patterns[1:], nodes[1:], found)


@lru_cache(10_000)  # every pattern asks for those of every node
def compared_parts(node: ast.AST) -> list[Any]:
    """What a node is compared by. Equal ones are written differently: `x.sum(dim=0)` and `torch.sum(x, 0)`."""
    if (transposed := transposed_operand(node)) is not None:
        return ["mT", transposed]
    if isinstance(node, ast.Call) and (operand := operand_of(node)) is not None and called_name(node):
        if called_name(node) in ("matmul", "mm", "bmm"):
            return [operand, ast.MatMult(), *arguments_after_operand(node)]
        return ["call", called_name(node), operand, *arguments_after_operand(node)]
    if isinstance(node, ast.UnaryOp) and is_signed_number(node):
        return ["number", ast.unparse(node)]
    if isinstance(node, ast.BinOp):
        return [node.left, node.op, node.right]
    return [type(node), *(getattr(node, name, None) for name in node._fields if name not in NOT_COMPARED)]


def rest_letter(node: Any) -> str:
    """`X` of `*X`, as an argument or as a statement."""
    starred = node.value if isinstance(node, ast.Expr) else node
    letter = starred.value if isinstance(starred, ast.Starred) else None
    return letter.id if isinstance(letter, ast.Name) and is_letter(letter) else ""


def is_letter(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.isupper() and node.id not in "NVWE"


def fits_letter(letter: str, node: Any) -> bool:
    if letter == "N":
        return is_signed_number(node)
    if letter in "VWE":
        named = transposed_operand(node) or node
        is_attribute = isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name)
        return (isinstance(named, ast.Name) or is_attribute) == (letter != "E")
    return isinstance(node, ast.expr) and not isinstance(node, ast.Slice | ast.Starred)


def is_signed_number(node: Any) -> bool:
    """Whether it is a number, with its sign."""
    number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(number, ast.Constant) and type(number.value) in (int, float)


def called_name(node: ast.AST) -> str:
    """`exp` of `x.exp()` and of `torch.exp(x)`; "" for anything that is not a call of a name."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def is_module(node: ast.AST) -> bool:
    """Whether an expression is `torch`, `F`, `np`, `torch.nn.functional` ..."""
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) in GROUPS["modules"]


def operand_of(call: ast.Call) -> ast.expr | None:
    """`x` of `x.exp()` and of `torch.exp(x)`."""
    if isinstance(call.func, ast.Attribute) and not is_module(call.func.value):
        return call.func.value
    return call.args[0] if call.args else None


def transposed_operand(node: ast.AST) -> ast.expr | None:
    """`x` of `x.T`, `x.mT` and `x.transpose(1, 2)`."""
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        return node.value
    return operand_of(node) if isinstance(node, ast.Call) and called_name(node) in ("transpose", "swapaxes") else None


def arguments_after_operand(call: ast.Call) -> list[Any]:
    """The arguments after the operand, keywords last; `sum(dim=1, keepdim=True)` and `sum(1, True)` are the same."""
    given, named = list(call.args), {each.arg: each.value for each in call.keywords}
    if given and given[0] is operand_of(call):
        del given[0]
    if called_name(call) in (*GROUPS["any_sum"], "any_sum"):
        given += [named.pop(axis) for axis in ("dim", "axis") if axis in named]
        if len(given) == 2 and isinstance(given[1], ast.Constant):
            named["keepdim"] = given.pop()
        if isinstance(named.get("keepdim"), ast.Constant) and not named["keepdim"].value:  # type: ignore[attr-defined]
            del named["keepdim"]
    return [*given, *(ast.keyword(name, value) for name, value in named.items())]


def filled(template: Any, bound: Bound) -> Any:
    """The template with what its letters are."""
    match template:
        case ast.Name(id=letter) if letter in bound:
            return bound[letter]
        case ast.Attribute(value=of, attr="mT"):
            value = filled(of, bound)
            return transposed_operand(value) or ast.Attribute(value, "mT", ast.Load())
        case ast.Attribute(value=of, attr=name) if name in bound:
            return ast.Attribute(filled(of, bound), bound[name], ast.Load())
        case ast.Call():
            given = filled([*template.args, *template.keywords], bound)
            named = {each.arg: each for each in given if isinstance(each, ast.keyword)}  # the last of a name counts
            positional = [each for each in given if not isinstance(each, ast.keyword)]
            return ast.Call(filled(template.func, bound), positional, list(named.values()))
        case ast.AST() if rest := rest_letter(template):
            return bound[rest]
        case ast.AST():
            kept = {name: filled(getattr(template, name, None), bound) for name in template._fields}
            return ast.copy_location(type(template)(**kept), template)
        case list():
            several = [filled(each, bound) for each in template]
            return [each for entry in several for each in (entry if isinstance(entry, list) else [entry])]
    return template
