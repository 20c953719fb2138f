"""The public examples that `dojo check 07` runs: your functions must agree with autograd, on a small network.

The hidden test suite uses other numbers, longer runs and more cases.
"""

from pathlib import Path

import torch
import torch.nn.functional as F

from grader.lesson.course_modules import load_module

lecture = load_module(Path(__file__).with_name("lecture.py"), "backprop_ninja_lecture_of_examples")
BLOCK, VOCABULARY, EMBEDDING, HIDDEN = 2, 5, 3, 4


def numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def network(generator, block=BLOCK, vocabulary=VOCABULARY, embedding=EMBEDDING, hidden=HIDDEN):
    def normal(*shape):
        return 0.5 * torch.randn(shape, generator=generator, dtype=torch.float64)

    shapes = ((vocabulary, embedding), (block * embedding, hidden), (hidden,), (hidden, vocabulary), (vocabulary,))
    return [*(normal(*shape) for shape in shapes), 1 + normal(1, hidden), normal(1, hidden)]


def examples(generator, count, block=BLOCK, vocabulary=VOCABULARY):
    X = torch.randint(0, vocabulary, (count, block), generator=generator)
    return X, torch.randint(0, vocabulary, (count,), generator=generator)


def before_batch_norm(parameters, X):
    table, weight, bias = parameters[0], parameters[1], parameters[2]
    return F.linear(F.embedding(X, table).flatten(1), weight.T, bias)


class Torch:
    """The same functions with autograd and torch's own layers."""

    @staticmethod
    def gradients(parameters, Xb, Yb):
        with torch.enable_grad():
            return lecture.autograd_gradients(parameters, Xb, Yb)

    @staticmethod
    def train(parameters, X, Y, batches, max_steps, start=0):
        with torch.enable_grad():
            watched_by_nobody = [parameter.detach() for parameter in parameters]
            return lecture.autograd_train(watched_by_nobody, X, Y, batches, max_steps, start)

    @staticmethod
    def calibrate(parameters, X):
        layer = torch.nn.BatchNorm1d(HIDDEN, momentum=1.0, dtype=torch.float64)  # keeps the last batch only
        layer(before_batch_norm(parameters, X))
        return layer.running_mean.view(1, -1), layer.running_var.view(1, -1)

    @staticmethod
    def split_loss(parameters, statistics, X, Y):
        flat = [value.flatten() for value in (*statistics, *parameters[5:])]
        h = F.batch_norm(before_batch_norm(parameters, X), *flat, training=False, eps=1e-5).tanh()
        return F.cross_entropy(F.linear(h, parameters[3].T, parameters[4]), Y)


def loss(on, generator, batch, **sizes):
    parameters, (Xb, Yb) = network(generator, **sizes), examples(generator, batch, sizes["block"], sizes["vocabulary"])
    result = on.call("gradients", parameters, Xb, Yb)
    return {"loss": result["loss"] if isinstance(result, dict) else result[0]}


def run(on, generator, pieces, requires_grad=False):
    """Training in pieces. `pieces` has the number of steps of each call of `train`."""
    parameters, (X, Y), losses = network(generator), examples(generator, 30), []
    for parameter in parameters:
        parameter.requires_grad = requires_grad
    batches = list(torch.randint(0, 30, (sum(pieces), 8), generator=generator))
    for piece in pieces:
        start = len(losses)
        given = parameters, X, Y, batches[start : start + piece], sum(pieces)
        found, (parameters, *_) = on.apply("train", *given, **({"start": start} if start else {}))
        losses += found
    parameters = [parameter.detach() for parameter in parameters]
    return {"losses": losses, **dict(zip(lecture.PARAMETERS, parameters, strict=True))}


def statistics_of_all(on, generator, count):
    found = on.call("calibrate", network(generator), examples(generator, count)[0])
    return dict(zip(("bnmean", "bnvar"), found, strict=True))


def loss_of_a_split(on, generator):
    parameters, statistics = network(generator), (torch.full((1, HIDDEN), 0.2), torch.full((1, HIDDEN), 2.0))
    return {"loss": on.call("split_loss", parameters, [part.double() for part in statistics], *examples(generator, 9))}


def knows_one_name():
    """A network that is certain of every token: 3 follows 0, 1 follows 3, 4 follows 1, and then the name ends."""
    C, W2 = torch.eye(VOCABULARY), torch.full((VOCABULARY, VOCABULARY), -200.0)
    W2[[0, 3, 1, 4, 2], [3, 1, 4, 0, 0]] = 0.0
    W1 = torch.cat([torch.zeros(VOCABULARY, VOCABULARY), 50 * torch.eye(VOCABULARY)])  # only the last token counts
    zeros, ones = torch.zeros(1, VOCABULARY), torch.ones(1, VOCABULARY)
    parameters = [C, W1, zeros[0], W2, zeros[0], ones, zeros]
    return [parameter.double() for parameter in parameters], (zeros.double(), ones.double())


def test_loss(check):
    check.agrees(loss, (SIZES,), reference=Torch)


def test_update(check):
    parameters, gradients = [numbers([1.0, 2.0]), numbers([[3.0]])], [numbers([4.0, -2.0]), numbers([[0.0]])]
    _, (after, *_) = check.on.apply("update", parameters, gradients, 0.25)
    if all(torch.is_tensor(new) and torch.equal(new, old) for new, old in zip(after, parameters, strict=False)):
        check.fail(
            "The parameters are as they were. `p - ...` is a new tensor: change the tensors of the list in place."
        )
    check.equals({"parameters afterwards": after}, {"parameters afterwards": [numbers([0.0, 2.5]), numbers([[3.0]])]})


def test_learning_rate(check):
    found = {f"step {step} of 10": check.on.call("learning_rate", step, 10) for step in (0, 4, 5, 9)}
    check.equals(found, {"step 0 of 10": 0.1, "step 4 of 10": 0.1, "step 5 of 10": 0.01, "step 9 of 10": 0.01})


def test_trajectory(check):
    check.agrees(run, ({"pieces": (10,)},), reference=Torch)


def test_resumed(check):
    check.agrees(run, ({"pieces": (4, 6)},), reference=Torch)


def test_no_grad(check):
    check.agrees(run, ({"pieces": (6,), "requires_grad": True},), reference=Torch)


def test_calibrate(check):
    check.agrees(statistics_of_all, ({"count": 9}, {"count": 75}), reference=Torch)


def test_split_loss(check):
    check.agrees(loss_of_a_split, reference=Torch)


def test_sample(check):
    check.gives("sample", (*knows_one_name(), torch.Generator().manual_seed(1)), [3, 1, 4])


SIZES = {"batch": 6, "block": BLOCK, "vocabulary": VOCABULARY, "embedding": EMBEDDING, "hidden": HIDDEN}
"""What `loss` draws. A notebook in which sizes are hard-coded is judged at its own sizes in place of these."""
