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
    kept, functions = list[ast.stmt](), dict[str, ast.stmt]()
    for statement in tree.body if tree is not None else ():
        match statement:
            case ast.Import() | ast.ImportFrom() if all(map(is_harmless, ast.walk(statement))):
                kept.append(statement)
            case ast.Assign(targets=[ast.Name() as target], value=value) if is_harmless(target) and is_arithmetic(
                value
            ):
                kept.append(statement)
            case ast.FunctionDef(name=name):
                function = without_annotations(statement)
                if all(map(is_harmless, ast.walk(function))):
                    functions[name] = function
    known = BUILTINS.union(*map(names_given, kept))
    while lacking := [name for name, each in functions.items() if not outer_names(each) <= known | functions.keys()]:
        for name in lacking:
            del functions[name]
    return "\n\n\n".join(ast.unparse(ast.fix_missing_locations(each)) for each in [*kept, *functions.values()])


def is_harmless(node: ast.AST) -> bool:
    """Whether a part of a statement is one of ALLOWED_NODES, with names and attributes that it may have."""
    match node:
        case ast.Import(names=modules):
            return all(each.name in MODULES for each in modules)
        case ast.ImportFrom(module=module, names=names, level=level):
            return not level and module in MODULES and all(each.name in ALLOWED_ATTRIBUTES for each in names)
        case ast.FunctionDef(name=name, decorator_list=decorators):
            return not decorators and not name.startswith(RESERVED)
        case ast.arguments(vararg=several, kwarg=named, defaults=defaults, kw_defaults=others):
            given = [each for each in (*defaults, *others) if each is not None]
            return not (several or named) and all(map(is_arithmetic, given))
        case ast.Attribute(attr=name, ctx=context):
            return name in ALLOWED_ATTRIBUTES and isinstance(context, ast.Load)
        case ast.alias(name=name, asname=other):
            return not (other or name).startswith(RESERVED)
        case ast.Name(id=name) | ast.arg(arg=name):
            return not name.startswith(RESERVED)
    return isinstance(node, ALLOWED_NODES)


def is_arithmetic(node: ast.expr) -> bool:
    """Whether it is a constant, or arithmetic of constants: nothing that a call could change."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(each, allowed) for each in ast.walk(node))


def without_annotations(node: ast.FunctionDef) -> ast.stmt:
    """A copy without annotations, which Python would evaluate."""

    class Plain(ast.NodeTransformer):
        def visit_FunctionDef(self, each: ast.FunctionDef) -> ast.AST:
            each.returns = None
            return self.generic_visit(each)

        def visit_AnnAssign(self, each: ast.AnnAssign) -> ast.AST:
            return ast.Assign([each.target], each.value) if each.value is not None else ast.Pass()

        def visit_arg(self, each: ast.arg) -> ast.AST:
            return ast.arg(each.arg)

    copied: ast.stmt = Plain().visit(copy.deepcopy(node))
    return copied


def names_given(statement: ast.AST) -> set[str]:
    """The names that a statement, or anything in it, gives a value."""
    found = set[str]()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
    return found


def outer_names(function: ast.AST) -> set[str]:
    """The names that a function reads and does not give a value itself."""
    return {each.id for each in ast.walk(function) if isinstance(each, ast.Name)} - names_given(function)
