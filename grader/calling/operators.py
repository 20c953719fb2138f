"""Counts the aten operators that one call dispatches, and stops a call that dispatches far too many.

The count tells a fused formula from the same gradient step by step: it is the same on every machine and for every batch
size, unless the step loops over the batch. Aten operators are what PyTorch's dispatcher sees below Python's functions:
``F.softmax`` is one; ``logits[range(n), Yb] -= 1`` is five (the range becomes a tensor, a read, the subtraction, the
range again, a write). Reading a shape or printing a tensor counts as no operator.
Source: ``torch/utils/_python_dispatch.py``, whose modes are PyTorch's own way to see them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from grader.calling.protocol import leaves

_LOW_PRECISION = frozenset({torch.float32, torch.float16, torch.bfloat16, torch.complex64})


class TooManyOperators(BaseException):
    """A call went on beyond the cap. A `BaseException`, so that a loop with ``except Exception`` in it ends, too."""

    def __init__(self, cap: int) -> None:
        super().__init__(f"more than {cap:,} tensor operations in one step; a gradient by hand needs a few dozen")
        self.cap = cap


class OperatorWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's __init_subclass__ has no annotations
    """Counts what is dispatched inside ``with OperatorWatch(cap) as watch:``, for 4 µs an operator.

    Values do not change. One watch is for one call; entered again it goes on counting. It sees the thread that entered
    it and no other. Counts come from the student's own process, so they are as honest as it is.

    Args:
        cap: the last number of operators allowed. The next raises `TooManyOperators`, and so do all after it; where the
            student's code catches even that, ``watch.operators > cap`` still tells.

    Attributes:
        operators: aten operators dispatched so far.
        saw_float32: whether any result had less than float64's precision, as happens in a float64 step to ``.float()``
            or, under a default dtype of float32, to ``torch.zeros(3)``.
    """

    def __init__(self, cap: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.cap = cap
        self.operators = 0
        self.saw_float32 = False

    def counts(self) -> dict[str, Any]:
        """What was counted, as fields of an Answer."""
        return {"operators": self.operators}

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        self.operators += 1
        if self.operators > self.cap:
            raise TooManyOperators(self.cap)
        result = func(*args, **kwargs) if kwargs else func(*args)
        if not self.saw_float32:
            for value in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(value, Tensor) and value.dtype in _LOW_PRECISION:
                    self.saw_float32 = True
        return result

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No wrapper against ``torch.compile``: at the first operator it would import ``torch._dynamo`` (1.1 s)."""
        return False


class CallWatch(OperatorWatch):  # type: ignore[no-untyped-call]
    """An `OperatorWatch` that also says which operators there were, and how much memory their results took at most.

    Memory of the `given` arguments, and views of it, do not count. It is counted when an operator has given its result:
    temporaries inside a kernel are not seen, and neither is memory of numpy's.
    """

    def __init__(self, cap: int, given: object) -> None:
        super().__init__(cap)
        self.dispatched: Counter[str] = Counter()
        self.peak_bytes = 0
        self._given = {leaf.untyped_storage()._cdata for leaf in leaves(given) if isinstance(leaf, Tensor)}
        self._alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self._bytes = 0  # of everything in `_alive`

    def counts(self) -> dict[str, Any]:
        return {**super().counts(), "dispatched": dict(self.dispatched), "peak_bytes": self.peak_bytes}

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        result = super().__torch_dispatch__(func, types, args, kwargs)
        self.dispatched[func.overloadpacket.__name__] += 1
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, Tensor):
                self._remember(value)
        if self._bytes > self.peak_bytes:  # at most so much is alive: look only when it would be a new peak
            for key in [key for key, (storage, _) in self._alive.items() if storage.expired()]:  # type: ignore[no-untyped-call]
                self._bytes -= self._alive.pop(key)[1]
            self.peak_bytes = max(self.peak_bytes, self._bytes)
        return result

    def _remember(self, tensor: Tensor) -> None:
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):  # a sparse tensor has none of its own
            return
        key = storage._cdata  # not used again while a weak reference to it is kept
        if key not in self._given:
            size = storage.nbytes()
            self._bytes += size - self._alive.get(key, (None, 0))[1]
            self._alive[key] = (StorageWeakRef(storage), size)  # type: ignore[no-untyped-call]
