"""Calling one step: what it may ask for, what it may return, and what is said of everything else."""

from __future__ import annotations

import contextlib
import functools
import io
import pdb
import sys
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.failures import NOBODY_CAN_TYPE
from grader.calling.operators import OperatorWatch
from grader.calling.steps import StepInput, call_step, interface_of
from grader.sandbox.workers.clean_process import ENVIRONMENT

X = torch.arange(12.0, dtype=torch.float64).view(3, 4) + 1
DY = torch.linspace(-1, 1, 12, dtype=torch.float64).view(3, 4)
VALUES = {"x": X, "y": 2 * X, "s": torch.tensor(2.0, dtype=torch.float64), "i": torch.tensor([2, 0]), "n": 3}
UPSTREAM = {"y": DY, "x": DY + 1}


def call(function: Any, step: str = "dx", files: tuple[str, ...] = (), **more: Any) -> Answer:
    """The answer of `function` as the step `step`; values x, y, s, i, n and upstream gradients dy, dx are there."""
    return call_step(function, step, StepInput(VALUES, UPSTREAM, torch.float64, files, **more))


def same_tensor(answer: Answer, expected: Tensor) -> bool:
    tensor = answer.tensor
    return tensor is not None and tensor.dtype == expected.dtype and torch.equal(tensor, expected)


# Parameters ----------------------------------------------------------------------------------------------------------


def by_name(dy, x, n):
    return dy * x * n


def keyword_only(dy, *, x, n):
    return dy * x * n


def with_rest(dy, x, *rest, n, **more):
    assert rest == () and more == {}
    return dy * x * n


def with_defaults(dy, x, factor=3.0, *, other=1):
    return dy * x * factor * other


def annotated(dy: Tensor, x: "an annotation that is no name", n: int) -> Tensor:  # noqa: F722
    return dy * x * n


def test_parameters_are_given_by_name():
    for function in (
        *(by_name, keyword_only, with_rest, with_defaults, annotated),
        functools.partial(lambda dy, x, k: dy * x * k, k=3),
        functools.wraps(by_name)(lambda *arguments, **keywords: by_name(*arguments, **keywords)),
    ):
        assert same_tensor(call(function), DY * X * 3), function
    assert same_tensor(call(lambda dx=None, *, dy: dy if dx is None else dx), DY)  # with a default it is not given it


def test_an_unknown_parameter_is_named():
    unknown = lambda dyy, x: dyy  # noqa: E731
    assert call(unknown) == Answer(
        "raised",
        message="`dx` asks for `dyy`, which is neither a forward value nor an upstream gradient; did you mean `dy`?",
        line=unknown.__code__.co_firstlineno,
    )
    assert call(lambda temperature: temperature).message == (
        "`dx` asks for `temperature`, which is neither a forward value nor an upstream gradient: use the names of the "
        "forward pass, with a `d` in front for gradients."
    )
    assert call(lambda dx: dx).message == "`dx` asks for itself: `dx` is what it is to return."


def test_what_cannot_be_called():
    answer = call(torch.sum)
    assert answer.outcome == "raised" and answer.message.startswith("`dx` cannot be called: no signature found")
    assert call(None) == Answer("missing")


def test_arguments_are_copies():
    def dx(x, dy):
        x += 100
        dy.zero_()
        return x

    call(dx)
    assert float(X[0, 0]) == 1 and bool(DY.any())


def test_what_a_step_s_code_reads():
    def dx(dy, x, y, n):
        def inner():
            return x * n

        del y
        return inner

    assert interface_of(by_name)[1] == {"dy", "x", "n"}
    assert call(by_name).uses == {"dy", "x", "n"}
    assert interface_of(dx)[1] == {"x", "n"}
    assert call(lambda dy, x: torch.ones(3)).uses == frozenset()
    assert call(functools.partial(lambda dy, x, k: dy, k=1)).uses == {"dy", "x", "k"}  # no code to look at: all


# Precision -----------------------------------------------------------------------------------------------------------


def test_new_tensors_have_the_problem_s_precision():
    def dx():
        return torch.zeros(3) + torch.tensor(0.1) + torch.arange(3.0)

    for dtype in (torch.float32, torch.float64):
        answer = call_step(dx, "dx", StepInput(VALUES, UPSTREAM, dtype))
        assert answer.tensor is not None and answer.tensor.dtype == dtype
        assert torch.get_default_dtype() == torch.float32


def test_too_many_operators():
    def dx(x):
        while True:
            with contextlib.suppress(Exception):
                x = x + 1

    answer = call(dx, watch=OperatorWatch(cap=50), files=(__file__,))
    assert answer.outcome == "timeout" and answer.line == dx.__code__.co_firstlineno + 3
    assert answer.message == (
        "It dispatched more than 50 tensor operations and was stopped: is there a loop that never ends?"
    )


# Exceptions ----------------------------------------------------------------------------------------------------------


def test_a_stub_is_to_do_and_other_errors_of_this_type_are_errors():
    def dx():
        raise NotImplementedError("TODO")

    assert call(dx, files=(__file__,)) == Answer("todo", line=dx.__code__.co_firstlineno + 1)
    assert call(lambda: dx(), files=(__file__,)).outcome == "todo"

    def on_one_path(y):
        if y.ndim == 2:
            raise NotImplementedError("only for one axis")
        return y

    library: dict[str, Any] = {}
    exec(compile("def solve(): raise NotImplementedError('not for float64')", "library.py", "exec"), library)
    for wrong, message in (
        (on_one_path, "only for one axis"),
        (lambda: library["solve"](), "not for float64"),
        (lambda x: 1.0 - x ^ 2, "\"bitwise_xor_cpu\" not implemented for 'Double'"),
        (lambda x: torch.bincount(x.view(-1)), "\"bincount_cpu\" not implemented for 'Double'"),
        (lambda x: (x + 0j).ceil(), "ceil is not supported for complex inputs"),
    ):
        answer = call(wrong, "dz", files=(__file__,))
        assert (answer.outcome, answer.message) == ("raised", f"NotImplementedError: {message}")
        assert answer.line is not None


def test_what_waits_for_an_answer_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.setenv("PYTHONBREAKPOINT", ENVIRONMENT["PYTHONBREAKPOINT"])
    trace = sys.gettrace()
    for ask in (
        lambda: breakpoint(),
        lambda: pdb.Pdb(stdin=io.StringIO(), stdout=io.StringIO()).set_trace(),
        lambda: input("x? "),
    ):

        def dx(ask: Any = ask):
            ask()
            return 1

        monkeypatch.setattr(sys, "stdin", io.StringIO())
        answer = call(dx, files=(__file__,))
        sys.settrace(trace)  # pdb's stays, and `make coverage` would not see what later tests run
        assert (answer.outcome, answer.message) == ("raised", NOBODY_CAN_TYPE)


def test_an_exception_has_the_innermost_line_of_the_student_s_own():
    def dx(x):
        def inner(a):
            return torch.matmul(a, a)  # raises in torch

        return inner(x)

    answer = call(dx, files=(__file__,))
    assert answer.outcome == "raised" and answer.line == dx.__code__.co_firstlineno + 2
    assert answer.message.startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)")
    assert call(dx).line is None  # no file of theirs


def test_every_exception_is_a_sentence():
    for error, message in (
        (ValueError(), "ValueError"),
        (ValueError("one\n  two"), "ValueError: one two"),
        (ValueError("x" * 10_000), "ValueError: " + "x" * 496 + " ..."),
        (KeyError("h"), "KeyError: 'h'"),
        (EOFError("the file ends here"), "EOFError: the file ends here"),
        (ModuleNotFoundError("No module", name="pdbs"), "ModuleNotFoundError: No module"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (MemoryError(), "MemoryError"),
        (SystemExit(0), "It ended the program (SystemExit, code 0) instead of returning."),
        (SystemExit("bye"), "It ended the program (SystemExit, code 'bye') instead of returning."),
    ):

        def dx(error: BaseException = error):
            raise error

        answer = call(dx)
        assert (answer.outcome, answer.message) == ("raised", message)


# Changed arguments ---------------------------------------------------------------------------------------------------


CHANGING: list[tuple[Any, tuple[str, ...]]] = [
    (lambda dy, x: dy.mul_(x), ("dy",)),
    (lambda dy, x: dy.__imul__(x), ("dy",)),
    (lambda dy, x: x.unsqueeze_(0) * dy, ("x",)),
    (lambda dy, x: x.resize_(2), ("x",)),
    (lambda dy, x: x.t_(), ("x",)),
    (lambda dy, x: (dy.zero_(), x.zero_())[0], ("dy", "x")),
    (lambda x: x[0].add_(1), ("x",)),  # through a view
    (lambda x: x.T.add_(1), ("x",)),
    (lambda x: x.numpy().__setitem__((0, 0), 9.0), ("x",)),
    (lambda i, x: i.add_(1) * 1.0, ("i",)),
    (lambda *, dy, x: dy.mul_(x), ("dy",)),
    (lambda dy, x: dy.clone().mul_(x), ()),
    (lambda dy, x: dy * x, ()),
    (lambda dy, x: dy.add_(0), ()),  # the same numbers
    (lambda x: x.requires_grad_() * 2, ()),
    (lambda x: x, ()),
]


def test_what_a_step_did_to_its_arguments():
    for place, (function, changed) in enumerate(CHANGING):
        assert sorted(call(function).changed) == sorted(changed), place


def test_nan_is_the_same_as_nan():
    given = StepInput({"x": torch.tensor([float("nan"), 1.0])}, {}, torch.float32)
    assert call_step(lambda x: x * 2, "dz", given).changed == ()
    assert call_step(lambda x: x.add_(1), "dz", given).changed == ("x",)


# What comes back -----------------------------------------------------------------------------------------------------


class Lying(torch.Tensor):
    """Equal to everything, and its own opinion on every operation."""

    def __eq__(self, other):
        return True

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError("ask me nothing")


PLAIN = [
    lambda x: torch.nn.Parameter(x * 2),
    lambda x: (x * 2).requires_grad_(),
    lambda x: (x * 2).as_subclass(Lying),
    lambda x: (x * 2).to_sparse(),
    lambda x: (x * 2).to_sparse_csr(),
    lambda x: (x.T * 2).T,
    lambda x: (x * 2).expand(1, 3, 4)[0],
    lambda x: torch.cat([x * 2, x])[:3],
    lambda x: torch._neg_view(x * -2),
    lambda x: (torch.complex(torch.zeros_like(x), -2 * x).conj()).imag,
    lambda x: torch.from_numpy(x.numpy() * 2),
]


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_any_tensor_comes_out_plain():
    for place, function in enumerate(PLAIN):
        tensor = call(function).tensor
        assert type(tensor) is Tensor and tensor.layout == torch.strided and tensor.is_contiguous(), place
        assert not tensor.requires_grad and not tensor.is_neg() and not tensor.is_conj(), place
        assert tensor.numpy().tobytes() == (2 * X).numpy().tobytes(), place


class AlwaysEqual:
    def __eq__(self, other):
        return True

    __hash__ = None  # type: ignore[assignment]


KINDS = [
    (None, "None"),
    (3, "int"),
    (3.5, "float"),
    (True, "bool"),
    ("x", "str"),
    ((X,), "tuple of 1"),
    ((X, X), "tuple of 2"),
    ([X], "list of 1"),
    (numpy.ones((3, 4)), "numpy.ndarray"),
    (numpy.float64(2), "numpy.float64"),
    (AlwaysEqual(), f"{__name__}.AlwaysEqual"),
    (torch.float32, "torch.dtype"),
    (Tensor, "torch._C._TensorMeta"),
    (X.max(1), "torch.return_types.max of 2"),
]


def test_what_is_no_tensor_is_described():
    for result, kind in KINDS:
        answer = call(lambda result=result: result)
        assert (answer.outcome, answer.tensor, answer.kind) == ("returned", None, kind)


def test_a_plain_number_is_right_for_a_scalar_only():
    for number in (3, 2.5, 0):
        assert same_tensor(call(lambda number=number: number, step="ds"), torch.tensor(float(number)).double())
    for other in (True, numpy.float64(2.0), "2"):
        assert call(lambda other=other: other, step="ds").tensor is None
    assert call(lambda: 3.0, step="dy").kind == "float"
    assert call(lambda: 3.0, step="dn").kind == "float"  # n is no tensor


# Whatever else --------------------------------------------------------------------------------------------------------


class Raises(Exception):
    def __str__(self):
        raise KeyboardInterrupt


class NoRepr:
    def __repr__(self):
        raise ValueError


class Pretends:
    __class__ = Tensor  # type: ignore[assignment]


class Nameless(type):
    def __getattribute__(cls, name):
        raise ValueError(name)


class WithoutAName(metaclass=Nameless):
    pass


def becomes_another(dy):
    dy.__class__ = Lying
    return torch.zeros(3, 4)


def raises_raises():
    raise Raises


def test_whatever_it_does_it_is_an_answer():
    for function in (
        *(raises_raises, becomes_another, lambda: sys.exit(NoRepr()), lambda: WithoutAName(), lambda: Pretends()),
        lambda: torch.zeros(1).expand(10**7, 10**7),
    ):
        try:
            answer = call(function)
        except BaseException as error:
            pytest.fail(f"call_step raised {type(error).__name__}")
        assert answer.outcome in ("returned", "raised")
        assert torch.get_default_dtype() == torch.float32
    assert call(raises_raises).message == "Raises: (its text cannot be read)"
    assert call(Pretends).kind == f"{__name__}.Pretends"
    assert call(lambda: int("0x7f3a5c0012ab")).message.endswith("'0x...'")  # addresses differ from run to run
