"""The hidden suite of lesson 15: the gradients, then clipping, Adam, the rate, a short training run, and new names."""

import functools
import itertools
import math

import torch
import torch.nn.functional as F

from grader.calling.shuffled import Shuffled
from grader.lesson.course_modules import forward_of
from grader.reference.problem import Draw

FORWARD = forward_of(__file__)
PARAMETERS = FORWARD.PARAMETERS
DECAYED = [name for name in PARAMETERS if not name.startswith("gain")]
KEYS = ("batch", "time", "positions", "vocabulary", "heads", "size", "hidden", "layers")


def sizes(*numbers):
    return dict(zip(KEYS, numbers, strict=True))


def one_token(inputs):
    """The same token at every position, and always the same next token."""
    inputs["X"] = torch.ones_like(inputs["X"])
    inputs["Y"] = torch.where(inputs["Y"] < 0, inputs["Y"], 3)


def hardly_anything_known(inputs):
    """Only one of all positions has a next token."""
    inputs["Y"][:] = -1
    inputs["Y"][-1, 1] = 2


DRAWS = (
    Draw(sizes(3, 5, 8, 11, 2, 7, 9, 1)),
    Draw(sizes(4, 6, 7, 13, 2, 5, 11, 3)),
    Draw(sizes(4, 6, 9, 10, 5, 3, 8, 2), FORWARD.all_positions),
    Draw(sizes(5, 6, 9, 8, 3, 4, 10, 2), FORWARD.few_tokens),
    Draw(sizes(2, 5, 6, 7, 3, 4, 8, 1), FORWARD.tiny),
    Draw(sizes(4, 5, 8, 9, 3, 6, 7, 2), FORWARD.sure_heads),
    Draw(sizes(4, 5, 6, 7, 1, 8, 9, 2), one_token),
    Draw(sizes(3, 4, 7, 6, 2, 5, 8, 1), hardly_anything_known),
    Draw(sizes(5, 3, 4, 7, 1, 6, 8, 2), FORWARD.all_positions),
)


def test_gradient(gradient):
    gradient.check(DRAWS)


# --- models and examples for the rows below ---


class Pass:
    """What `FORWARD.forward` calls `t`, without cuts."""

    def __init__(self, values):
        vars(self).update(values)


def model(generator, **of):
    """(parameters, X, Y, heads) in float64."""
    drawn = FORWARD.inputs(generator, **of)
    return {name: drawn[name].double() for name in PARAMETERS}, drawn["X"], drawn["Y"], drawn["heads"]


def zeros(parameters):
    return {name: torch.zeros_like(value) for name, value in parameters.items()}


class Autograd:
    """The same training with autograd's gradients, and AdamW as in its paper (torch.optim takes seconds to import)."""

    @staticmethod
    def gradients(parameters, X, Y, heads):
        with torch.enable_grad():
            leaves = {name: value.detach().clone().requires_grad_() for name, value in parameters.items()}
            t = Pass({**leaves, "X": X, "Y": Y, "heads": heads})
            FORWARD.forward(t)
            slopes = torch.autograd.grad(t.loss, list(leaves.values()))
        return t.loss.detach(), dict(zip(leaves, slopes, strict=True))

    @staticmethod
    def clip(gradients, most):
        norm = torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in gradients.values()]))
        factor = most / norm if norm > most else 1.0
        return {name: gradient * factor for name, gradient in gradients.items()}, norm

    @staticmethod
    def adam(parameters, gradients, means, squares, step, rate, decay):
        n = step + 1
        for name, value in parameters.items():
            old, slope = value.clone(), gradients[name]
            means[name].copy_(0.9 * means[name] + 0.1 * slope)
            squares[name].copy_(0.99 * squares[name] + 0.01 * slope**2)
            value -= rate * (means[name] / (1 - 0.9**n)) / ((squares[name] / (1 - 0.99**n)) ** 0.5 + 1e-8)
            value -= rate * decay * old if name in DECAYED else 0.0

    @staticmethod
    def learning_rate(step, max_steps):
        warm = max_steps / 10
        if step < warm:
            return 0.01 * (step + 1) / warm
        return 0.001 + 0.009 * math.cos(math.pi / 2 * (step - warm) / (max_steps - warm)) ** 2

    @classmethod
    def train(cls, parameters, means, squares, X, Y, batches, max_steps, heads, start=0):
        losses = []
        for step, ix in enumerate(batches, start):
            loss, slopes = cls.gradients(parameters, X[ix], Y[ix], heads)
            clipped, _ = cls.clip(slopes, 1.0)
            cls.adam(parameters, clipped, means, squares, step, cls.learning_rate(step, max_steps), 0.1)
            losses.append(float(loss))
        return losses


# --- the loss, and the two terms of the tied weight ---

SMALL = sizes(4, 5, 7, 9, 2, 3, 8, 2)
OTHER = sizes(3, 6, 8, 7, 3, 2, 5, 1)


def loss_of_a_batch(on, generator, **of):
    result = on.call("gradients", *model(generator, **of))
    return {"loss": result["loss"] if isinstance(result, dict) else result[0]}


def test_loss(check):
    check.agrees(loss_of_a_batch, (SMALL, {**OTHER, "batch": 6}, {**SMALL, "batch": 2}), reference=Autograd)


# --- clipping, Adam, the learning rate ---


def as_named(parameters, prefix=""):
    return {f"{prefix}{name}": value for name, value in parameters.items()}


def clipped_gradients(on, generator, scale, most, length=None, **of):
    parameters, *_ = model(generator, **of)
    given = {name: value * scale for name, value in parameters.items()}
    if scale == 0.5:  # one gradient is far larger than the others
        given["gain3"] = given["gain3"] * 100
    if length is not None:  # of all gradients as one vector
        norm = torch.cat([value.flatten() for value in given.values()]).norm()
        given = {name: value * (length / norm) for name, value in given.items()}
    (clipped, norm), arguments = on.apply("clip", given, most)
    return {"norm": norm, **as_named(clipped), "the gradients afterwards": arguments[0]}


def test_clip(check):
    draws = (
        {"scale": 1.0, "most": 1.0},
        {"scale": 0.5, "most": 3.0},
        {"scale": 1e-3, "most": 1.0},
        {"scale": 0.0, "most": 2.0},
        {"scale": 1.0, "most": 4.0, "length": 2.5},
        {"scale": 1.0, "most": 0.25, "length": 0.75},
    )
    check.agrees(clipped_gradients, tuple({**draw, **OTHER} for draw in draws), reference=Autograd)


def one_update(on, generator, step, rate, decay, small=1.0, **of):
    parameters, *_ = model(generator, **of)
    slopes, means, squares = (
        {
            name: torch.randn(value.shape, generator=generator, dtype=torch.float64) * small
            for name, value in parameters.items()
        }
        for _ in range(3)
    )
    if step == 0:
        means, squares = zeros(parameters), zeros(parameters)
    squares = {name: value.square() for name, value in squares.items()}
    _, arguments = on.apply("adam", parameters, slopes, means, squares, step, rate, decay)
    return {**as_named(arguments[0]), **as_named(arguments[2], "mean of "), **as_named(arguments[3], "square of ")}


def test_adam(check):
    draws = (
        {"step": 0, "rate": 0.01, "decay": 0.1},
        {"step": 7, "rate": 0.037, "decay": 0.3},
        {"step": 2, "rate": 0.02, "decay": 0.0, "small": 1e-8},
        {"step": 400, "rate": 0.005, "decay": 0.1},
    )
    check.agrees(one_update, tuple({**draw, **OTHER} for draw in draws), reference=Autograd)


def rates(on, generator):
    """Steps of runs of several lengths, in a random order: the rate follows from both numbers only."""
    questions = Shuffled(generator)
    for least, most in ((1, 3), (4, 30), (100, 700)):
        tenth = questions.some(least, most)
        steps = [0, tenth - 1, tenth, 10 * tenth - 1]
        steps += [questions.some(0, 10 * tenth - 1) for _ in range(questions.some(2, 4))]
        for step in dict.fromkeys(steps):
            ask = functools.partial(on.call, "learning_rate", step, 10 * tenth)
            questions.add(f"step {step} of {10 * tenth}", ask)
    return questions.answers()


def test_learning_rate(check):
    check.agrees(rates, reference=Autograd)


# --- the training loop ---


def run(on, generator, steps, cuts=(), **of):
    """A run, in pieces if there are cuts: the losses, and the parameters and Adam's memory at the end.

    Who exchanges the means and the squares throughout trains just as well, and leaves them in each other's place.
    """
    parameters, X, Y, heads = model(generator, **{**of, "batch": 12})
    batches = list(torch.randint(0, len(X), (steps, of["batch"]), generator=generator))
    means, squares = zeros(parameters), zeros(parameters)
    losses, start = [], 0
    for end in (*cuts, steps):
        given = {"start": start} if start else {}  # the first piece begins at step 0 unasked
        piece, arguments = on.apply(
            "train", parameters, means, squares, X, Y, batches[start:end], steps, heads, **given
        )
        parameters, means, squares = arguments[:3]
        losses += piece.tolist() if isinstance(piece, torch.Tensor) and piece.ndim == 1 else list(piece)
        start = end
    return {"losses": losses, **as_named(parameters), "means": dict(means), "squares": dict(squares)}


def test_trajectory(check):
    # the short run first: it is also made on the known mistakes
    check.agrees(run, ({"steps": 10, **OTHER}, {"steps": 20, **SMALL}), reference=Autograd)


def test_resumed(check):
    # some elements of these gradients are above 1: clipping by value is not the same as no clipping
    check.agrees(run, ({"steps": 10, "cuts": (1, 6), **SMALL},), reference=Autograd)


# --- sampling ---


def copying_model(generator, vocabulary, positions, ends):
    """(parameters, heads) of a model that knows one name: all probabilities are 0 or 1.

    One head reads the position before (the first position itself), and the MLP turns what was read there into the token
    after it, by a permutation. So a name repeats each token once: [3, 3, 1, 1], say. With `ends`, the first head reads,
    and the name leads to token 0. Else it is the second head, the permutation is a cycle without 0, and the name is as
    long as possible.
    """
    order = (torch.randperm(vocabulary - 1, generator=generator) + 1).tolist()
    size = max(positions, vocabulary) + 1
    channels = 2 * size

    def nothing(*shape):
        return torch.zeros(shape, dtype=torch.float64)

    mixed = torch.linalg.qr(torch.randn(channels, channels, generator=generator, dtype=torch.float64)).Q
    tokens, places = mixed[:vocabulary], mixed[vocabulary : vocabulary + positions]
    following = {0: order[0]} | {one: other for one, other in itertools.pairwise(order)}
    following[order[-1]] = 0 if ends else order[0]
    permuted = torch.stack([tokens[following[token]] for token in range(vocabulary)])
    before = [max(0, place - 1) for place in range(positions)]
    Wq, Wk, Wv, Wo = (nothing(1, channels, channels) for _ in range(4))
    at = 0 if ends else size  # where the features of the head that reads begin
    Wq[0, :, at : at + positions] = places.T @ torch.eye(positions, dtype=torch.float64)[before] * 100
    Wk[0, :, at : at + positions] = places.T
    Wv[0, :, at : at + vocabulary] = tokens.T
    Wo[0, at : at + vocabulary] = tokens * 5
    parameters = {
        "wte": tokens,
        "wpe": places,
        "gain1": nothing(1, channels) + 1,
        "Wq": Wq,
        "Wk": Wk,
        "Wv": Wv,
        "Wo": Wo,
        "gain2": nothing(1, channels) + 1,
        "W1": tokens.T[None],
        "W2": permuted[None] * 20,
        "gain3": nothing(channels) + 60,
    }
    return parameters, 2


LONGEST_NAME = 1_000


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


def generators(generator, count):
    seeds = torch.randint(2**62, (count,), generator=generator).tolist()
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def known_name(on, generator, **of):
    parameters, heads = copying_model(generator, **of)
    (fresh,) = generators(generator, 1)
    drawn = tokens_of(on.call("sample", parameters, heads, fresh), len(parameters["wte"]))
    return {"the only name that has a probability": ", ".join(map(str, drawn)) or "an empty one"}


def probabilities(parameters, X, heads):
    t = Pass({**parameters, "X": X, "Y": X, "heads": heads})
    FORWARD.forward(t)
    return F.softmax(t.logits, 2)


def plausible(names, parameters, heads):
    """Whether each token, and each draw's own probability, came about as often as it should.

    Given the contexts, both are sums of independent terms with known means. They may be off by seven standard
    deviations and seven: a right sampler is not, in the lifetime of any course.
    """
    rows, drawn = [], []
    for name in names:
        tokens = [0, *name, 0][: len(parameters["wpe"]) + 1]
        if len(tokens) < 2:
            return False
        rows.append(probabilities(parameters, torch.tensor([tokens[:-1]]), heads)[0])
        drawn += tokens[1:]
    p = torch.cat(rows)
    came = F.one_hot(torch.tensor(drawn), p.shape[1])
    off, variance = (came - p).sum(0).abs(), (p * (1 - p)).sum(0)
    surprise = p.log() - (p * p.log()).sum(1, keepdim=True)
    likelihood_off, likelihood_variance = (came * surprise).sum().abs(), (p * surprise.square()).sum()
    return bool((off <= 7 * variance.sqrt() + 7).all() and likelihood_off <= 7 * likelihood_variance.sqrt() + 7)


def varied_model(generator, count, **of):
    """(parameters, heads) of a model of which `count` names, all with the most probable tokens, are not plausible."""
    while True:
        parameters, _, _, heads = model(generator, **of)
        parameters["wpe"] *= 0.2
        parameters["wte"][0] = 0  # token 0, which ends a name, is not likely
        parameters["gain3"] *= 1.5
        name = [0]
        while len(name) <= of["positions"] and (len(name) == 1 or name[-1]):
            name.append(int(probabilities(parameters, torch.tensor([name]), heads)[0, -1].argmax()))
        if not plausible([[token for token in name if token]] * count, parameters, heads):
            return parameters, heads


def drawn_names(on, generator, count, twice, **of):
    """`count` names, then the first `twice` of them again, from generators in the same state as before."""
    parameters, heads = varied_model(generator, count, **of)
    fresh = generators(generator, count)
    again = [torch.Generator().set_state(entry.get_state()) for entry in fresh[:twice]]
    names = [tokens_of(on.call("sample", parameters, heads, entry), of["vocabulary"]) for entry in fresh + again]
    right = plausible(names[:count], parameters, heads)
    return {
        "same generator, same name": names[:twice] == names[count:],
        "tokens as often as their probabilities say": right,
        "drawn": None if right else names,
    }


def rare_tokens_model(vocabulary, positions):
    """(parameters, heads) of a model that draws token 1 every second time, and else any other token but 0.

    One token in a thousand is very improbable, all of them together are not: a temperature of 1.3 makes them five times
    as frequent compared with token 1. By the binomial distribution, 300 tokens reject a right sampler once in 10**12
    runs, and accept one with that temperature once in 10**7.
    """
    logits = torch.zeros(vocabulary, dtype=torch.float64)
    logits[:2] = torch.tensor([-30, math.log(vocabulary - 2)])
    parameters = {name: torch.zeros(1, 2, 2, dtype=torch.float64) for name in ("Wq", "Wk", "Wv", "Wo", "W1", "W2")}
    gains = torch.ones(2, dtype=torch.float64)
    # the norm makes (x, 0) the same for every x > 0, so the logits are the same after every context
    wte, wpe = torch.stack((logits / 100, 0 * logits), 1), torch.tensor([[3.0, 0.0]] * positions, dtype=torch.float64)
    more = {"wte": wte, "wpe": wpe, "gain1": gains[None], "gain2": gains[None], "gain3": gains * 100 / 2**0.5}
    return {name: (parameters | more)[name] for name in PARAMETERS}, 1


def rare_tokens(on, generator, count, **of):
    parameters, heads = rare_tokens_model(**of)
    names = [
        tokens_of(on.call("sample", parameters, heads, fresh), of["vocabulary"])
        for fresh in generators(generator, count)
    ]
    right = plausible(names, parameters, heads)
    return {"rare tokens as often as their probabilities say": right, "drawn": None if right else names}


def test_sample(check):
    draws = ({"vocabulary": 6, "positions": 11, "ends": True}, {"vocabulary": 5, "positions": 7, "ends": False})
    check.agrees(known_name, draws, reference=Key)
    check.agrees(drawn_names, ({"count": 10, "twice": 3, **sizes(1, 2, 30, 12, 2, 3, 5, 1)},), reference=Key)
    check.agrees(rare_tokens, ({"count": 5, "vocabulary": 1000, "positions": 60},), reference=Key)


class Key:
    """The probabilities are those of forward.py; the draw is torch.multinomial's."""

    @staticmethod
    def sample(parameters, heads, generator):
        context = [0]
        while len(context) <= len(parameters["wpe"]):
            row = probabilities(parameters, torch.tensor([context]), heads)[0, -1]
            context.append(int(torch.multinomial(row, 1, generator=generator)))
            if context[-1] == 0:
                return context[1:-1]
        return context[1:]
