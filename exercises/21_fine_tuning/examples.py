"""The public examples that `dojo check 21` runs: autograd's gradients on small problems, and one group of rewards.

Your grade comes from a hidden test suite with different problems.
"""

import torch
import torch.nn.functional as F

ROUNDING = 1e-6
"""In torch the quotient of two whole numbers, such as `mask.sum() / total`, is a float32."""
SIZES = ({"features": 4, "rank": 3, "vocabulary": 5},)


def drawn(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def problem(generator, features, rank, vocabulary):
    """Two pieces, with seven tokens of answers and two, and W, A, B and alpha."""

    def piece(answer):
        mask = torch.tensor(answer, dtype=torch.float64)
        targets = torch.randint(0, vocabulary, mask.shape, generator=generator)
        return drawn(generator, *mask.shape, features), targets, mask

    pieces = [piece([[0, 1, 1, 1], [1, 1, 1, 1]]), piece([[0, 1], [1, 0], [0, 0]])]
    W, A, B = (drawn(generator, *shape) / 2 for shape in ((features, vocabulary), (features, rank), (rank, vocabulary)))
    return pieces, W, A, B, 2.0


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


def large_batch(on, generator, **sizes):
    loss, dA, dB = on.call("accumulated", *problem(generator, **sizes))
    return {"loss": loss, "dA": dA, "dB": dB}


def three_steps(on, generator, **sizes):
    pieces, *layer = problem(generator, **sizes)
    losses, A, B = on.call("fine_tune", [pieces, pieces[:1], pieces], *layer, 0.5)
    return {"losses": list(losses), "A": A, "B": B}


def test_accumulated(check):
    check.agrees(large_batch, draws=SIZES, reference=Torch, tolerance=ROUNDING)


def test_fine_tune(check):
    check.agrees(three_steps, draws=SIZES, reference=Torch, tolerance=ROUNDING)


def test_group_advantages(check):
    """Means of 2 and 5; deviations of 1 and 0, to which 0.0001 is added."""
    rewards = torch.tensor([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]], dtype=torch.float64)
    one = 1 / 1.0001
    check.gives("group_advantages", (rewards,), torch.tensor([[-one, 0.0, one], [0.0, 0.0, 0.0]], dtype=torch.float64))


def test_dlogp_by_sequence(check):
    """Three answers with ratios of 1, 2 and 2; the second is clipped, the third is not: its advantage is negative."""
    old = torch.zeros(3, 2, dtype=torch.float64)
    logp = torch.tensor([[2.0, 0.5], [4.0, 1.0], [2.0, 7.0]], dtype=torch.float64).log()
    said = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    advantage = torch.tensor([[3.0], [6.0], [-6.0]], dtype=torch.float64)
    expected = torch.tensor([[-0.5, -0.5], [0.0, 0.0], [4.0, 0.0]], dtype=torch.float64)
    check.gives("dlogp_by_sequence", (logp, old, said, advantage, 0.2), expected)
