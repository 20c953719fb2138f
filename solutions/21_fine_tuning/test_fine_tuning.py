"""The hidden suite of lesson 21. In every draw all sizes and constants differ from each other, and from README.md's."""

import torch
import torch.nn.functional as F

from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)


def sizes(*numbers):
    names = ("batch", "time", "features", "rank", "vocabulary", "positions", "pairs", "answers", "longest")
    return dict(zip(names, numbers, strict=True))


def constants(alpha, T, beta, clip, weight):
    return {"alpha": alpha, "T": T, "beta": beta, "clip": clip, "weight": weight}


def one_token_each(inputs):
    """Every answer of the first two graphs has a single token, the last one; the others have one at the start."""
    inputs["answer"][:] = 0.0
    inputs["answer"][:, -1] = 1.0
    for name in ("mask_w", "mask_l", "said"):
        inputs[name][:] = 0.0
        inputs[name][:, 0] = 1.0


DRAWS = (
    Draw(sizes(3, 7, 8, 2, 10, 5, 4, 6, 9) | constants(3.5, 1.4, 0.55, 0.25, 0.07)),
    Draw(sizes(5, 4, 6, 3, 7, 8, 2, 9, 11) | constants(1.3, 3.2, 0.15, 0.35, 0.3), FORWARD.far_away),
    Draw(sizes(2, 8, 5, 4, 9, 3, 6, 7, 10) | constants(5.4, 0.7, 0.9, 0.1, 0.11), FORWARD.everything_counts),
    Draw(sizes(4, 5, 9, 7, 6, 10, 3, 8, 2) | constants(4.6, 1.8, 0.45, 0.15, 0.6), FORWARD.on_policy),
    Draw(sizes(6, 3, 7, 5, 8, 4, 9, 2, 12) | constants(0.8, 2.3, 0.35, 0.3, 0.02), one_token_each),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def masked(generator, rows, length):
    """(rows, length), 1 at random places, and at least at one place of each row, else 0."""
    mask = (torch.rand((rows, length), generator=generator, dtype=torch.float64) < 0.4).double()
    mask[torch.arange(rows), torch.randint(0, length, (rows,), generator=generator)] = 1.0
    return mask


def layer(generator, features, rank, vocabulary, scale=1.0):
    """(W, A, B)"""
    W, A = normal(generator, features, vocabulary), normal(generator, features, rank)
    return W * features**-0.5, A * features**-0.5, normal(generator, rank, vocabulary) * scale


def piece(generator, batch, time, features, vocabulary):
    """(x, targets, answer)"""
    targets = torch.randint(0, vocabulary, (batch, time), generator=generator)
    return normal(generator, batch, time, features), targets, masked(generator, batch, time)


def with_a_long_answer(generator, shapes, **of):
    """Pieces of these shapes; in the first one every token belongs to an answer."""
    pieces = [piece(generator, batch, time, **of) for batch, time in shapes]
    x, targets, answer = pieces[0]
    return [(x, targets, torch.ones_like(answer)), *pieces[1:]]


class Autograd:
    """The functions of this lesson, by autograd: pieces become one list of tokens."""

    @staticmethod
    def accumulated(pieces, W, A, B, alpha):
        loss, leaves = loss_of(pieces, W, A, B, alpha)
        return (loss.detach(), *torch.autograd.grad(loss, leaves))

    @staticmethod
    def fine_tune(batches, W, A, B, alpha, rate):
        losses = []
        for pieces in batches:
            loss, dA, dB = Autograd.accumulated(pieces, W, A, B, alpha)
            losses.append(loss)
            A, B = A - rate * dA, B - rate * dB
        return losses, A, B

    @staticmethod
    def group_advantages(rewards):
        return torch.stack([(group - group.mean()) / (group.std() + 1e-4) for group in rewards])

    @staticmethod
    def dlogp_by_sequence(logp, old, said, advantage, clip):
        leaf = logp.clone().requires_grad_()
        ratio = (((leaf - old) * said).sum(1, keepdim=True) / said.sum(1, keepdim=True)).exp()
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
        return torch.autograd.grad(-gain.mean(), leaf)[0]


def loss_of(pieces, W, A, B, alpha):
    A, B = A.clone().requires_grad_(), B.clone().requires_grad_()
    x, targets = (torch.cat([each[place][each[2] > 0] for each in pieces]) for place in (0, 1))
    return F.cross_entropy(x @ W + x @ A @ B * (alpha / A.shape[1]), targets), (A, B)


AFTERWARDS = "an argument after the call"


def three(names, result):
    """The three values of a result. Raises ValueError, with the names in words, where there are not three."""
    if not isinstance(result, (tuple, list)) or len(result) != 3:
        raise ValueError(f"it should be `({names})`, a tuple of three values")
    return result


LAYER = {"features": 5, "rank": 2, "vocabulary": 7}
LAYERS = ({**LAYER, "alpha": 3.0}, {"features": 4, "rank": 3, "vocabulary": 6, "alpha": 5.0})


def of_pieces(on, generator, features, rank, vocabulary, alpha):
    parameters, found = layer(generator, features, rank, vocabulary), {}
    for case, shapes in (
        ("of three pieces", ((2, 6), (3, 4), (1, 5))),
        ("of one piece", ((4, 3),)),
        ("of two pieces", ((1, 8), (5, 2))),
    ):
        pieces = with_a_long_answer(generator, shapes, features=features, vocabulary=vocabulary)
        result, arguments = on.apply("accumulated", pieces, *parameters, alpha)
        loss, dA, dB = three("loss, dA, dB", result)
        found |= {f"loss {case}": loss, f"dA {case}": dA, f"dB {case}": dB, f"{AFTERWARDS} {case}": arguments}
    return found


def a_run(on, generator, features, rank, vocabulary, alpha):
    """Twenty steps from the paper's start, where B is zero, and three from elsewhere."""
    found = {}
    for case, scale, steps, rate in ((" from B = 0", 0.0, 20, 0.4), (" from elsewhere", 1.0, 3, 0.1)):
        parameters = layer(generator, features, rank, vocabulary, scale)
        of = {"features": features, "vocabulary": vocabulary}
        batches = [with_a_long_answer(generator, ((2, 5), (3, 3)), **of) for _ in range(steps)]
        result, arguments = on.apply("fine_tune", batches, *parameters, alpha, rate)
        losses, A, B = three("losses, A, B", result)
        found |= {f"losses{case}": list(losses), f"A{case}": A, f"B{case}": B, f"{AFTERWARDS}{case}": arguments}
    return found


def of_rewards(on, generator, prompts, group):
    rewards, found = normal(generator, prompts, group) * 2 + 1, {}
    equal = rewards.clone()
    equal[0] = 1.5
    for case, given in (
        ("", rewards),
        (" where one group has equal rewards", equal),
        (" of small rewards", rewards / 1e4),
    ):
        found[f"advantages{case}"], found[f"{AFTERWARDS}{case}"] = on.apply("group_advantages", given)
    return found


def of_sequences(on, generator, answers, time, clip):
    """Ratios inside the interval, on both sides of it, exactly one, and just inside and outside of each limit."""
    old, found = -3 * torch.rand((answers, time), generator=generator, dtype=torch.float64), {}
    said, advantage = masked(generator, answers, time), normal(generator, answers, 1)
    place, noise = torch.arange(answers)[:, None], normal(generator, answers, time)
    limits = 1 + clip * torch.tensor([-1.03, -0.97, 0.97, 1.03], dtype=torch.float64)[place % 4]
    both_signs = advantage.abs() * (1 - 2 * (place // 4 % 2))
    for case, moved, of in (
        (" near", noise * 0.1, advantage),
        (" far away", noise * 1.5, advantage),
        (" at the start", noise * 0, advantage),
        (" at the limits", limits.log().expand(answers, time), both_signs),
    ):
        called = on.apply("dlogp_by_sequence", old + moved, old, said, of, clip)
        found[f"dlogp{case}"], found[f"{AFTERWARDS}{case}"] = called
    return found


ROUNDING = 1e-6
"""In torch the quotient of two whole numbers, such as `mask.sum() / total`, is a float32."""


def test_accumulated(check):
    check.agrees(of_pieces, draws=LAYERS, reference=Autograd, tolerance=ROUNDING)


def test_fine_tune(check):
    check.agrees(a_run, draws=LAYERS, reference=Autograd, tolerance=ROUNDING)


def test_group_advantages(check):
    check.agrees(of_rewards, draws=({"prompts": 3, "group": 5}, {"prompts": 4, "group": 2}), reference=Autograd)


def test_dlogp_by_sequence(check):
    draws = ({"answers": 9, "time": 6, "clip": 0.3}, {"answers": 12, "time": 4, "clip": 0.1})
    check.agrees(of_sequences, draws=draws, reference=Autograd, tolerance=ROUNDING)
