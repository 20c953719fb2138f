"""What functions of torch and methods of tensors do with upstream gradients, by name: see affine_functions.py."""

from __future__ import annotations

SHAPES = frozenset({"shape", "dtype", "device", "ndim", "size", "dim", "numel"})
LIKE = frozenset({"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "empty_like"})
MAY_SHARE_MEMORY = frozenset(
    """
    broadcast_to chunk contiguous detach diagonal double expand expand_as flatten H mT movedim narrow permute reshape
    reshape_as select split squeeze sum_to_size swapaxes T t transpose unbind unflatten unfold unsqueeze view view_as
    bool float float32 float64 int long to type type_as
    """.split()  # noqa: SIM905
)
"""What may share memory with its first operand."""
RETURNED = frozenset({"append", "extend", "stack", "values", "einsum"})
"""What may share memory with any operand."""
LINEAR_IN_FIRST = MAY_SHARE_MEMORY - {
    "bool",
    "float",
    "float32",
    "float64",
    "int",
    "long",
    "to",
    "type",
    "type_as",
    "H",
} | {
    *("sum", "mean", "clone", "neg", "negative", "cumsum", "flip", "repeat", "tile", "repeat_interleave", "diag"),
    *("diag_embed", "gather", "index_select", "take", "take_along_dim", "tril", "triu", "trace", "item", "tolist"),
    *("tensor", "stack", "cat", "concat", "div", "divide", "true_divide", "div_", "neg_", "squeeze_", "masked_fill"),
    *("view_as", "reshape_as", "expand_as"),
}
"""Linear in the first operand. The others do not depend on upstream gradients."""
PRODUCT_FUNCTIONS = frozenset("mul mul_ multiply matmul mm mv bmm dot vdot inner outer einsum".split())  # noqa: SIM905
"""Linear in each operand."""
SUM_FUNCTIONS = {
    **dict.fromkeys(("add", "add_", "sub", "sub_", "subtract", "copy_", "fill_", "append", "extend"), (0,)),
    **dict.fromkeys(("index_add", "index_add_", "index_copy", "index_copy_", "scatter_add", "scatter_add_"), (2,)),
    **dict.fromkeys(("index_put", "index_put_"), (1,)),
}
"""Linear in the first operand together with these of the other arguments, counted from 0."""
SUMS_WITH_PRODUCT = frozenset("addcmul addcmul_ addmm addmm_ baddbmm baddbmm_".split())  # noqa: SIM905
COLLECTIONS = frozenset({"sum", "list", "tuple", "zip", "reversed"})
"""Functions of Python's that only collect or add."""
LIKE_FIRST = frozenset({"view_as", "reshape_as", "expand_as"})
"""Of the second operand only the shape is used."""
ROUNDING_KEYWORDS = frozenset({"dtype", "rounding_mode"})
