"""The public examples that `dojo check 10` runs: small numbers that you can check by hand, and a few patients.

The hidden test suite has other patients: more of each illness, with tanh and with ReLU, and more healthy ones.
"""

from functools import cache
from pathlib import Path

import torch

from grader.lesson.course_modules import load_module

clinic = load_module(Path(__file__).with_name("clinic.py"), "backprop_ninja_clinic_of_examples")


def numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def values(check, function, expected):
    """Compare what the function gives with what is `expected`: {text: (arguments, value)}."""
    found = {text: check.on.call(function, *arguments) for text, (arguments, _) in expected.items()}
    check.equals(found, {text: value for text, (_, value) in expected.items()})


def test_closed_share(check):
    h = numbers([[0.99, -0.98, 0.5, 0.0], [-0.6, 0.2, 0.1, -0.3]])
    values(check, "closed_share", {"share of closed gates": ((h,), 0.25), "share above 0.55": ((h, 0.55), 0.375)})


def test_dead_units(check):
    h = numbers([[0.0, 0.0, 2.0], [0.0, 1e-6, 0.0], [0.0, 0.0, 1.0]])
    check.equals(torch.as_tensor(check.on.call("dead_units", h)), torch.tensor([True, False, False]))
    wide = torch.relu(torch.randn(6, 50, generator=torch.Generator().manual_seed(0), dtype=torch.float64))
    dead = torch.arange(50) % 7 == 3
    wide[0], wide[:, dead] = 1.5, 0.0
    check.equals(torch.as_tensor(check.on.call("dead_units", wide)), dead)


def test_gradient_norms(check):
    check.gives("gradient_norms", ([numbers([3.0, -4.0]), numbers([[1.0, 1.0], [-1.0, 1.0]])],), [5.0, 2.0])


def test_clip_by_norm(check):
    gradients = [numbers([1.0, -2.0]), numbers([[2.0], [-4.0]])]  # their norm is 5
    clipped, (kept, *_) = check.on.apply("clip_by_norm", gradients, 2.5)
    right = {"clipped": [numbers([0.5, -1.0]), numbers([[1.0], [-2.0]])], "the argument after the call": gradients}
    check.equals({"clipped": clipped, "the argument after the call": kept}, right)
    check.gives("clip_by_norm", (gradients, 10.0), gradients)


def test_gradient_growth(check):
    tables = ([8.0, 4.0, 2.0, 1.0], 2.0), ([9.0, 4.0, 1.0], 3.0), ([1.0, 100.0], 0.01), ([0.0, 2.0], 0.0)
    values(check, "gradient_growth", {f"growth of {norms}": ((norms,), growth) for norms, growth in tables})


def test_update_ratios(check):
    parameters = {"W": numbers([3.0, 4.0]), "b": numbers([2.0])}
    gradients = {"b": numbers([0.5]), "W": numbers([0.0, 10.0])}
    check.gives("update_ratios", (parameters, gradients, 0.1), {"W": 0.2, "b": 0.025})


patient, run = cache(clinic.patient), cache(clinic.training_run)


def test_plateau(check):
    ordinary = [(illness, None) for illness in ("learning", "finished", "rate too small", "dead layer")]
    for illness, unit in [*ordinary, ("finished", 1000), ("learning", 0.001)]:
        name = f"diagnosis of training_run({illness!r}, seed=1, unit={unit})"
        check.equals({name: check.on.call("diagnose_run", run(illness, 1, unit))}, {name: illness})
    some_dead = {**run("learning", 1), "h": run("learning", 1)["h"].clone()}
    some_dead["h"][:, ::3] = 0
    name = "diagnosis of training_run('learning', seed=1) with h[:, ::3] = 0"
    check.equals({name: check.on.call("diagnose_run", some_dead)}, {name: "learning"})


def names(check, *illnesses, seed=1, unit=None):
    for illness in illnesses:
        name = f"diagnosis of patient({illness!r}, seed={seed}, unit={unit})"
        check.equals({name: check.on.call("diagnose", patient(illness, seed, unit=unit))}, {name: illness})


def test_saturated(check):
    names(check, "saturated", "healthy")


def test_dead(check):
    names(check, "dead", "healthy")


def test_vanishing(check):
    names(check, "vanishing", "healthy")


def test_exploding(check):
    names(check, "exploding", "healthy")


def test_not_zeroed(check):
    names(check, "not zeroed", "healthy")


def test_not_averaged(check):
    names(check, "not averaged", "healthy")


def test_forgotten_branch(check):
    names(check, "forgotten branch", "healthy")
    names(check, "forgotten branch", "healthy", unit=0.001)
    names(check, "healthy", "exploding", unit=1000)


def test_ward(check):
    others = "vanishing", "exploding", "not zeroed", "not averaged", "forgotten branch"
    names(check, "healthy", "saturated", "dead", *others, seed=2)
