"""The three stages: shape, value, bits; each against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grader.comparison.tensors import (
    Bits,
    bits,
    compare,
    relative_error,
    ulps,
)

F32, F64 = torch.float32, torch.float64
NAN, INFINITY = float("nan"), float("inf")
SMALLEST = 2.0**-149  # the smallest denormal of float32


def f32(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=F32)


def f64(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=F64)


# Value ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("error", "stage"), [(0.9e-9, "passed"), (1.1e-9, "value")])
def test_tolerance_on_both_sides(error, stage, sign):
    reference = torch.arange(1, 13, dtype=F64).view(3, 4)
    comparison = compare(reference * (1 + sign * error), reference, scale=1.0)
    assert comparison.stage == stage
    assert comparison.passed == (stage == "passed")
    assert comparison.relative_error == pytest.approx(error, rel=1e-6)
    assert comparison.message == ""


@pytest.mark.parametrize(("error", "passed"), [(0.9e-5, True), (1.1e-5, False)])
def test_an_answer_computed_in_float32_has_float32_s_tolerance(error, passed):
    reference = torch.ones(1000, dtype=F64)
    wide = reference * (1 + error)
    assert not compare(wide, reference, 1.0).passed
    assert compare(wide, reference, 1.0, low_precision=True).passed == passed
    assert compare(wide.to(F32), reference, 1.0).passed == passed


def test_float32_against_float32_is_no_excuse():
    reference = torch.ones(4, dtype=F32)
    assert compare(reference.clone(), reference, 1.0).passed
    assert not compare(torch.nextafter(reference, f32(2.0)), reference, 1.0).passed


def test_a_zero_gradient_is_measured_against_its_upstream():
    """‖Δ‖ ≤ 1e-9 · 1e-3 · scale where the reference is zero."""
    for scale in [1.0, 50.0, 1e-6]:
        zeros = torch.zeros(3, dtype=F64)
        assert compare(zeros, zeros, scale).relative_error == 0
        assert compare(zeros + f64(0, 0.9e-12 * scale, 0), zeros, scale).passed
        assert not compare(zeros + f64(0, 1.1e-12 * scale, 0), zeros, scale).passed


finite = st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)
tensors = st.lists(finite, min_size=1, max_size=8).map(lambda numbers: f64(*numbers))


@given(tensors, tensors, st.floats(0, 1e3))
def test_it_is_the_norm_of_the_difference_over_the_norm(reference, noise, scale):
    size = min(len(reference), len(noise))
    reference, answer = reference[:size], reference[:size] + noise[:size]
    difference = math.hypot(*(answer - reference).tolist())
    norm = max(math.hypot(*reference.tolist()), 1e-3 * scale)
    expected = difference / norm if norm else (INFINITY if difference else 0.0)
    assert relative_error(answer, reference, scale) == pytest.approx(expected, rel=1e-12)


# Shape ---------------------------------------------------------------------------------------------------------------

SHAPE = "The shape is {}; expected {}, the shape of the value itself."
NOT_FLOATING = "The numbers are {}; a gradient needs floating point: start from `zeros_like(...)`, say."
COARSE = "The numbers are {}, too coarse to judge: keep the dtype of the values you are given."
NOT_FINITE = "Element [1, 2] is {}, not a finite number: look for {}."
CAUSES_OF_NAN = "0/0, inf - inf, or the log or root of a negative number"
CAUSES_OF_INF = "a division by zero, log(0) or an overflow"


def test_what_is_no_gradient_is_said_in_a_sentence():
    """Equal numbers everywhere: only shape and dtype can tell, and they do, before any value is looked at."""
    ones = torch.ones(3, 4, dtype=F64)
    for answer, reference, sentence in [
        (torch.ones(64, dtype=F64), torch.ones(1, 64, dtype=F64), SHAPE.format("(64,)", "(1, 64)")),
        (f64(1.0), f64(1.0)[0], SHAPE.format("(1,)", "()")),
        (torch.ones(3, 0, dtype=F64), ones, SHAPE.format("(3, 0)", "(3, 4)")),
        (ones.T, ones, SHAPE.format("(4, 3)", "(3, 4)")),
        (f64(NAN, NAN), f64(1.0), SHAPE.format("(2,)", "(1,)")),
        (torch.ones(2, dtype=torch.int64), f64(1.0), SHAPE.format("(2,)", "(1,)")),
        (ones.long(), ones, NOT_FLOATING.format("int64")),
        (ones.bool(), ones, NOT_FLOATING.format("bool")),
        (ones.half(), ones, COARSE.format("float16")),
        (ones.bfloat16(), ones, COARSE.format("bfloat16")),
    ]:
        assert compare(answer, reference, 1.0) == ("shape", None, sentence)


def test_every_number_must_be_finite():
    """`not maxdiff > tolerance` holds for NaN: a comparison written that way lets it through."""
    for bad, causes in [(NAN, CAUSES_OF_NAN), (INFINITY, CAUSES_OF_INF), (-INFINITY, CAUSES_OF_INF)]:
        answer = torch.ones(2, 3, dtype=F64)
        answer[1, 2] = bad
        assert compare(answer, torch.ones(2, 3, dtype=F64), 1.0) == ("value", None, NOT_FINITE.format(bad, causes))


def test_an_empty_gradient_of_an_empty_value_is_right():
    comparison = compare(torch.zeros(0, 3, dtype=F64), torch.zeros(0, 3, dtype=F64), 0.0)
    assert (comparison.stage, comparison.relative_error) == ("passed", 0)


# Bits ----------------------------------------------------------------------------------------------------------------


def test_bits_by_hand():
    for answer, reference, expected in [
        (f32(1, 2, 3), f32(1, 2, 3), Bits(True, True, 0.0, 0)),
        (f32(1 + 2**-23), f32(1.0), Bits(False, True, 2.0**-23, 1)),
        (f32(1 - 2**-24), f32(1.0), Bits(False, True, 2.0**-24, 1)),  # below a power of two the steps are half as wide
        (f32(2.0), f32(1.0), Bits(False, False, 1.0, 1 << 23)),
        (f32(-0.0), f32(0.0), Bits(True, True, 0.0, 0)),  # equal, though not the same bits
        (f32(-SMALLEST), f32(SMALLEST), Bits(False, True, 2 * SMALLEST, 2)),  # across zero
        (f32(0.0), f32(2e-9), Bits(False, True, float(f32(2e-9)), int(f32(2e-9).view(torch.int32)))),
        (f32(0.0), f32(2e-8), Bits(False, False, float(f32(2e-8)), int(f32(2e-8).view(torch.int32)))),  # atol is 1e-8
        (f32(1.00002, 5.0), f32(1.0, 5.0), Bits(False, False, float(f32(1.00002) - 1), 168)),  # rtol is 1e-5
        (f64(1.0 + 1e-12), f32(1.0), Bits(True, True, 0.0, 0)),  # rounded first
        (f64(1e300), f32(1.0), Bits(exact=False, approximate=False)),  # too large for float32
        (f32(1.0, NAN), f32(1.0, 2.0), Bits(exact=False, approximate=False)),
        (f32(-INFINITY, -INFINITY), f32(1.0, 2.0), Bits(exact=False, approximate=False)),
        (torch.ones(64), torch.ones(1, 64), Bits()),  # what broadcasts is not compared
        (torch.ones(3, dtype=torch.int64), torch.ones(3), Bits()),
        (torch.zeros(0, 3), torch.zeros(0, 3), Bits(True, True, 0.0, 0)),
    ]:
        assert bits(answer, reference) == expected


def test_bits_are_the_lecture_s_cmp():
    """Once more as the lecture has it: `cmp(s, dt, t)` of part 4."""
    generator = torch.Generator().manual_seed(1)
    reference = torch.randn(32, 27, generator=generator)
    for size in (0.0, 1e-9, 1e-7, 1e-5, 1e-3):
        answer = reference + size * torch.randn(32, 27, generator=generator)
        found = bits(answer, reference)
        assert found.exact == torch.all(answer == reference).item()
        assert found.approximate == torch.allclose(answer, reference)
        assert found.maxdiff == (answer - reference).abs().max().item()


def test_the_largest_distance_counts():
    assert ulps(f32(1.0, 1 + 2**-23, 1 + 2**-21), f32(1.0, 1.0, 1.0)) == 4
    assert ulps(torch.ones(3, 4).T, torch.ones(4, 3)) == 0  # not contiguous


any_f32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
any_f64 = st.floats(allow_nan=False, allow_infinity=False)


@given(any_f32, st.integers(0, 30), st.sampled_from([-INFINITY, INFINITY]))
@example(-0.0, 1, INFINITY)
@example(SMALLEST, 2, -INFINITY)
@example(1.0, 3, -INFINITY)
def test_ulps_counts_steps_of_nextafter(start, steps, towards):
    value = numpy.float32(start)
    with numpy.errstate(over="ignore"):
        for _ in range(steps):
            value = numpy.nextafter(value, numpy.float32(towards))
    assume(numpy.isfinite(value))
    assert ulps(f32(float(value)), f32(start)) == ulps(f32(start), f32(float(value))) == steps


@given(any_f64, st.integers(0, 30), st.sampled_from([-INFINITY, INFINITY]))
def test_ulps_counts_steps_of_nextafter_in_float64(start, steps, towards):
    value = start
    for _ in range(steps):
        value = math.nextafter(value, towards)
    assume(math.isfinite(value))
    assert ulps(f64(value), f64(start)) == ulps(f64(start), f64(value)) == steps


def test_float32_noise_about_a_gradient_that_vanishes_is_no_error():
    """A bias before a batch norm: the true gradient is rounding noise, and float32 has more of it than float64."""
    reference = torch.full((4,), 1e-17, dtype=torch.float64)
    noise = torch.full((4,), 1e-7)
    assert compare(noise, reference, scale=1.0).passed
    assert not compare(noise.double(), reference, scale=1.0).passed
    assert compare(noise.double(), reference, scale=1.0, low_precision=True).passed
    assert not compare(torch.full((4,), 1e-3), reference, scale=1.0).passed
    assert not compare(noise, torch.full((4,), 1e-4, dtype=torch.float64), scale=1.0).passed
