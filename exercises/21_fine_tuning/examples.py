"""The public examples that `dojo check 21` runs: some worked out by hand, others by autograd.

Your grade comes from a hidden test suite with different problems.
"""

import torch
import torch.nn.functional as F

ROUNDING = 1e-6
"""In torch the quotient of two whole numbers, such as `mask.sum() / total`, is a float32."""
AFTERWARDS = "an argument after the call"
SIZES = (
    {"features": 4, "rank": 3, "vocabulary": 5, "alpha": 1.7},
    {"features": 6, "rank": 2, "vocabulary": 7, "alpha": 4.5},
)


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def problem(generator, features, rank, vocabulary, alpha):
    """Three pieces, with seven tokens of answers, two and four, and W, A, B and alpha."""

    def piece(answer):
        mask = torch.tensor(answer, dtype=torch.float64)
        targets = torch.randint(0, vocabulary, mask.shape, generator=generator)
        return drawn(generator, *mask.shape, features), targets, mask

    pieces = [piece([[0, 1, 1, 1], [1, 1, 1, 1]]), piece([[0, 1], [1, 0], [0, 0]]), piece([[0, 1, 1, 0, 1, 1]])]
    W, A, B = (drawn(generator, *shape) / 2 for shape in ((features, vocabulary), (features, rank), (rank, vocabulary)))
    return pieces, W, A, B, alpha


def cross_entropy(pieces, W, A, B, alpha):
    """The mean over the tokens of all answers."""
    terms = []
    for x, targets, answer in pieces:
        logits = x @ W + x @ A @ B * alpha / B.shape[0]
        terms.append(F.cross_entropy(logits[answer > 0], targets[answer > 0], reduction="none"))
    return torch.cat(terms).mean()


class Torch:
    """The same functions by autograd."""

    @staticmethod
    def accumulated(pieces, W, A, B, alpha):
        with torch.enable_grad():
            leaves = [A.clone().requires_grad_(), B.clone().requires_grad_()]
            loss = cross_entropy(pieces, W, *leaves, alpha)
            return (loss.detach(), *torch.autograd.grad(loss, leaves))

    @staticmethod
    def fine_tune(batches, W, A, B, alpha, rate):
        adapter = [torch.nn.Parameter(A.clone()), torch.nn.Parameter(B.clone())]
        optimizer, losses = torch.optim.SGD(adapter, lr=rate), []
        with torch.enable_grad():
            for pieces in batches:
                optimizer.zero_grad()
                loss = cross_entropy(pieces, W, *adapter, alpha)
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
        return losses, adapter[0].detach(), adapter[1].detach()

    @staticmethod
    def dlogp_by_sequence(logp, old, said, advantage, clip):
        with torch.enable_grad():
            leaf, losses = logp.clone().requires_grad_(), []
            for now, before, counts, gain in zip(leaf, old, said > 0, advantage, strict=True):
                ratio = (now - before)[counts].mean().exp()
                losses.append(-torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain))
            return torch.autograd.grad(torch.stack(losses).mean(), leaf)[0]


class ByHand:
    """The advantages of the rewards in `three_groups`."""

    @staticmethod
    def group_advantages(rewards):
        """Means of 2, 5 and 3; squared differences that add up to 12, 0 and 18, each divided by 3, and then a root."""
        one, root = 1 / 2.0001, 3 / (6**0.5 + 0.0001)
        rows = [[-one, -one, -one, 3 * one], [0.0, 0.0, 0.0, 0.0], [-root, root, 0.0, 0.0]]
        return torch.tensor(rows, dtype=torch.float64)


def three_groups(on, generator):
    rewards = [[1.0, 1.0, 1.0, 5.0], [5.0, 5.0, 5.0, 5.0], [0.0, 6.0, 3.0, 3.0]]
    advantages, arguments = on.apply("group_advantages", torch.tensor(rewards, dtype=torch.float64))
    return {"advantages": advantages, AFTERWARDS: arguments}


def large_batch(on, generator, **sizes):
    (loss, dA, dB), arguments = on.apply("accumulated", *problem(generator, **sizes))
    return {"loss": loss, "dA": dA, "dB": dB, AFTERWARDS: arguments}


def three_steps(on, generator, **sizes):
    pieces, *layer = problem(generator, **sizes)
    batches = [pieces, pieces[1:], pieces[:2]]
    (losses, A, B), arguments = on.apply("fine_tune", batches, *layer, 0.3)
    return {"losses": list(losses), "A": A, "B": B, AFTERWARDS: arguments}


def drawn_answers(on, generator, answers, time, clip):
    """Answers of different lengths, with ratios inside and outside of the interval; two are near one of its limits."""
    old = -3 * torch.rand((answers, time), generator=generator, dtype=torch.float64)
    said = (torch.arange(time) < torch.randint(1, time + 1, (answers, 1), generator=generator)).double()
    logp, advantage = old + drawn(generator, answers, time), drawn(generator, answers, 1)
    logp[:2] = old[:2] + torch.tensor([[1 - 0.97 * clip], [1 + 1.03 * clip]], dtype=torch.float64).log()
    advantage[:2] = torch.tensor([[-0.7], [1.3]], dtype=torch.float64)
    dlogp, arguments = on.apply("dlogp_by_sequence", logp, old, said, advantage, clip)
    return {"dlogp": dlogp, AFTERWARDS: arguments}


def test_accumulated(check):
    check.agrees(large_batch, draws=SIZES, reference=Torch, tolerance=ROUNDING)


def test_fine_tune(check):
    check.agrees(three_steps, draws=SIZES[:1], reference=Torch, tolerance=ROUNDING)


def test_group_advantages(check):
    check.agrees(three_groups, reference=ByHand)


def test_dlogp_by_sequence(check):
    """Three answers with ratios of 1, 2 and 2; the second is clipped, the third is not: its advantage is negative."""
    old = torch.zeros(3, 2, dtype=torch.float64)
    logp = torch.tensor([[2.0, 0.5], [4.0, 1.0], [2.0, 7.0]], dtype=torch.float64).log()
    said = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    advantage = torch.tensor([[3.0], [6.0], [-6.0]], dtype=torch.float64)
    expected = torch.tensor([[-0.5, -0.5], [0.0, 0.0], [4.0, 0.0]], dtype=torch.float64)
    check.gives("dlogp_by_sequence", (logp, old, said, advantage, 0.2), expected)
    draws = ({"answers": 8, "time": 5, "clip": 0.15}, {"answers": 12, "time": 3, "clip": 0.35})
    check.agrees(drawn_answers, draws=draws, reference=Torch, tolerance=ROUNDING)
