"""Hidden suite of lesson 07: one step's gradients, and everything round them, on small networks in float64.

A loss that was reached grades nothing: many a wrong gradient trains as well as the right one. So the gradients of one
step are judged by value, and a run of 100 steps by whether it goes where autograd and plain gradient descent go, in
parameters and losses. Right formulas in another order of operations end these runs within 1e-13 of each other (batches
of 8 and more, 600 seeds); the nearest known wrong one ends further away than 1e-2.
"""

import functools

import torch
import torch.nn.functional as F

from grader.calling.shuffled import Shuffled
from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)

NAMES = ("C", "W1", "b1", "W2", "b2", "bngain", "bnbias")
EPS = 1e-5

# --- gradients ---


def one_class_and_few_tokens(inputs):
    """Every example has the same next token, and the contexts are made of three tokens only."""
    inputs["Yb"][:] = inputs["Yb"][0]
    inputs["Xb"] %= 3


def small_variance(inputs):
    """`hprebn` varies so little that the 1e-5 added to its variance matters by a few per cent."""
    inputs["W1"] *= 0.02


def one_token_repeated(inputs):
    """All positions of a context hold the same token."""
    inputs["Xb"][:] = inputs["Xb"][:, :1]


def saturated(inputs):
    """A large gain closes many tanh gates; a large W2 makes confident predictions."""
    inputs["bngain"] *= 3
    inputs["W2"] *= 15


DRAWS = (
    Draw({"batch": 6, "block": 2, "vocabulary": 11, "embedding": 4, "hidden": 7}, FORWARD.without_the_last),
    Draw({"batch": 3, "block": 1, "vocabulary": 7, "embedding": 5, "hidden": 9}, FORWARD.nearly_constant),
    Draw({"batch": 9, "block": 2, "vocabulary": 8, "embedding": 3, "hidden": 13}, one_class_and_few_tokens),
    Draw({"batch": 10, "block": 3, "vocabulary": 5, "embedding": 2, "hidden": 8}, small_variance),
    Draw({"batch": 12, "block": 5, "vocabulary": 9, "embedding": 4, "hidden": 6}, one_token_repeated),
    Draw({"batch": 8, "block": 4, "vocabulary": 6, "embedding": 3, "hidden": 5}, saturated),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


# --- networks and examples for the rows below ---


def network(generator, block, vocabulary, embedding, hidden, weight=1.0):
    """The seven parameters; `weight` scales W1, and with it what goes into batch norm."""

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    fan_in = embedding * block
    return [
        normal(vocabulary, embedding),
        normal(fan_in, hidden) * weight * (5 / 3) / fan_in**0.5,
        normal(hidden) * 0.3,
        normal(hidden, vocabulary) * 0.5,
        normal(vocabulary) * 0.3,
        normal(1, hidden) * 0.2 + 1.0,
        normal(1, hidden) * 0.4,
    ]


def examples(generator, count, block, vocabulary):
    """Contexts (count, block) and next tokens (count,)."""
    return (
        torch.randint(0, vocabulary, (count, block), generator=generator),
        torch.randint(0, vocabulary, (count,), generator=generator),
    )


def by_name(parameters):
    """A list of parameters, with names for the messages."""
    return dict(zip(NAMES, parameters, strict=True))


class Autograd:
    """The same training with nothing by hand: PyTorch's gradients and its loss, and plain gradient descent."""

    @staticmethod
    def gradients(parameters, Xb, Yb):
        with torch.enable_grad():
            C, W1, b1, W2, b2, bngain, bnbias = leaves = [p.detach().requires_grad_() for p in parameters]
            hprebn = C[Xb].view(len(Xb), -1) @ W1 + b1
            bnmean, bnvar = hprebn.mean(0, keepdim=True), hprebn.var(0, keepdim=True, unbiased=True)
            hpreact = bngain * (hprebn - bnmean) * (bnvar + EPS) ** -0.5 + bnbias
            loss = F.cross_entropy(torch.tanh(hpreact) @ W2 + b2, Yb)
            return loss.detach(), list(torch.autograd.grad(loss, leaves))

    @staticmethod
    def train(parameters, X, Y, batches, max_steps, start=0):
        losses = []
        for step, ix in enumerate(batches, start):
            loss, slopes = Autograd.gradients(parameters, X[ix], Y[ix])
            for parameter, slope in zip(parameters, slopes, strict=True):
                parameter.data -= (0.1 if 2 * step < max_steps else 0.01) * slope
            losses.append(float(loss))
        return losses


# --- the loss, the update, the learning rate ---

SMALL = {"block": 2, "vocabulary": 11, "embedding": 3, "hidden": 7}
WIDE = {"block": 4, "vocabulary": 5, "embedding": 2, "hidden": 9}


def loss_of_a_batch(on, generator, batch, weight=1.0, **sizes):
    parameters = network(generator, weight=weight, **sizes)
    Xb, Yb = examples(generator, batch, sizes["block"], sizes["vocabulary"])
    result = on.call("gradients", parameters, Xb, Yb)
    return {"loss": result["loss"] if isinstance(result, dict) else result[0]}


def test_loss(check):
    draws = ({"batch": 6, **SMALL}, {"batch": 8, "weight": 0.01, **WIDE}, {"batch": 3, **WIDE})
    check.agrees(loss_of_a_batch, draws, reference=Autograd)


def one_update(on, generator, rate, **sizes):
    parameters = network(generator, **sizes)
    slopes = network(generator, **sizes)
    _, arguments = on.apply("update", parameters, slopes, rate)
    return by_name(arguments[0])


def test_update(check):
    check.agrees(one_update, ({"rate": 0.1, **SMALL}, {"rate": 0.037, **WIDE}))


def rates(on, generator):
    """Steps of runs of several lengths, in a random order: the rate follows from both numbers only."""
    questions = Shuffled(generator)
    for least, most in ((5, 9), (10, 90), (1000, 9000), (110_000, 200_000)):
        half = questions.some(least, most)
        steps = [half - 1, half, 2 * half - 1]
        steps += [questions.some(0, half - 1) for _ in range(questions.some(1, 3))]
        steps += [questions.some(half, 2 * half - 1) for _ in range(questions.some(0, 2))]
        for step in dict.fromkeys(steps):
            name = f"step {step} of {2 * half}"
            questions.add(name, functools.partial(on.call, "learning_rate", step, 2 * half))
    return questions.answers()


def test_learning_rate(check):
    check.agrees(rates)


# --- the training loop ---


def run(generator, batch, steps, count, **sizes):
    """What `train` needs: parameters, X, Y, and a list of `steps` batches."""
    parameters = network(generator, **sizes)
    X, Y = examples(generator, count, sizes["block"], sizes["vocabulary"])
    return parameters, X, Y, list(torch.randint(0, count, (steps, batch), generator=generator))


def whole_run(on, generator, steps, **more):
    parameters, X, Y, batches = run(generator, steps=steps, **more)
    losses, arguments = on.apply("train", parameters, X, Y, batches, steps)
    return {"losses": losses, **by_name(arguments[0])}


def test_trajectory(check):
    draws = (
        {"steps": 6, "batch": 9, "count": 40, "weight": 0.01, **WIDE},
        {"steps": 100, "batch": 8, "count": 60, **SMALL},
    )
    check.agrees(whole_run, draws, reference=Autograd)


def recorded_run(on, generator, **more):
    """The parameters require gradients, as in the lecture: PyTorch lets nobody change them while it records."""
    parameters, X, Y, batches = run(generator, **more)
    for parameter in parameters:
        parameter.requires_grad = True
    losses, arguments = on.apply("train", parameters, X, Y, batches, more["steps"])
    return {"losses": losses, **by_name([parameter.detach() for parameter in arguments[0]])}


def test_no_grad(check):
    draws = ({"steps": 8, "batch": 8, "count": 30, **SMALL}, {"steps": 6, "batch": 9, "count": 20, **WIDE})
    check.agrees(recorded_run, draws, reference=Autograd)


def run_in_pieces(on, generator, cuts, steps, **more):
    """The batches before each cut, then those from the last cut on, each in a call of its own."""
    parameters, X, Y, batches = run(generator, steps=steps, **more)
    losses, start = [], 0
    for end in (*cuts, steps):
        piece, arguments = on.apply("train", parameters, X, Y, batches[start:end], steps, start=start)
        parameters = arguments[0]
        losses += piece.tolist() if isinstance(piece, torch.Tensor) and piece.ndim == 1 else list(piece)
        start = end
    return {"losses": losses, **by_name(parameters)}


def test_resumed(check):
    draws = (
        {"steps": 8, "cuts": (3,), "batch": 9, "count": 40, **WIDE},
        {"steps": 20, "cuts": (7, 15), "batch": 8, "count": 60, **SMALL},
    )
    check.agrees(run_in_pieces, draws, reference=Autograd)


# --- after the training ---


def statistics_of_all(on, generator, count, weight=1.0, **sizes):
    parameters = network(generator, weight=weight, **sizes)
    X, _ = examples(generator, count, sizes["block"], sizes["vocabulary"])
    bnmean, bnvar = on.call("calibrate", parameters, X)
    return {"bnmean": bnmean, "bnvar": bnvar}


def test_calibrate(check):
    check.agrees(statistics_of_all, ({"count": 75, **SMALL}, {"count": 43, "weight": 0.01, **WIDE}))


def made_up_statistics(generator, hidden, spread=1.0):
    """A mean and a variance that no set of examples has: what is measured elsewhere shows."""
    bnmean = torch.randn(1, hidden, generator=generator, dtype=torch.float64) * 0.5
    return bnmean * spread**0.5, (torch.rand(1, hidden, generator=generator, dtype=torch.float64) + 0.5) * spread


def loss_of_a_split(on, generator, count, weight=1.0, **sizes):
    parameters = network(generator, weight=weight, **sizes)
    statistics = made_up_statistics(generator, sizes["hidden"], weight**2)
    X, Y = examples(generator, count, sizes["block"], sizes["vocabulary"])
    return {"loss": on.call("split_loss", parameters, statistics, X, Y)}


def test_split_loss(check):
    draws = ({"count": 75, **SMALL}, {"count": 43, "weight": 0.004, **WIDE}, {"count": 1, **WIDE})
    check.agrees(loss_of_a_split, draws)


# --- sampling ---


def generators(generator, count):
    """Fresh generators for `count` names."""
    seeds = torch.randint(2**62, (count,), generator=generator).tolist()
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def knows_one_name(generator, block, vocabulary, length, toss):
    """A network, with its statistics, that knows one name by heart: all its probabilities are 0 or 1.

    With `toss` there is one exception: a name begins only with probability 0.55, the others are empty. The network has
    a hidden unit for each context of the name, which is 1 in that context and -1 in any other. In all contexts that it
    does not know, and where more than one unit should say yes, the next token is 0. So the names that can be drawn are
    one or two, however they are drawn.
    """

    def uniform(low, high, *shape):
        return low + (high - low) * torch.rand(shape, generator=generator, dtype=torch.float64)

    def either_sign(size):
        return uniform(0.8, 1.2, 1, length) * size * (2 * torch.randint(0, 2, (1, length), generator=generator) - 1)

    name = (torch.randperm(vocabulary - 1, generator=generator)[:length] + 1).tolist()
    tokens = [0] * block + name
    contexts = torch.tensor([tokens[i : i + block] for i in range(length)])
    # Gain, bias and statistics of very different sizes: where one of them is used wrongly, the units turn over.
    bngain, bnbias = uniform(0.5, 1.5, 1, length), either_sign(300)
    bnmean, bnvar = either_sign(100), uniform(0.5, 2, 1, length) * EPS
    C = torch.randn(vocabulary, vocabulary + 2, generator=generator, dtype=torch.float64)
    detectors = torch.linalg.pinv(C)  # C @ detectors is the unit matrix
    deviation = (bnvar + EPS).sqrt() / bngain
    steepness, certainty = 60.0, 32.0
    # hpreact is steepness * (places of the context that match - block + 1/2): above zero if all of them do
    W1 = torch.cat([detectors[:, contexts[:, place]] for place in range(block)]) * steepness * deviation
    b1 = ((0.5 - block) * steepness - bnbias) * deviation + bnmean
    # With no unit that says yes, token 0 leads by `certainty`; each adds 4 times that to its token, and 2 to token 0.
    W2 = torch.zeros(length, vocabulary, dtype=torch.float64)
    W2[range(length), name] = 2 * certainty
    W2[:, 0] = certainty
    W2[0, 0] += certainty / 2 - 0.1 if toss else 0
    b2 = W2.sum(0)
    b2[0] += certainty
    return [C, W1, b1.view(-1), W2, b2, bngain, bnbias], (bnmean, bnvar)


LONGEST_NAME = 1_000
"""Tokens. A right sampler draws longer names so seldom that nobody will see one."""


def tokens_of(answer, vocabulary):
    """A sampled name as whole numbers. Raises ValueError where it is none."""
    if isinstance(answer, torch.Tensor) and answer.ndim == 1 and len(answer) <= LONGEST_NAME:
        answer = answer.tolist()
    if not isinstance(answer, (list, tuple)) or len(answer) > LONGEST_NAME:
        raise ValueError("a name is a list of tokens")
    tokens = [token.item() if hasattr(token, "item") else token for token in answer]
    if not all(isinstance(token, (int, float)) and token in range(vocabulary) for token in tokens):
        raise ValueError("a token is an index into the vocabulary")
    return [int(token) for token in tokens]


def names_drawn(on, generator, count, **of):
    """The different names among `count`. That one of two is missing has a probability of 0.55**count."""
    parameters, statistics = knows_one_name(generator, **of)
    drawn = {
        tuple(tokens_of(on.call("sample", parameters, statistics, fresh), of["vocabulary"]))
        for fresh in generators(generator, count)
    }
    return {"names": ", ".join(str(list(name)) for name in sorted(drawn))}


def talkative(generator, block, embedding, hidden):
    """A network, with its statistics, that seldom ends a name: one token is likely, many others are seldom.

    So much lies in the many that a temperature of 1.3 shows within two dozen names: it makes them four times as likely
    compared with the one.
    """
    often = torch.tensor([0.03, 0.3] + 998 * [0.67 / 998], dtype=torch.float64)
    parameters = network(generator, block, len(often), embedding, hidden)
    parameters[3][:, 0] = 0
    parameters[4] = often.log()
    return parameters, made_up_statistics(generator, hidden)


def probabilities(parameters, statistics, X):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    hprebn = C[X].view(len(X), -1) @ W1 + b1
    bnraw = (hprebn - statistics[0]) / (statistics[1] + EPS).sqrt()
    return torch.softmax(torch.tanh(bngain * bnraw + bnbias) @ W2 + b2, 1)


def plausible(names, parameters, statistics, block):
    """Whether each token, and each draw's own probability, came about as often as it should.

    Given the contexts, both are sums of independent terms with known means. They may be off by seven standard
    deviations and seven: a right sampler is not, in the lifetime of any course.
    """
    contexts, drawn = [], []
    for name in names:
        tokens = [0] * block + name + [0]
        contexts += [tokens[i : i + block] for i in range(len(name) + 1)]
        drawn += tokens[block:]
    p = probabilities(parameters, statistics, torch.tensor(contexts))
    came = F.one_hot(torch.tensor(drawn), p.shape[1])
    off, variance = (came - p).sum(0).abs(), (p * (1 - p)).sum(0)
    surprise = p.log() - (p * p.log()).sum(1, keepdim=True)
    likelihood_off, likelihood_variance = (came * surprise).sum().abs(), (p * surprise.square()).sum()
    return bool((off <= 7 * variance.sqrt() + 7).all() and likelihood_off <= 7 * likelihood_variance.sqrt() + 7)


def long_names(on, generator, count, twice, **sizes):
    """`count` names, then the first `twice` of them again, from generators in the same state as before."""
    parameters, statistics = talkative(generator, **sizes)
    fresh = generators(generator, count)
    again = [torch.Generator().set_state(entry.get_state()) for entry in fresh[:twice]]
    vocabulary = len(parameters[4])
    names = [tokens_of(on.call("sample", parameters, statistics, entry), vocabulary) for entry in fresh + again]
    right = plausible(names[:count], parameters, statistics, sizes["block"])
    return {
        "same generator, same name": names[:twice] == names[count:],
        "tokens as often as their probabilities say": right,
        "drawn": None if right else names,
    }


def test_sample(check):
    # a sampler that gets stuck ends its names by the toss; where there is none, it would go on for ever
    check.agrees(names_drawn, ({"count": 40, "block": 3, "vocabulary": 9, "length": 5, "toss": True},))
    check.agrees(names_drawn, ({"count": 2, "block": 2, "vocabulary": 6, "length": 4, "toss": False},))
    check.agrees(long_names, ({"count": 24, "twice": 3, "block": 2, "embedding": 3, "hidden": 6},))
