"""The three stages: shape, value, bits; each against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from grader.comparison.tensors import (
    FLOOR,
    LOW_PRECISION_TOLERANCE,
    TOLERANCE,
    Bits,
    bits,
    compare,
    first_index,
    relative_error,
    ulps,
)
from grader.results.wording import format_shape

F32, F64 = torch.float32, torch.float64
NAN, INFINITY = float("nan"), float("inf")
SMALLEST = 2.0**-149  # the smallest denormal of float32


def f32(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=F32)


def f64(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=F64)


# Value ---------------------------------------------------------------------------------------------------------------


def test_the_tolerances_are_those_that_were_measured():
    assert (TOLERANCE, LOW_PRECISION_TOLERANCE, FLOOR) == (1e-9, 1e-5, 1e-3)


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


def test_the_floor_is_no_help_where_the_gradient_is_large():
    reference = f64(1.0)
    assert relative_error(f64(1.5), reference, scale=999.0) == pytest.approx(0.5)
    assert relative_error(f64(1.5), reference, scale=2000.0) == pytest.approx(0.25)  # 1e-3 · 2000 = 2 > 1


def test_no_upstream_at_all():
    assert relative_error(f64(0.0), f64(0.0), 0.0) == 0
    assert relative_error(f64(1e-30), f64(0.0), 0.0) == INFINITY
    assert compare(f64(1e-30), f64(0.0), 0.0).stage == "value"


def test_overflow_of_the_norm_is_no_pass():
    assert compare(f64(1e300, 1e300), f64(1.0, 1.0), 1.0).stage == "value"


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


def test_shapes_that_broadcast_are_other_shapes():
    """Equal numbers everywhere: only the shape can tell, and it does, before any value is looked at."""
    for shape, expected, sentence in [
        ((64,), (1, 64), "The shape is (64,); expected (1, 64), the shape of the value itself."),
        ((1, 64), (64,), "The shape is (1, 64); expected (64,), the shape of the value itself."),
        ((), (3,), "The shape is (); expected (3,), the shape of the value itself."),
        ((1,), (), "The shape is (1,); expected (), the shape of the value itself."),
        ((0,), (3,), "The shape is (0,); expected (3,), the shape of the value itself."),
        ((3, 0), (3, 4), "The shape is (3, 0); expected (3, 4), the shape of the value itself."),
        ((4, 3), (3, 4), "The shape is (4, 3); expected (3, 4), the shape of the value itself."),
        ((2, 6), (3, 4), "The shape is (2, 6); expected (3, 4), the shape of the value itself."),
    ]:
        comparison = compare(torch.ones(shape, dtype=F64), torch.ones(expected, dtype=F64), 1.0)
        assert (comparison.stage, comparison.relative_error, comparison.message) == ("shape", None, sentence)


def test_an_empty_gradient_of_an_empty_value_is_right():
    comparison = compare(torch.zeros(0, 3, dtype=F64), torch.zeros(0, 3, dtype=F64), 0.0)
    assert (comparison.stage, comparison.relative_error) == ("passed", 0)


def test_whole_numbers_are_no_gradient():
    for dtype, kind in [(torch.int64, "int64"), (torch.int8, "int8"), (torch.uint8, "uint8"), (torch.bool, "bool")]:
        comparison = compare(torch.ones(3, dtype=dtype), torch.ones(3, dtype=F64), 1.0)
        assert comparison.stage == "shape" and comparison.relative_error is None
        assert comparison.message == (
            f"The numbers are {kind}; a gradient needs floating point: start from `zeros_like(...)`, say."
        )


@pytest.mark.parametrize(("dtype", "kind"), [(torch.float16, "float16"), (torch.bfloat16, "bfloat16")])
def test_half_precision_is_too_coarse(dtype, kind):
    comparison = compare(torch.ones(3, dtype=dtype), torch.ones(3, dtype=F64), 1.0)
    assert comparison.stage == "shape" and comparison.relative_error is None
    assert (
        comparison.message
        == f"The numbers are {kind}, too coarse to judge: keep the dtype of the values you are given."
    )


def test_every_number_must_be_finite():
    """`not maxdiff > tolerance` holds for NaN: a comparison written that way lets it through."""
    for bad, text in [(NAN, "nan"), (INFINITY, "inf"), (-INFINITY, "-inf")]:
        answer = torch.ones(2, 3, dtype=F64)
        answer[1, 2] = bad
        comparison = compare(answer, torch.ones(2, 3, dtype=F64), 1.0)
        assert comparison.stage == "value" and comparison.relative_error is None
        causes = "a division by zero, log(0) or an overflow"
        causes = "0/0, inf - inf, or the log or root of a negative number" if text == "nan" else causes
        assert comparison.message == f"Element [1, 2] is {text}, not a finite number: look for {causes}."


def test_the_shape_is_judged_before_the_numbers():
    assert compare(f64(NAN, NAN), f64(1.0), 1.0).stage == "shape"
    assert compare(torch.ones(2, dtype=torch.int64), f64(1.0), 1.0).message.startswith("The shape is (2,)")


def test_words_for_shapes_and_places():
    assert [format_shape(shape) for shape in ((), (3,), (3, 4), (1, 1, 1))] == ["()", "(3,)", "(3, 4)", "(1, 1, 1)"]
    assert first_index(torch.tensor([[False, False], [True, True]])) == (1, 0)
    assert first_index(torch.tensor(True)) == ()


# Bits ----------------------------------------------------------------------------------------------------------------


def test_bits_by_hand():
    for answer, reference, expected in [
        (f32(1, 2, 3), f32(1, 2, 3), Bits(True, True, 0.0, 0)),
        (f32(1 + 2**-23), f32(1.0), Bits(False, True, 2.0**-23, 1)),
        (f32(1 - 2**-24), f32(1.0), Bits(False, True, 2.0**-24, 1)),  # below a power of two the steps are half as wide
        (f32(1 + 2**-22, 1.0), f32(1.0, 1.0), Bits(False, True, 2.0**-22, 2)),
        (f32(2.0), f32(1.0), Bits(False, False, 1.0, 1 << 23)),
        (f32(-0.0), f32(0.0), Bits(True, True, 0.0, 0)),  # equal, though not the same bits
        (f32(0.0), f32(-0.0), Bits(True, True, 0.0, 0)),
        (f32(SMALLEST), f32(0.0), Bits(False, True, SMALLEST, 1)),
        (f32(SMALLEST), f32(-0.0), Bits(False, True, SMALLEST, 1)),
        (f32(-SMALLEST), f32(SMALLEST), Bits(False, True, 2 * SMALLEST, 2)),  # across zero
        (f32(3 * SMALLEST), f32(-2 * SMALLEST), Bits(False, True, 5 * SMALLEST, 5)),
        (f32(2.0**-126), f32(2.0**-126 - SMALLEST), Bits(False, True, SMALLEST, 1)),  # where the denormals begin
        (f32(1e-9), f32(-1e-9), Bits(False, True, float(f32(2e-9)), 2 * int(f32(1e-9).view(torch.int32)))),
        (f32(0.0), f32(2e-9), Bits(False, True, float(f32(2e-9)), int(f32(2e-9).view(torch.int32)))),
        (f32(0.0), f32(2e-8), Bits(False, False, float(f32(2e-8)), int(f32(2e-8).view(torch.int32)))),  # atol is 1e-8
        (f32(1.00002, 5.0), f32(1.0, 5.0), Bits(False, False, float(f32(1.00002) - 1), 168)),  # rtol is 1e-5
        (f32(1.000009, 5.0), f32(1.0, 5.0), Bits(False, True, float(f32(1.000009) - 1), 75)),
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


def test_float64_answers_are_rounded_first():
    assert bits(f64(1.0 + 1e-12), f32(1.0)) == Bits(True, True, 0.0, 0)
    assert bits(f64(1e300), f32(1.0)) == Bits(exact=False, approximate=False)  # too large for float32


def test_no_figures_for_what_is_no_number():
    for bad in [NAN, INFINITY, -INFINITY]:
        assert bits(f32(1.0, bad), f32(1.0, 2.0)) == Bits(False, False, None, None)
        assert bits(f32(bad, bad), f32(1.0, 2.0)) == Bits(False, False, None, None)


def test_no_bits_for_another_shape_or_for_whole_numbers():
    assert bits(torch.ones(64), torch.ones(1, 64)) == Bits()  # what broadcasts is not compared
    assert bits(torch.ones(3, dtype=torch.int64), torch.ones(3)) == Bits()
    assert bits(torch.ones(3, dtype=torch.bool), torch.ones(3)) == Bits()


def test_bits_of_nothing():
    assert bits(torch.zeros(0, 3), torch.zeros(0, 3)) == Bits(True, True, 0.0, 0)


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
