"""What shows numerical differentiation while a step runs, in PyTorch's operators and in numpy's and math's functions.

It looks for complex numbers, and for an operator that is evaluated at inputs which differ by a small step. It marks
every tensor that is computed from these. So a comparison that a step only prints does not count, and one that its
answer depends on does. Like all counts in a student's process, this can be deceived by code that looks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Seen
from grader.calling.observing import MATH, NUMPY, seen_outside_torch
from grader.calling.operators import OperatorWatch, TooManyOperators
from grader.calling.protocol import leaves
from grader.calling.repeated_inputs import Evaluations, InputArray

SMOOTH_OPERATORS = frozenset(
    """
    tanh exp exp2 expm1 log log1p log2 log10 sqrt rsqrt pow reciprocal sigmoid silu gelu sinh cosh sin cos logsumexp
    _softmax _log_softmax relu softplus square div var std native_batch_norm native_layer_norm linalg_vector_norm mm
    addmm bmm baddbmm mv dot
    """.split()  # noqa: SIM905
)
FUNCTION_OF_OPERATOR = {
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "mm": "matmul",
    "bmm": "matmul",
    "mv": "matmul",
}
OBSERVED_NAMES = NUMPY | SMOOTH_OPERATORS | frozenset(MATH) | frozenset(FUNCTION_OF_OPERATOR.values())
"""Every name that an observation may have."""
as_numpy = torch._C.TensorBase.numpy
WRITES = frozenset({"fill", "full", "full_like", "scalar_tensor", "masked_fill", "index_put", "index_fill"})
MAX_OPERATORS_OBSERVED = 20_000
ENOUGH_PAIRS = 2
SLOW_MOVING = frozenset({"sqrt", "rsqrt", "pow", "div", "reciprocal", "square", "var", "std", "linalg_vector_norm"})
"""What an optimizer computes from parameters, which change by a small step between two of its steps."""


class NumericalWatch(OperatorWatch):  # type: ignore[no-untyped-call]
    """An `OperatorWatch` that follows what an answer depends on: ``watch.seen(answer)`` says it.

    It also sees what the functions of `files` compute outside torch. What they print meanwhile is dropped, as it was
    printed when they ran without a watch.
    """

    def __init__(self, cap: int, files: Sequence[str], names: dict[str, Any], may_train: bool = False) -> None:
        """`names` are those of the graded file's module.

        Whatever `may_train`, such as a function that a check calls, is not followed in SLOW_MOVING operators.
        """
        super().__init__(cap)
        self._outside = files, names
        self._may_train = may_train
        self._followed = SMOOTH_OPERATORS - SLOW_MOVING if may_train else SMOOTH_OPERATORS
        self.complex_results = 0
        self._evaluations: dict[tuple[str, object], Evaluations] = {}
        self._pairs: dict[str, list[int]] = {}  # {operator: [evaluations, pairs]}
        self._storages: dict[int, Any] = {}  # known ones, kept alive so that no other gets the same number
        self._marked: set[int] = set()  # storages that are made of what shows numerical differentiation
        self._of_pairs: set[int] = set()
        self._subtracted = self._left_torch = False
        self._unmarked_numbers: set[float] = set()  # that left torch
        self._is_quiet = True  # nothing was found yet
        self._inside = ExitStack()

    def __enter__(self) -> NumericalWatch:
        self._inside.enter_context(seen_outside_torch(self.evaluates, self.finds_complex, *self._outside))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *of_an_error: Any) -> None:
        super().__exit__(*of_an_error)  # type: ignore[no-untyped-call]
        self._inside.close()

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if self.operators > MAX_OPERATORS_OBSERVED:
            if self._has_evidence():  # it would go on for long
                raise TooManyOperators(MAX_OPERATORS_OBSERVED)
            return super().__torch_dispatch__(func, types, args, kwargs)
        name = func.overloadpacket.__name__
        plain = name.rstrip("_") if not name.endswith("__") else name
        if self._is_quiet and plain not in self._followed:
            result = super().__torch_dispatch__(func, types, args, kwargs)
            self._look_for_complex(result)
            if name == "_local_scalar_dense":
                self._unmarked_numbers.add(result)
            return result
        given = list(tensors_in((args, kwargs)))
        inputs = (
            [array for tensor in given if (array := array_of(tensor)) is not None] if plain in self._followed else []
        )
        if name is not plain:  # it changes its first argument
            inputs = [each.copy() for each in inputs]
        result = super().__torch_dispatch__(func, types, args, kwargs)
        results = list(tensors_in(result))
        keys = [self._key(tensor, is_new=False) for tensor in given]
        depends = not self._marked.isdisjoint(keys)
        if any(tensor.is_complex() for tensor in results):
            self.complex_results += 1
            self._is_quiet, depends = False, True
        out = {self._key(tensor, is_new=True) for tensor in results}
        if plain in self._followed and results:
            depends = self._is_at_close_inputs(plain, args, inputs, out) or depends
        elif plain in ("sub", "rsub", "add") and len(keys) == 2 and self._of_pairs.issuperset(keys):
            self._subtracted = depends = True
        if name == "_local_scalar_dense":
            if depends:
                self._left_torch = True
            else:
                self._unmarked_numbers.add(result)
        if self._left_torch and (plain in WRITES and any(type(each) in (float, complex) for each in args)):
            depends = True
        if depends:
            self._marked |= out if name is plain else out.union(keys[:1])
        return result

    def _look_for_complex(self, result: object) -> None:
        """All that has to be noted of most operators while nothing was found, in little time."""
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, Tensor):
                key = self._key(value, is_new=True)
                if value.is_complex():
                    self.complex_results += 1
                    self._is_quiet = False
                    self._marked.add(key)

    def _is_at_close_inputs(self, plain: str, args: Sequence[Any], inputs: Sequence[InputArray], out: set[int]) -> bool:
        """Whether the same operator was evaluated at inputs close to these before, with other results than `out`."""
        others = tuple(repr(each) for each in args if not isinstance(each, Tensor))
        close = self._add((plain, others), inputs, frozenset(out))
        if close:
            self._of_pairs |= out.union(*close)
        return bool(close)

    def _key(self, tensor: Tensor, is_new: bool) -> int:
        """The number of its memory. Numbers from outside torch are marked once there is evidence.

        A number that left torch unmarked may return: `w[0] = old` after a comparison.
        """
        try:
            storage = tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):
            return id(tensor)
        key = int(storage._cdata)
        if key not in self._storages:
            self._storages[key] = storage
            if not (is_new or holds_whole_numbers(tensor)) and self._has_evidence():
                returns = tensor.numel() == 1 and tensor.item() in self._unmarked_numbers
                if not returns:
                    self._marked.add(key)
        return key

    def know(self, arguments: object) -> None:
        """Arguments of the step: they are not from outside."""
        for tensor in tensors_in(arguments):
            self._key(tensor, is_new=True)

    def _add(
        self, key: tuple[str, object], inputs: Sequence[InputArray], result: frozenset[int]
    ) -> list[frozenset[int]]:
        """The operator's earlier results at inputs close to these."""
        evaluations = self._evaluations.setdefault(key, Evaluations())
        pairs = evaluations.pairs
        close = evaluations.add(inputs, result)
        counts = self._pairs.setdefault(key[0], [0, 0])
        counts[0] += 1
        counts[1] += evaluations.pairs - pairs
        self._is_quiet = self._is_quiet and not counts[1]
        return [each for each in close if isinstance(each, frozenset)]

    def _has_evidence(self) -> bool:
        return bool(self.complex_results) or self._subtracted or self._pairs_found() is not None

    def _pairs_found(self) -> tuple[str, int] | None:
        """(operator, evaluations) of the one that was evaluated most often at close inputs."""
        least = 1 if self._subtracted else ENOUGH_PAIRS
        found = [(pairs, times, name) for name, (times, pairs) in self._pairs.items() if pairs >= least]
        return (max(found)[2], max(found)[1]) if found else None

    def seen(self, answer: object) -> Seen | None:
        """What the answer depends on, of an answer that was returned inside."""
        if not self._depends(answer):
            return None
        if self.complex_results:
            return Seen("complex numbers", "", self.complex_results)
        if (found := self._pairs_found()) is not None:
            return Seen("differences", FUNCTION_OF_OPERATOR.get(found[0], found[0]), found[1])
        return None

    def _depends(self, answer: object) -> bool:
        if self.operators > MAX_OPERATORS_OBSERVED:  # the rest was not followed
            return True
        tensors = list(tensors_in(answer))
        if tensors:
            keys = [self._key(tensor, is_new=False) for tensor in tensors]
            return not self._marked.isdisjoint(keys)
        numbers = [each for each in leaves(answer) if type(each) is not str]
        return self._left_torch and not self._unmarked_numbers.issuperset(numbers)

    def evaluates(self, name: str, arguments: Sequence[object]) -> None:
        """A function of numpy's, math's or cmath's is called."""
        arrays = [numpy.asarray(each) for each in arguments if isinstance(each, (float, complex, numpy.ndarray))]
        arrays += [array for each in arguments if isinstance(each, Tensor) and (array := array_of(each)) is not None]
        if any(each.dtype.kind == "c" for each in arrays):
            self.finds_complex()
        elif not self._may_train or any(each.size > 1 for each in arrays):  # a learning rate may decay step by step
            self._add((name, len(arrays)), arrays, frozenset())
            self._left_torch |= self._pairs_found() is not None

    def finds_complex(self) -> None:
        """Record a complex number outside a tensor."""
        self.complex_results += 1
        self._left_torch, self._is_quiet = True, False


def tensors_in(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, Mapping):
        yield from tensors_in(tuple(value.values()))


def holds_whole_numbers(tensor: Tensor) -> bool:
    """Whether it holds whole numbers or truth values, as indices do."""
    return not (tensor.is_floating_point() or tensor.is_complex())


def array_of(tensor: Tensor) -> InputArray | None:
    """Its numbers, where numpy can read them."""
    try:
        return as_numpy(tensor.detach().resolve_conj().resolve_neg())
    except (RuntimeError, TypeError):
        return None
