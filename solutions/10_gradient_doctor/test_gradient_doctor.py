"""The hidden suite of lesson 10. Its patients come from the clinic that students have, by secret seeds.

Every row about an illness has patients with it, healthy ones, and a few with other illnesses, of which only is
required that they are not diagnosed with this one. They come in a random order, some of them twice, and every network
comes either with its illness or without: what was seen of one says nothing about another.
"""

from functools import lru_cache, partial
from pathlib import Path

import torch

from grader.calling.shuffled import Shuffled
from grader.lesson.course_modules import load_module

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

ALL = ("healthy", *ILLNESSES)

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
    """Which units are dead is drawn: a list of numbers to repeat is of no use."""
    questions = Shuffled(generator)
    for _ in range(2):
        h = torch.relu(torch.randn(batch, hidden, generator=generator, dtype=torch.float64))
        h[batch // 2] = 0.0  # an example that moves nobody
        one, other = torch.randperm(hidden, generator=generator)[:2].tolist()
        h[:, torch.rand(hidden, generator=generator) < 0.5] = 0.0
        h[:, [one, other]] = 0.0
        h[0, other] = 1e-6  # one example is enough to be alive
        questions.add("dead_units(h)", partial(dead_units_of, on, h))
    alive = torch.ones(batch, hidden, dtype=torch.float64)
    questions.add("dead_units of living units", partial(dead_units_of, on, alive))
    questions.add("dead_units of dead units", partial(dead_units_of, on, 0 * alive))
    return questions.answers()


def dead_units_of(on, h):
    return as_booleans(on.call("dead_units", h))


def as_booleans(found):
    """A list of booleans is as good as a tensor of them."""
    if isinstance(found, (list, tuple)) and found and all(isinstance(one, bool) for one in found):
        return torch.tensor(found)
    return found


def test_dead_units(check):
    check.agrees(units, draws=({"batch": 5, "hidden": 7}, {"batch": 9, "hidden": 4}, {"batch": 200, "hidden": 6}))


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


def clippings(on, generator):
    """Norms above and below the limit, by much and by little; a single large layer, and gradients of zeros."""
    questions = Shuffled(generator)
    for share in (0.02, 0.3, 0.9, 0.99, 1.01, 1.5, 20.0):
        gradients = layers(generator, questions.some(2, 6))
        limit = share * float(torch.cat([gradient.flatten() for gradient in gradients]).norm())
        ask = partial(clipped, on, gradients, limit)
        questions.add(f"clip_by_norm with a limit of {share:g} times the norm", ask)
    for _ in range(questions.some(1, 2)):
        gradients = [0 * gradient for gradient in layers(generator, 3)]
        questions.add("clip_by_norm of zeros", partial(clipped, on, gradients, 1.0))
    return questions.answers()


def clipped(on, gradients, limit):
    """The answer, and the arguments as they are afterwards."""
    answer, (after, *_) = on.apply("clip_by_norm", gradients, limit)
    return {"gradients": answer, "the argument afterwards": after}


def test_clip_by_norm(check):
    check.agrees(clippings)


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

    def diagnose_run(self, run):
        return self.illness


TRUTH = Truth()


def clear(report, illness):
    """Whether every measure is where the README's table has it, so that any threshold between the columns is right."""
    tanh = report["activation"] == "tanh"
    shares = [(h.abs() > 0.97).double().mean() if tanh else (h == 0).all(0).double().mean() for h in report["h"]]
    sick_layer, growth = float(max(shares)), float(report["dh"][0].norm() / report["dh"][-1].norm())
    growth = growth ** (1 / (len(report["dh"]) - 1))
    distance = slope_distance(list(zip(report["slopes_claimed"], report["slopes_measured"], strict=True)))
    if illness in ("saturated", "dead"):
        return sick_layer >= (0.7 if tanh else 0.9) and distance <= 0.01
    return (
        sick_layer <= (0.2 if tanh else 0.5)
        and {"vanishing": growth <= 0.45, "exploding": growth >= 2.2}.get(illness, 0.7 <= growth <= 1.35)
        and (distance >= 0.1 if illness == "forgotten branch" else distance <= 0.01)
    )


@lru_cache(maxsize=400)
def admitted(illness, seed, activation=None, where=None, unit=None):
    """The report of the first patient from this seed on that is clear."""
    for candidate in range(seed, seed + 100):
        report = clinic.patient(illness, candidate, activation, where, unit)
        if clear(report, illness):
            return report
    raise AssertionError(f"no clear patient who is {illness} within 100 seeds from {seed}")


def seed_from(generator):
    return int(torch.randint(2**62, (), generator=generator))


def diagnosis(on, illness, report):
    TRUTH.illness = illness
    return on.call("diagnose", report)


def with_slopes_alike_at_the_ends(report):
    """The report with its directions in another order: the first and the last show no forgotten branch.

    A direction along which the forgotten branch changes nothing is one of the six that may be drawn.
    """
    pairs = zip(report["slopes_claimed"], report["slopes_measured"], strict=True)
    pairs = sorted(pairs, key=lambda pair: abs(pair[0] - pair[1]))
    first, last, *others = pairs
    alike = [(first[1], first[1]), *others, (last[1], last[1])]
    if slope_distance(alike) >= 0.1:
        pairs = alike
    claimed, measured = (list(slopes) for slopes in zip(*pairs, strict=True))
    return {**report, "slopes_claimed": claimed, "slopes_measured": measured}


def slope_distance(pairs):
    """‖claimed − measured‖ / ‖measured‖ of (claimed, measured) slopes: the README's measure of a forgotten branch."""
    claimed, measured = torch.tensor(pairs, dtype=torch.float64).T
    return float((claimed - measured).norm() / measured.norm())


def in_other_units(report, seed):
    """The same network's report: the examples in another order, and the loss in other units."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(report["h"][0]), generator=generator)
    unit = 2.0 ** int(torch.randint(-3, 4, (), generator=generator))
    scaled = ("norm_by_step", "norm_by_batch", "slopes_claimed", "slopes_measured")
    return {
        **report,
        "h": [h[order] for h in report["h"]],
        "dh": [unit * dh[order] for dh in report["dh"]],
        "gradients": {name: unit * gradient for name, gradient in report["gradients"].items()},
        **{key: [unit * number for number in report[key]] for key in scaled},
    }


def ask(questions, on, generator, name, illness, row=None, **of):
    """`row`: for a patient with another illness than the row's, who may be given any name but the row's."""
    report = with_slopes_alike_at_the_ends(admitted(illness, seed_from(generator), **of))
    seed = seed_from(generator)

    def put(report):
        found = diagnosis(on, illness, report)
        if isinstance(found, str) and found not in ALL:
            return f"{found}, which is none of DIAGNOSES"
        return f"another illness than {row}" if row and isinstance(found, str) and found != row else found

    questions.add(name, lambda: put(report), lambda: put(in_other_units(report, seed)))


UNITS = (1e-3, 1e3, None)
LAYERS = {"saturated": ("first", "last", "all"), "dead": ("first", "middle", "last")}
SYMPTOMS = {"vanishing": ("saturated", "dead"), "exploding": ("saturated", "dead")}
"""Illnesses that show what the row's does, too: not among the others of its row, which would then rest on theirs."""


def a_row(on, generator, illness):
    """An illness of both kinds of network is shown on both, one of a layer on several layers."""
    questions, only = Shuffled(generator), clinic.ACTIVATION.get(illness)
    activations = (only, only) if only else ("tanh", "relu")
    for number in range(questions.some(4, 6)):
        of = {"activation": activations[number % 2], "unit": UNITS[number % 3]}
        if illness in LAYERS:
            of["where"] = LAYERS[illness][number % 3]
        ask(questions, on, generator, f"diagnosis of patient {number + 1}", illness, **of)
    for number in range(questions.some(4, 6)):
        of = {"activation": activations[number % 2], "unit": UNITS[number % 3]}
        ask(questions, on, generator, "diagnosis of a healthy network", "healthy", **of)
    if only:
        other = {"tanh": "relu", "relu": "tanh"}[only]
        ask(questions, on, generator, f"diagnosis of a healthy network with {other}", "healthy", activation=other)
    others = [name for name in ILLNESSES if name not in (illness, *SYMPTOMS.get(illness, ()))]
    for _ in range(questions.some(2, 3)):
        other = others[int(torch.randint(len(others), (), generator=generator))]
        activation = clinic.ACTIVATION.get(other, only)
        ask(questions, on, generator, f"diagnosis of one with: {other}", other, row=illness, activation=activation)
    return questions.answers()


def check_illness(check, illness):
    check.agrees(a_row, draws=({"illness": illness},), reference=TRUTH)


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
    """Each illness at least once, and some who have none. A forgotten branch in each unit, as others are."""
    questions = Shuffled(generator)
    ward = [*ILLNESSES, *["forgotten branch"] * 2, *["healthy"] * questions.some(3, 5)]
    ward += [ILLNESSES[int(torch.randint(len(ILLNESSES), (), generator=generator))] for _ in range(3)]
    shift = questions.some(0, 2)  # no unit belongs to an illness
    for bed, patient in enumerate(torch.randperm(len(ward), generator=generator).tolist(), 1):
        ask(questions, on, generator, f"diagnosis in bed {bed}", ward[patient], unit=UNITS[(patient + shift) % 3])
    return questions.answers()


def test_ward(check):
    check.agrees(a_ward, reference=TRUTH)


# Whole training runs


def clear_run(run, illness):
    """Whether every measure of a run is where the README's table has it, by averages and by single losses."""
    losses, quarter = run["losses"], len(run["losses"]) // 4
    last, before = sum(losses[-quarter:]) / quarter, sum(losses[-2 * quarter : -quarter]) / quarter
    levels = [end / run["know_nothing"] for end in (last, losses[-1])]
    falls = last / before, losses[-1] / losses[len(losses) // 2]
    ratio = float(torch.tensor(run["update_ratios"]).median())
    dead = float((run["h"] == 0).all(0).double().mean())
    if illness == "dead layer":
        return dead >= 0.9 and min(levels) >= 0.5 and min(falls) >= 0.98
    if illness == "rate too small":
        return dead <= 0.5 and min(levels) >= 0.8 and min(falls) >= 0.98 and ratio <= 1e-5
    wanted = max(levels) <= 0.02 if illness == "finished" else min(levels) >= 0.15 and max(levels) <= 0.8
    return wanted and dead <= 0.5 and max(falls) <= 0.95 and ratio >= 1e-4


@lru_cache(maxsize=200)
def admitted_run(illness, seed, unit):
    """The first run from this seed on that is clear."""
    for candidate in range(seed, seed + 100):
        run = clinic.training_run(illness, candidate, unit)
        if illness != "dead layer":
            run["h"][:, ::3] = 0  # some dead units are in every network, and say nothing
        if clear_run(run, illness):
            return run
    raise AssertionError(f"no clear run that is {illness} within 100 seeds from {seed}")


def falls_early(run):
    """Whether the last quarter lies clearly below the first one, though the run stands still."""
    quarter = len(run["losses"]) // 4
    return sum(run["losses"][-quarter:]) < 0.94 * sum(run["losses"][:quarter])


def run_diagnosis(on, illness, run):
    TRUTH.illness = illness
    return on.call("diagnose_run", run)


def run_in_other_units(run, seed):
    """The same run with the units of the hidden layer and the examples in another order, the loss in other units."""
    generator = torch.Generator().manual_seed(seed)
    unit = 2.0 ** int(torch.randint(-3, 4, (), generator=generator))
    batch, width = run["h"].shape
    rows, columns = torch.randperm(batch, generator=generator), torch.randperm(width, generator=generator)
    losses, level = [unit * loss for loss in run["losses"]], unit * run["know_nothing"]
    return {**run, "losses": losses, "know_nothing": level, "h": run["h"][rows][:, columns]}


def training_runs(on, generator):
    questions = Shuffled(generator)
    for illness in clinic.RATES:
        for number in range(questions.some(2, 4)):
            run, seed = admitted_run(illness, seed_from(generator), UNITS[number % 3]), seed_from(generator)
            ask_again = partial(run_diagnosis, on, illness, run_in_other_units(run, seed))
            questions.add(f"diagnosis of a run: {illness}", partial(run_diagnosis, on, illness, run), ask_again)
    seeds = range(seed_from(generator), 2**63)
    run = next(filter(falls_early, (admitted_run("dead layer", seed, None) for seed in seeds)))
    questions.add("diagnosis of a run: dead layer, after an early fall", partial(run_diagnosis, on, "dead layer", run))
    return questions.answers()


def test_plateau(check):
    check.agrees(training_runs, reference=TRUTH)
