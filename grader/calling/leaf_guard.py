"""What PyTorch refuses to do with a leaf that requires a gradient: change it in place while operations are recorded.

The refusal is a part of autograd, which a worker does not have (grader/sandbox/workers/autograd_off.py). So a call
that receives such leaves runs under this guard: a loop without `torch.no_grad()` stops with PyTorch's own words.
Source: torch/csrc/autograd/VariableTypeUtils.h, `check_inplace`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
WITH_OUT = "functions with out=... arguments don't support automatic differentiation, but one requires grad."
HARMLESS = frozenset({"requires_grad_", "detach_", "share_memory_"})
"""Methods that end in _ and change no element."""


class LeafGuard(TorchFunctionMode):
    """Inside ``with LeafGuard(leaves):`` a change of one of the leaves in place raises RuntimeError.

    Allowed are changes inside `torch.no_grad()` or `torch.inference_mode()`, and through `.data` or `.detach()`. A
    change of a view, such as `p[0].add_(1)`, is not noticed; `p[0] += 1` is.
    """

    def __init__(self, leaves: Iterable[Tensor]) -> None:
        super().__init__()
        self._leaves = {id(leaf): leaf for leaf in leaves}

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if torch.is_grad_enabled():
            name = str(getattr(func, "__name__", ""))
            if args and changes_in_place(name) and self._holds(args[0]):
                raise RuntimeError(IN_PLACE)
            if self._holds(given.get("out")):
                raise RuntimeError(WITH_OUT)
        return func(*args, **given)

    def _holds(self, value: Any) -> bool:
        """Whether `value` is one of the leaves that still requires a gradient, or a list with one in it."""
        if isinstance(value, (list, tuple)):
            return any(self._holds(entry) for entry in value)
        return id(value) in self._leaves and self._leaves[id(value)].requires_grad


def changes_in_place(name: str) -> bool:
    """Whether torch's function of this name changes its first argument: `add_`, `__setitem__`, `_foreach_add_`."""
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__") and name not in HARMLESS)
