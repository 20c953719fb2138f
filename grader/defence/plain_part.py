"""The part of a student's file that a defence runs: imports, numbers, and functions that only compute with tensors.

The grader writes this text itself. Nothing in it can reach the code that measures it, or change what Python and PyTorch
do: it has no classes, no attributes other than those below, and assigns to none. What a file does
beyond that, such as replacing a function when it is imported, is not in the text, so it decides no key.
Only text is read: nothing here imports torch, and `source_reader()` calls these functions.
"""

from __future__ import annotations

import ast
import copy

from grader.source.parsing import parse_text

RESERVED = ("__", "_defence")
"""Begin names that only Python and the measuring code use."""
MODULES = ("torch", "torch.nn.functional", "torch.nn", "math", "numpy")
BUILTINS_TEXT = """
    range len zip enumerate reversed list tuple dict set sum min max abs float int bool round slice sorted any all
    isinstance map pow ValueError NotImplementedError
"""
ATTRIBUTES_TEXT = """
    T mT shape ndim dtype size dim numel nelement device Tensor float double long item tolist numpy
    float32 float64 int64 bool nn functional linalg special pi inf nan e
    sum mean var std var_mean prod max min amax amin argmax argmin maximum minimum median norm vector_norm logsumexp
    cumsum cumprod any all count_nonzero isfinite isnan isinf isclose allclose equal nonzero unique bincount
    abs neg sign sqrt rsqrt square reciprocal exp exp2 expm1 log log2 log1p pow tanh sigmoid sinh cosh sin cos erf erfc
    ndtr hypot relu gelu softmax log_softmax clamp clip where ceil floor round heaviside power fabs nan_to_num
    add sub subtract mul div divide true_divide matmul mm bmm mv dot outer ger addmm addcmul addcdiv einsum tensordot
    kron logical_not logical_and logical_or
    view view_as reshape flatten unflatten ravel squeeze unsqueeze transpose t swapaxes permute expand expand_as
    broadcast_to repeat repeat_interleave tile contiguous clone detach to type_as unbind chunk split stack cat concat
    hstack vstack flip roll pad unfold fold narrow select sum_to_size
    gather index_select index_add index_put scatter scatter_add masked_fill masked_select masked_scatter take
    tril triu diag diagonal diag_embed trace block_diag
    empty empty_like new_empty indices
    zeros zeros_like ones ones_like full full_like new_zeros new_ones new_full eye arange linspace tensor as_tensor
    from_numpy one_hot embedding meshgrid array asarray astype copy add_ sub_ mul_ div_ neg_ exp_ log_ sqrt_ rsqrt_
    tanh_ pow_ abs_ square_ reciprocal_ clamp_ addmm_ addcmul_ zero_ fill_ copy_ index_add_ index_put_ scatter_
    scatter_add_ masked_fill_ triu_ tril_ linear conv1d conv2d conv_transpose1d conv_transpose2d cross_entropy nll_loss
    layer_norm rms_norm no_grad finfo eps append extend insert pop items keys values get index
"""
BUILTINS, ALLOWED_ATTRIBUTES = frozenset(BUILTINS_TEXT.split()), frozenset(ATTRIBUTES_TEXT.split())
"""Attributes and methods of tensors, torch, numpy, math, lists and dictionaries: they compute, and keep no state."""
ALLOWED_NODES = (
    *(ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.For, ast.While),
    *(ast.If, ast.Pass, ast.Break, ast.Continue, ast.Assert, ast.Raise, ast.With, ast.withitem, ast.BinOp, ast.UnaryOp),
    *(ast.BoolOp, ast.Compare, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.Constant),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set, ast.IfExp, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp),
    *(ast.comprehension, ast.Lambda, ast.Starred, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


def plain_part(source: str) -> str:
    """The text of the imports, numbers and functions that only compute; "" for a text that is not Python."""
    tree = parse_text(source)
    if tree is None:
        return ""
    kept: list[ast.stmt] = [each for each in tree.body if is_plain_import(each) or is_plain_number(each)]
    known = set(BUILTINS) | {name for each in kept for name in names_bound(each)}
    defined = [without_annotations(each) for each in tree.body if isinstance(each, ast.FunctionDef)]
    functions = {each.name: each for each in defined if only_computes(each)}
    while lacking := [name for name, each in functions.items() if not outer_names(each) <= known | functions.keys()]:
        for name in lacking:
            del functions[name]
    return "\n\n\n".join(ast.unparse(ast.fix_missing_locations(each)) for each in [*kept, *functions.values()])


def is_plain_import(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return all(each.name in MODULES for each in node.names) and are_free(names_bound(node))
    if isinstance(node, ast.ImportFrom):
        is_known = node.module in MODULES and not node.level
        return is_known and all(each.name in ALLOWED_ATTRIBUTES for each in node.names) and are_free(names_bound(node))
    return False


def is_plain_number(node: ast.stmt) -> bool:
    is_single = isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    return is_single and is_arithmetic(node.value) and are_free(names_bound(node))  # type: ignore[attr-defined]


def is_arithmetic(node: ast.expr) -> bool:
    """Whether it is a constant, or arithmetic of constants: nothing that a call could change."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(each, allowed) for each in ast.walk(node))


def names_bound(node: ast.stmt) -> set[str]:
    """The names that an import or an assignment gives a value."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {each.asname or each.name.partition(".")[0] for each in node.names}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def are_free(names: set[str]) -> bool:
    return not any(name.startswith(RESERVED) for name in names)


def without_annotations(node: ast.FunctionDef) -> ast.FunctionDef:
    """A copy without annotations, which Python would evaluate."""

    class Plain(ast.NodeTransformer):
        def visit_FunctionDef(self, each: ast.FunctionDef) -> ast.stmt:
            each.returns = None
            return self.generic_visit(each)  # type: ignore[return-value]

        def visit_AnnAssign(self, each: ast.AnnAssign) -> ast.stmt:
            return ast.Assign([each.target], each.value) if each.value is not None else ast.Pass()

        def visit_arg(self, each: ast.arg) -> ast.arg:
            return ast.arg(each.arg)

    copied = Plain().visit(copy.deepcopy(node))
    assert isinstance(copied, ast.FunctionDef)
    return copied


def only_computes(function: ast.FunctionDef) -> bool:
    """Whether every part of a function is one of ALLOWED_NODES, with ALLOWED_ATTRIBUTES that it only reads."""
    return all(map(is_harmless, ast.walk(function)))


def is_harmless(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name, decorator_list=decorators):
            return not decorators and are_free({name})
        case ast.arguments(vararg=several, kwarg=named, defaults=defaults, kw_defaults=others):
            return not (several or named) and all(
                is_arithmetic(each) for each in (*defaults, *others) if each is not None
            )
        case ast.Attribute(attr=name, ctx=context):
            return name in ALLOWED_ATTRIBUTES and isinstance(context, ast.Load)
        case ast.Name(id=name) | ast.arg(arg=name):
            return are_free({name})
    return isinstance(node, ALLOWED_NODES)


def outer_names(function: ast.FunctionDef) -> set[str]:
    """The names that a function reads and does not give a value itself."""
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
    own |= {each.id for each in names if not isinstance(each.ctx, ast.Load)}
    own |= {each.name for each in ast.walk(function) if isinstance(each, ast.FunctionDef) and each is not function}
    return {each.id for each in names} - own
