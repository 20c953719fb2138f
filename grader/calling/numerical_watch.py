"""Numerical differentiation, seen while a function runs: in PyTorch's operators and in numpy's and math's functions.

Suspicious is an operator that is evaluated at inputs which differ by a small step, and a complex result that is a small
step away from real numbers or comes from a curved function. Products of complex numbers, which rotate, are not. A
function with something suspicious is called a second time, with these results disturbed by a few thousand rounding
errors. A difference quotient divides the disturbance by its step, so its answer changes by much more. What a function
only prints or compares does not change its answer at all. Like all counts in a student's process, this can be deceived
by code that looks for it.
"""

from __future__ import annotations

import cmath
import io
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer, Seen
from grader.calling.operators import OperatorWatch, TooManyOperators
from grader.calling.protocol import leaves
from grader.calling.repeated_inputs import Evaluations, InputArray, is_near_real

SMOOTH_OPERATORS = frozenset(
    """
    tanh exp exp2 expm1 log log1p log2 log10 sqrt rsqrt pow reciprocal sigmoid silu gelu sinh cosh sin cos logsumexp
    _softmax _log_softmax relu softplus square div var std native_batch_norm native_layer_norm linalg_vector_norm mm
    addmm bmm baddbmm mv dot
    """.split()  # noqa: SIM905
)
SLOW_MOVING = frozenset({"sqrt", "rsqrt", "pow", "div", "reciprocal", "square", "var", "std", "linalg_vector_norm"})
"""What an optimizer computes from parameters, which change by a small step between two of its steps."""
NUMPY = frozenset(
    "tanh exp exp2 expm1 log log1p log2 log10 sqrt power square reciprocal sinh cosh sin cos matmul dot".split()  # noqa: SIM905
)
MATH = ("tanh", "exp", "expm1", "log", "log1p", "sqrt", "pow", "sinh", "cosh")
NO_ROTATION = frozenset("tanh exp exp2 expm1 log log1p log2 log10 sigmoid sinh cosh sin cos _softmax logsumexp".split())  # noqa: SIM905
"""Of complex numbers. Rotations are products, quotients and powers."""
MAX_OPERATORS_OBSERVED = 20_000
DISTURBANCE = 4096
"""In units of the rounding error, relative to the result."""
READ_FROM_IMAGINARY = 0.1
"""The change of an answer, in disturbances, that shows a derivative read from imaginary parts. It changes by 0.5 to
1.5; what is only rotated by a small angle, by a thousandth."""
AMPLIFIED = 5.0
"""The change of an answer, in disturbances, that shows a division by a small step. Formulas change by about one; steps
that are precise enough to pass change by 30 and more."""
as_numpy, cosine = torch._C.TensorBase.numpy, numpy.cos


class NumericalWatch(OperatorWatch):  # type: ignore[no-untyped-call]
    """An `OperatorWatch` that notes suspicious results or, given those of a first run as `disturbed`, disturbs them.

    It also sees what a function computes outside torch. `names` are those of the graded file's module. Whatever
    `may_train`, such as a function that a check calls, is not followed in SLOW_MOVING operators.
    """

    def __init__(
        self, cap: int, names: dict[str, Any], may_train: bool = False, disturbed: Collection[int] | None = None
    ) -> None:
        super().__init__(cap)
        self._names, self._may_train, self._disturbed = names, may_train, disturbed
        self._followed = SMOOTH_OPERATORS - SLOW_MOVING if may_train else SMOOTH_OPERATORS
        self._evaluations = defaultdict[tuple[str, object], Evaluations](Evaluations)
        self._number = 0  # of the latest evaluation: the same in both runs
        self.complex_results, self.was_stopped = 0, False
        self.suspicious: set[int] = set()
        self._inside = ExitStack()

    def again(self) -> NumericalWatch:
        """The watch on a second run of the same call."""
        return NumericalWatch(self.cap, self._names, self._may_train, self.suspicious)

    def __enter__(self) -> NumericalWatch:
        self._inside.enter_context(seen_outside_torch(self.evaluated_outside, self._names))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *of_an_error: Any) -> None:
        super().__exit__(*of_an_error)  # type: ignore[no-untyped-call]
        self._inside.close()

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        plain = name.rstrip("_") if not name.endswith("__") else name
        is_followed, is_first = plain in self._followed, self._disturbed is None
        if is_first and self.operators > MAX_OPERATORS_OBSERVED:
            self.was_stopped = bool(self.suspicious)
            if self.was_stopped:  # it would go on for long
                raise TooManyOperators(MAX_OPERATORS_OBSERVED)
            is_followed = False
        inputs = arrays_in((args, kwargs)) if is_followed and is_first else []
        if name is not plain:  # it changes its first argument
            inputs = [each.copy() for each in inputs]
        result = super().__torch_dispatch__(func, types, args, kwargs)
        has_complex = any(map(is_complex, leaves(result)))
        if is_followed or has_complex:
            others = tuple(repr(each) for each in args if not isinstance(each, Tensor))
            is_step = has_complex and is_first and is_complex_step(plain, inputs, result)
            if self._is_disturbed((plain, others), inputs, is_step):
                disturb(result, self._number)
        return result

    def evaluated_outside(self, name: str, arguments: Sequence[object], result: object) -> object:
        """The result of a function of numpy's, math's or cmath's, disturbed in a second run."""
        arrays = arrays_in(arguments)
        is_step = is_complex_step(name, arrays, result)
        if self._may_train and all(each.size == 1 for each in arrays):
            arrays = []  # a learning rate may decay step by step
        is_disturbed = self._is_disturbed((name, len(arrays)), arrays, is_step)
        return disturb(result, self._number) if is_disturbed else result

    def _is_disturbed(self, key: tuple[str, object], inputs: Sequence[InputArray], is_step: bool) -> bool:
        """Whether the result of one more evaluation is to be disturbed; a first run notes whether it is suspicious."""
        self._number += 1
        if self._disturbed is not None:
            return self._number in self._disturbed
        self.complex_results += is_step
        if is_step or self._evaluations[key].add(inputs):
            self.suspicious.add(self._number)
        return False

    def seen(self, change: float) -> Seen | None:
        """What an answer of this first run depends on; the disturbed results changed it by so many disturbances."""
        if self.complex_results and change > READ_FROM_IMAGINARY:
            return Seen("complex numbers", "", self.complex_results)
        pairs, times = Counter[str](), Counter[str]()
        for (name, _), each in self._evaluations.items():
            pairs[name] += each.pairs
            times[name] += each.times
        operator = max(pairs, key=lambda name: (pairs[name], times[name]), default="")
        if change < AMPLIFIED or not pairs[operator]:
            return None
        function = "matmul" if operator in ("mm", "bmm", "mv") else operator.removeprefix("_")
        return Seen("differences", function, times[operator])


def watched(call: Callable[[OperatorWatch], dict[str, Answer]], watch: NumericalWatch) -> dict[str, Answer]:
    """The answers of a call by name, with what each of them depends on; one that is suspicious is made again."""
    answers = call(watch)
    if not watch.suspicious:
        return answers
    others = {} if watch.was_stopped else call(watch.again())
    changes = {name: relative_change(answer, others[name]) if others else math.inf for name, answer in answers.items()}
    return {name: answer._replace(seen=watch.seen(changes[name])) for name, answer in answers.items()}


def is_complex(value: Any) -> bool:
    """Whether it is complex. numpy cannot read a tensor that is conjugated or requires a gradient."""
    return value.is_complex() if isinstance(value, Tensor) else numpy.iscomplexobj(value)


def is_complex_step(operator: str, inputs: Sequence[InputArray], result: object) -> bool:
    """Whether an operator computes with complex numbers as a differentiation does, and not as a rotation does."""
    has_complex = any(map(is_complex, leaves(result)))
    is_curved = has_complex and operator in NO_ROTATION and any(each.real.any() for each in inputs)
    return is_curved or any(map(is_near_real, [*inputs, *arrays_in(result)]))


def relative_change(one: Answer, other: Answer) -> float:
    """The largest change of a tensor or number in an answer, relative to its own largest element, in disturbances."""
    changes = [0.0]
    found = (arrays_in([each.tensor, each.value, each.arguments]) for each in (one, other))
    for a, b in zip(*found, strict=False):
        if a.dtype.kind in "fc" and a.shape == b.shape and (scale := numpy.abs(a).max(initial=0)) > 0:
            changes.append(float(numpy.abs(a - b).max() / scale / numpy.finfo(a.dtype).eps / DISTURBANCE))
    return max(changes)


def disturb(result: Any, number: int) -> Any:
    """The result with each element changed by its own part of DISTURBANCE. Tensors and arrays are changed in place.

    Of complex numbers only the imaginary part is changed, from which a derivative is read: all in one direction.
    """
    if isinstance(result, float):
        return result * (1 + cosine(number) * DISTURBANCE * sys.float_info.epsilon)
    if isinstance(result, complex):
        grown = result.imag * (1 + DISTURBANCE * sys.float_info.epsilon)
        return complex(result.real, grown) if result.imag else complex(disturb(result.real, number))
    for array in arrays_in(result):
        is_imaginary = array.dtype.kind == "c"
        changed = array.imag if is_imaginary else array
        if changed.dtype.kind == "f":
            noise = cosine(numpy.arange(array.size).reshape(array.shape) + number)
            with suppress(ValueError):  # it may not be written to
                changed *= 1 + (1 + noise / 2 if is_imaginary else noise) * DISTURBANCE * numpy.finfo(changed.dtype).eps
    return result


def arrays_in(values: object) -> list[InputArray]:
    """The tensors, arrays and numbers that are not whole in a tree, as arrays; tensors that numpy can read.

    Complex ones without an imaginary part are real.
    """
    found: list[InputArray] = []
    for each in leaves(values):
        if isinstance(each, Tensor):
            with suppress(RuntimeError, TypeError):
                found.append(as_numpy(each.detach().resolve_conj().resolve_neg()))
        elif isinstance(each, (float, complex, numpy.ndarray)):
            found.append(numpy.asarray(each))
    return [each if each.dtype.kind != "c" or each.imag.any() else each.real for each in found]


@contextmanager
def seen_outside_torch(
    evaluated: Callable[[str, tuple[object, ...], object], object], names: dict[str, Any]
) -> Iterator[None]:
    """Inside, functions of numpy, math and cmath return `evaluated(name, arguments, result)`; no text is printed.

    `names` are those of the student's module, which may have imported functions under other names.
    """

    def telling(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: evaluated(name, args, original(*args, **kwargs))

    replaced: list[tuple[dict[str, Any], str, Any]] = []
    for module, functions in ((numpy, NUMPY), (math, MATH), (cmath, vars(cmath).keys())):
        found = {name: vars(module).get(name) for name in functions}
        replaced += [(vars(module), name, original) for name, original in found.items() if callable(original)]
    by_original = {id(original): telling(name, original) for _, name, original in replaced}
    replaced += [(names, name, value) for name, value in names.items() if id(value) in by_original]
    for namespace, name, original in replaced:
        namespace[name] = by_original[id(original)]
    try:
        with redirect_stdout(io.StringIO()) as nowhere, redirect_stderr(nowhere):
            yield
    finally:
        for namespace, name, original in replaced:
            namespace[name] = original
