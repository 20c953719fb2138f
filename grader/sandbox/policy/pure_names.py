"""The names that a pure function may use, see pure_functions.py: an allow-list."""

from __future__ import annotations

from collections.abc import Mapping

IMPORTABLE = {
    "torch": "Tensor nn einsum exp log matmul ones ones_like sqrt sum tanh tensor zeros zeros_like",
    "torch.nn": "functional",
    "torch.nn.functional": "log_softmax one_hot relu softmax",
    "math": "exp inf log pi sqrt tanh",
}
"""Modules that are sure to be there, and names that are sure to be in them."""
PURE_NAMES = frozenset(
    """
    abs bool enumerate float int len list max min range reversed round sorted sum tuple zip NotImplementedError
    """.split()  # noqa: SIM905
)
# The same whatever it is an attribute of: torch, its functional module, math, a tensor, a number, a list, a function.
# Nothing here prints, draws numbers, reads uninitialised memory, keeps anything, or sets a mode of torch's.
ATTRIBUTES = frozenset(
    """
    abs acos add addcdiv addcmul addmm all amax amin any append arange argmax argmin asin atan baddbmm bincount bmm
    bool broadcast_to cat ceil chunk clamp clone concat contiguous cos cosh count count_nonzero cumsum detach device
    diag diag_embed diagonal dim dist div divide dot double dtype e einsum eq equal exp expand expand_as expm1 extend
    eye flatten flip float float32 float64 floor fmod full full_like functional gather ge gt H index index_add
    index_copy index_fill index_put index_select indices inf inner int int32 int64 inverse isclose item le linear
    linspace log log10 log1p log2 log_sigmoid log_softmax logical_and logical_not logical_or logsumexp long lt
    masked_fill masked_select matmul max maximum mean min minimum mm movedim mT mul multiply mv narrow ndim ne neg
    negative new_full new_ones new_tensor new_zeros nn nonzero norm numel one_hot ones ones_like outer permute pi pow
    prod reciprocal relu repeat repeat_interleave reshape reshape_as rsqrt rsub scatter scatter_add select shape
    sigmoid sign sin sinh size softmax softplus sort split sqrt square squeeze stack std std_mean sub subtract sum
    sum_to_size swapaxes T t take take_along_dim tan tanh tau tensor tensordot tile to tolist topk trace transpose
    tril triu true_divide type type_as unbind unflatten unfold unique unsqueeze values var var_mean vdot view view_as
    where zeros zeros_like
    abs_ add_ addcmul_ addmm_ baddbmm_ clamp_ copy_ div_ exp_ fill_ fill_diagonal_ index_add_ index_copy_ index_fill_
    index_put_ masked_fill_ mul_ neg_ pow_ reciprocal_ scatter_ scatter_add_ sqrt_ square_ squeeze_ sub_ tanh_
    unsqueeze_ zero_
    """.split()  # noqa: SIM905
)
OTHER_KEYWORDS = frozenset({"requires_grad", "pin_memory", "generator", "layout", "device", "non_blocking"})
UNSETTLED = frozenset({"empty", "empty_like", "new_empty"})
"""What they return depends on what was in memory: a function that uses one harms no other, and has no key."""


def is_renamed(name: str, meanings: Mapping[str, str]) -> bool:
    """Whether a file gives the name to a function that has another name in its module."""
    meaning = meanings.get(name, "")
    return meaning.startswith(("torch.", "math.")) and not (meaning in IMPORTABLE or meaning.endswith(f".{name}"))
