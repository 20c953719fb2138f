"""What shows numerical differentiation while a step runs, in PyTorch's operators and in numpy's and math's functions.

It looks for complex numbers, and for an operator that is evaluated at inputs which differ by a small step. It marks
every tensor that is computed from these. So a comparison that a step only prints does not count, and one that its
answer depends on does. Like all counts in a student's process, this can be deceived by code that looks for it.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from grader.calling.operators import OperatorWatch
from grader.calling.protocol import leaves
from grader.calling.repeated_inputs import Evaluations, InputArray

NUMPY = frozenset(
    "tanh exp exp2 expm1 log log1p log2 log10 sqrt power square reciprocal sinh cosh sin cos matmul dot".split()  # noqa: SIM905
)
MATH = ("tanh", "exp", "expm1", "log", "log1p", "sqrt", "pow", "sinh", "cosh")
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
ENOUGH_AGAIN = 4
"""Evaluations at known inputs, of at least two operators, that make a forward pass that is repeated."""
LINEAR_OPERATORS = frozenset({"mm", "addmm", "bmm", "baddbmm", "mv", "dot", "div", "var", "std", "linalg_vector_norm"})


SLOW_MOVING = frozenset({"sqrt", "rsqrt", "pow", "div", "reciprocal", "square", "var", "std", "linalg_vector_norm"})
"""What an optimizer computes from parameters, which change by a small step between two of its steps."""


REPEATED = "repeated forward pass"
"""A method that takes no points: slow code that is right may repeat the forward pass, too."""
DEPENDS, REPEATS = 1, 2
"""Marks: made of what shows numerical differentiation; made of an operator's result that there was before."""


class Seen(NamedTuple):
    """What an answer depends on: `method` is "differences", "complex numbers" or "repeated forward pass".

    `operator` is the one that was evaluated `times` times, at close inputs or at the same ones; or "", and there were
    `times` complex results.
    """

    method: str
    operator: str
    times: int


class NumericalWatch(OperatorWatch):  # type: ignore[no-untyped-call]
    """An `OperatorWatch` that follows what an answer depends on, inside ``with NumericalWatch(cap) as watch:``.

    After it, ``watch.seen(answer)`` says what the answer depends on.
    """

    def __init__(self, cap: int, may_train: bool = False) -> None:
        """Whatever `may_train`, such as a function that a check calls, is not followed in SLOW_MOVING operators."""
        super().__init__(min(cap, MAX_OPERATORS_OBSERVED))
        self._may_train = may_train
        self._followed = SMOOTH_OPERATORS - SLOW_MOVING if may_train else SMOOTH_OPERATORS
        self.complex_results = 0
        self._evaluations: dict[tuple[str, object], Evaluations] = {}
        self._pairs: dict[str, list[int]] = {}  # {operator: [evaluations, pairs]}
        self._storages: dict[int, Any] = {}  # known ones, kept alive so that no other gets the same number
        self._marks: dict[int, int] = {}  # {storage: DEPENDS, REPEATS or both}
        self._of_pairs: set[int] = set()
        self._subtracted = self._left_torch = False
        self._unmarked_numbers: set[float] = set()  # that left torch
        self._is_quiet = True  # nothing was found yet
        self.answer: object = None

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
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
        marks = functools.reduce(operator.or_, (self._marks.get(key, 0) for key in keys), 0)
        if any(tensor.is_complex() for tensor in results):
            self.complex_results += 1
            self._is_quiet = False
            marks |= DEPENDS
        out = {self._key(tensor, is_new=True) for tensor in results}
        if plain in self._followed and results:
            marks |= self._marks_of_evaluation(plain, args, inputs, out)
        elif plain in ("sub", "rsub", "add") and len(keys) == 2 and self._of_pairs.issuperset(keys):
            self._subtracted = True
            marks |= DEPENDS
        if name == "_local_scalar_dense":
            if marks & DEPENDS:
                self._left_torch = True
            else:
                self._unmarked_numbers.add(result)
        if self._left_torch and (plain in WRITES and any(type(each) in (float, complex) for each in args)):
            marks |= DEPENDS
        if marks:
            for key in out if name is plain else out.union(keys[:1]):
                self._marks[key] = self._marks.get(key, 0) | marks
        return result

    def _look_for_complex(self, result: object) -> None:
        """All that has to be noted of most operators while nothing was found, in little time."""
        for value in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(value, Tensor):
                key = self._key(value, is_new=True)
                if value.is_complex():
                    self.complex_results += 1
                    self._is_quiet = False
                    self._marks[key] = DEPENDS

    def _marks_of_evaluation(self, plain: str, args: Sequence[Any], inputs: Sequence[InputArray], out: set[int]) -> int:
        """Marks of the results `out` that follow from earlier evaluations of the same operator."""
        others = tuple(repr(each) for each in args if not isinstance(each, Tensor))
        known, close = self._add((plain, others), inputs, frozenset(out))
        if close:
            self._of_pairs |= out.union(*close)
        return (DEPENDS if close else 0) | (REPEATS if known else 0)

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
                self._marks[key] = 0 if returns else DEPENDS
        return key

    def know(self, arguments: object) -> None:
        """Arguments of the step: they are not from outside."""
        for tensor in tensors_in(arguments):
            self._key(tensor, is_new=True)

    def _add(
        self, key: tuple[str, object], inputs: Sequence[InputArray], result: frozenset[int]
    ) -> tuple[bool, list[frozenset[int]]]:
        """Whether the operator was evaluated at these inputs before, and its results at inputs close to them."""
        evaluations = self._evaluations.setdefault(key, Evaluations())
        pairs, again = evaluations.pairs, evaluations.again
        close = evaluations.add(inputs, result)
        counts = self._pairs.setdefault(key[0], [0, 0])
        counts[0] += 1
        counts[1] += evaluations.pairs - pairs
        self._is_quiet = self._is_quiet and not counts[1] and evaluations.again == again
        return evaluations.again > again, [each for each in close if isinstance(each, frozenset)]

    def _has_evidence(self) -> bool:
        return bool(self.complex_results) or self._subtracted or self._pairs_found() is not None

    def _pairs_found(self) -> tuple[str, int] | None:
        """(operator, evaluations) of the one that was evaluated most often at close inputs."""
        least = 1 if self._subtracted else ENOUGH_PAIRS
        found = [(pairs, times, name) for name, (times, pairs) in self._pairs.items() if pairs >= least]
        return (max(found)[2], max(found)[1]) if found else None

    def seen(self, answer: object) -> Seen | None:
        """What the answer depends on, of an answer that was returned inside."""
        marks = self._marks_of(answer)
        depends = marks & DEPENDS
        if depends and self.complex_results:
            return Seen("complex numbers", "", self.complex_results)
        if depends and (found := self._pairs_found()) is not None:
            return Seen("differences", FUNCTION_OF_OPERATOR.get(found[0], found[0]), found[1])
        if not marks & REPEATS:
            return None
        again = Counter[str]()
        for (name, _), evaluations in self._evaluations.items():
            if name not in LINEAR_OPERATORS:
                again[name] += evaluations.again
        often = [(times, name) for name, times in again.items() if times >= ENOUGH_AGAIN]
        if len(often) < 2:
            return None
        times, name = max(often)
        return Seen(REPEATED, FUNCTION_OF_OPERATOR.get(name, name), times)

    def _marks_of(self, answer: object) -> int:
        if self.operators > self.cap:  # it was stopped
            return DEPENDS | REPEATS
        marks = [self._marks.get(self._key(tensor, is_new=False), 0) for tensor in tensors_in(answer)]
        if marks:
            return functools.reduce(operator.or_, marks)
        numbers = [each for each in leaves(answer) if type(each) is not str]
        return DEPENDS if self._left_torch and not self._unmarked_numbers.issuperset(numbers) else 0

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
