"""The hidden suite of lesson 10. Its patients come from the clinic that students have, by secret seeds.

Every row about an illness holds patients that have it and their healthy twins: the same networks without it.
"""

from functools import lru_cache
from pathlib import Path

import torch

from grader.lesson import load_module

HERE = Path(__file__).resolve()
clinic = load_module(
    HERE.parents[2] / "exercises" / HERE.parent.name / "clinic.py", "backprop_ninja_clinic_of_lesson_10"
)
ILLNESSES = (
    "saturated",
    "dead",
    "vanishing",
    "exploding",
    "not zeroed",
    "not averaged",
    "forgotten branch",
)

# What measures


def gates(on, generator, batch, hidden):
    h = torch.tanh(3 * torch.randn(batch, hidden, generator=generator, dtype=torch.float64))
    shut = torch.full((batch, hidden), -0.99, dtype=torch.float64)
    return {
        "closed_share(h)": on.call("closed_share", h),
        "closed_share(h, 0.5)": on.call("closed_share", h, 0.5),
        "closed_share of gates closed at the lower end": on.call("closed_share", shut),
        "closed_share of open gates": on.call("closed_share", h * 0.9),
        "closed_share of one row": on.call("closed_share", h[0]),
    }


def test_closed_share(check):
    check.agrees(gates, draws=({"batch": 7, "hidden": 40}, {"batch": 30, "hidden": 11}))


def units(on, generator, batch, hidden):
    h = torch.relu(torch.randn(batch, hidden, generator=generator, dtype=torch.float64))
    h[:, 0], h[:, 3] = 0.0, 0.0
    h[1:, 1] = 0.0  # one example is enough to be alive
    h[0, 1] = 1e-6
    h[2] = 0.0  # an example that moves nobody
    alive = torch.ones(batch, hidden, dtype=torch.float64)
    cases = {"dead_units(h)": h, "dead_units of living units": alive, "dead_units of dead units": 0 * alive}
    return {name: as_booleans(on.call("dead_units", case)) for name, case in cases.items()}


def as_booleans(found):
    """A list of booleans is as good as a tensor of them."""
    if isinstance(found, (list, tuple)) and found and all(isinstance(one, bool) for one in found):
        return torch.tensor(found)
    return found


def test_dead_units(check):
    check.agrees(units, draws=({"batch": 5, "hidden": 7}, {"batch": 9, "hidden": 4}))


def layers(generator, depth):
    """Gradients of different shapes and very different sizes."""
    shapes = [(3, 5), (4,), (2, 3, 2), (6, 2), (1,), (7, 3)][:depth]
    return [
        torch.randn(shape, generator=generator, dtype=torch.float64) * 10.0 ** (number - 3)
        for number, shape in enumerate(shapes)
    ]


def norms(on, generator, depth):
    gradients = layers(generator, depth)
    return {
        "gradient_norms": on.call("gradient_norms", gradients),
        "gradient_norms of one layer": on.call("gradient_norms", gradients[:1]),
    }


def test_gradient_norms(check):
    check.agrees(norms, draws=({"depth": 6}, {"depth": 3}))


def growths(on, generator, depth):
    steps = 0.2 + 3 * torch.rand(depth, generator=generator, dtype=torch.float64)
    norms = steps.cumprod(0).flip(0).tolist()
    return {
        "gradient_growth": on.call("gradient_growth", norms),
        "gradient_growth the other way round": on.call("gradient_growth", norms[::-1]),
        "gradient_growth of two layers": on.call("gradient_growth", norms[:2]),
        "gradient_growth to nothing": on.call("gradient_growth", [0.0, *norms]),
    }


def test_gradient_growth(check):
    check.agrees(growths, draws=({"depth": 4}, {"depth": 7}, {"depth": 3}))


def updates(on, generator, depth):
    gradients = {f"p{number}": gradient for number, gradient in enumerate(layers(generator, depth))}
    parameters = {name: 0.5 + torch.randn(v.shape, generator=generator).double() for name, v in gradients.items()}
    learning_rate = 0.01 + 0.1 * float(torch.rand((), generator=generator))
    turned = dict(reversed(gradients.items()))
    return {
        "update_ratios": on.call("update_ratios", parameters, gradients, learning_rate),
        "update_ratios, with the gradients in another order": on.call("update_ratios", parameters, turned, 1.0),
    }


def test_update_ratios(check):
    check.agrees(updates, draws=({"depth": 6}, {"depth": 4}))


# The one who names the illness


class Truth:
    """The reference: it says what the clinic did to the network."""

    def __init__(self):
        self.illness = None

    def diagnose(self, report):
        return self.illness


TRUTH = Truth()


def clear(report, illness):
    """Whether every measure is where the README's table has it, so that any threshold between the columns is right."""
    tanh = report["activation"] == "tanh"
    shares = [(h.abs() > 0.97).double().mean() if tanh else (h == 0).all(0).double().mean() for h in report["h"]]
    sick_layer, growth = float(max(shares)), float(report["dh"][0].norm() / report["dh"][-1].norm())
    growth = growth ** (1 / (len(report["dh"]) - 1))
    claimed, measured = (
        torch.tensor(report[key], dtype=torch.float64) for key in ("slopes_claimed", "slopes_measured")
    )
    distance = float((claimed - measured).norm() / measured.norm())
    if illness in ("saturated", "dead"):
        return sick_layer >= (0.7 if tanh else 0.9) and distance <= 0.01
    return (
        sick_layer <= (0.2 if tanh else 0.5)
        and {"vanishing": growth <= 0.45, "exploding": growth >= 2.2}.get(illness, 0.7 <= growth <= 1.35)
        and (distance >= 0.1 if illness == "forgotten branch" else distance <= 0.01)
    )


@lru_cache(maxsize=400)
def admitted(illness, seed, activation=None, where=None, unit=None):
    """{illness: the report of its patient, "healthy": that of the twin}, of the first seed from here that is clear."""
    for candidate in range(seed, seed + 100):
        reports = {name: clinic.patient(name, candidate, activation, where, unit) for name in (illness, "healthy")}
        if all(clear(report, name) for name, report in reports.items()):
            return reports
    raise AssertionError(f"no clear patient who is {illness} within 100 seeds from {seed}")


def seed_from(generator):
    return int(torch.randint(2**62, (), generator=generator))


def diagnosis(on, illness, report):
    TRUTH.illness = illness
    return on.call("diagnose", report)


UNITS = (1e-3, 1e3, None)
LAYERS = {"saturated": ("first", "last", "all"), "dead": ("first", "middle", "last")}


def with_twins(on, generator, illness):
    """An illness of both kinds of network is shown on both, one of a layer on several layers."""
    found = {}
    for number, unit in enumerate(UNITS):
        seed, activation = seed_from(generator), clinic.ACTIVATION.get(illness, ("tanh", "relu")[number % 2])
        where = LAYERS[illness][number] if illness in LAYERS else None
        reports = admitted(illness, seed, activation, where, unit)
        found[f"diagnosis of patient {number + 1}"] = diagnosis(on, illness, reports[illness])
        found[f"diagnosis of patient {number + 1}'s healthy twin"] = diagnosis(on, "healthy", reports["healthy"])
    other = {"tanh": "relu", "relu": "tanh"}[activation]
    report = admitted("healthy", seed_from(generator), other)["healthy"]
    return {**found, f"diagnosis of a healthy network with {other}": diagnosis(on, "healthy", report)}


def check_illness(check, illness):
    check.agrees(with_twins, draws=({"illness": illness},), reference=TRUTH)


def test_saturated(check):
    check_illness(check, "saturated")


def test_dead(check):
    check_illness(check, "dead")


def test_vanishing(check):
    check_illness(check, "vanishing")


def test_exploding(check):
    check_illness(check, "exploding")


def test_not_zeroed(check):
    check_illness(check, "not zeroed")


def test_not_averaged(check):
    check_illness(check, "not averaged")


def test_forgotten_branch(check):
    check_illness(check, "forgotten branch")


def a_ward(on, generator):
    """Each illness once and five who have none, in some order."""
    ward = [*ILLNESSES, *["healthy"] * 5]
    found = {}
    for bed, patient in enumerate(torch.randperm(len(ward), generator=generator).tolist(), 1):
        illness = ward[patient]
        found[f"diagnosis in bed {bed}"] = diagnosis(on, illness, admitted(illness, seed_from(generator))[illness])
    return found


def test_ward(check):
    check.agrees(a_ward, reference=TRUTH)
