"""The lecture's network for `dojo train`: your functions, called on copies, and what they should return.

You write nothing here or in lecture.py: they call the functions of your backward.py.
"""

import math
from pathlib import Path

import torch

from grader.dojo.training import TRAINING_RTOL, Network, NotWritten, compare_gradients
from grader.errors import UserError
from grader.lesson.course_modules import load_module

HERE = Path(__file__).parent
lecture = load_module(HERE / "lecture.py", "backprop_ninja_lecture")
own_network = load_module(HERE / "own_network.py", "backprop_ninja_own_network")


class LectureNetwork(Network):
    lesson = HERE.name.partition("_")[0]
    from_the_loss = ("W2", "b2", "bngain", "bnbias", "W1", "b1", "C")

    def __init__(self, student, steps, hidden):
        super().__init__(student, steps, hidden)
        self.data = lecture.Data.load(HERE / "names.txt")
        self.max_steps = steps + steps % 2  # `learning_rate` is defined for even numbers alone

    def start(self, generator):
        drawn = lecture.initialise(generator, len(self.data.numbers), self.hidden)
        return {"parameters": dict(zip(lecture.PARAMETERS, drawn, strict=True))}

    def draw(self, generator):
        return lecture.draw_batch(generator, len(self.data.sets["train"][0]))

    def facts(self, state):
        sets = " / ".join(f"{len(Y):,} {name}" for name, (_, Y) in self.data.sets.items())
        return [
            f"{len(self.data.words):,} names, {len(self.data.numbers)} characters: {sets} examples",
            f"{sum(p.numel() for p in state['parameters'].values()):,} parameters",
        ]

    def rehearse(self, state, batch):
        """Calls every function on one batch, so that no long run ends because of a slip."""
        X = self.data.sets["train"][0]
        some = torch.zeros(1, self.hidden), torch.ones(1, self.hidden)
        training = (
            lambda: self.rate(0),
            lambda: self.own_gradients(state, batch),
            lambda: self.updated(state, self.own_gradients(state, batch)[1], 0.0),
            lambda: self.own_steps(state, [batch], 0),
        )
        evaluation = (
            lambda: self.call("calibrate", state, X[batch]),
            lambda: self.split_loss(state, some, X[batch], self.data.sets["train"][1][batch]),
            lambda: self.tokens(state, some, torch.Generator().manual_seed(0)),
        )
        if missing := not_written(training):
            raise UserError(f"Not written yet in {self.student.path}: {missing}. Training needs it.")
        missing = not_written(evaluation)
        return f"Not written yet in {self.student.path}: {missing}. Evaluation needs it." if missing else ""

    # your functions

    def call(self, name, state, *arguments):
        copies = [value.clone() for value in state["parameters"].values()]
        return self.student.call(name, copies, *arguments)

    def rate(self, step):
        return number(self.student.call("learning_rate", step, self.max_steps), "learning_rate")

    def own_gradients(self, state, batch):
        X, Y = self.data.sets["train"]
        found = self.call("gradients", state, X[batch], Y[batch])
        shown = "(loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias])"
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise UserError(f"`gradients` must return {shown}; it returned {kind(found)}.")
        loss, gradients = found
        if not isinstance(gradients, (tuple, list)) or len(gradients) != 7:
            raise UserError(f"`gradients` must return {shown}; its second value is {kind(gradients)}.")
        for name, gradient in zip(lecture.PARAMETERS, gradients, strict=True):
            if not isinstance(gradient, torch.Tensor):
                raise UserError(f"`gradients` must return seven tensors; `d{name}` is {kind(gradient)}.")
        return number(loss, "gradients"), dict(zip(lecture.PARAMETERS, gradients, strict=True))

    def updated(self, state, gradients, rate):
        """The parameters after your `update`."""
        changed = [value.clone() for value in state["parameters"].values()]
        self.student.call("update", changed, [gradient.clone() for gradient in gradients.values()], rate)
        return changed

    def own_steps(self, state, batches, start):
        changed = [value.clone() for value in state["parameters"].values()]
        losses = self.student.call("train", changed, *self.data.sets["train"], batches, self.max_steps, start)
        if not isinstance(losses, (tuple, list, torch.Tensor)):
            raise UserError(f"`train` must return the list of losses, one per step; it returned {kind(losses)}.")
        losses = [number(loss, "train") for loss in losses]
        if len(losses) != len(batches):
            raise UserError(
                f"`train` was given {len(batches)} batches and returned {len(losses)} losses: one per step."
            )
        if all(map(torch.equal, changed, state["parameters"].values())):
            raise UserError("`train` left the parameters as they were. Does `update` change them in place?")
        state["parameters"] = dict(zip(lecture.PARAMETERS, changed, strict=True))
        return losses

    def split_loss(self, state, statistics, X, Y):
        return number(self.call("split_loss", state, statistics, X, Y), "split_loss")

    def tokens(self, state, statistics, generator):
        found = self.call("sample", state, statistics, generator)
        try:
            return [int(token) for token in found]
        except (TypeError, ValueError):
            raise UserError(
                f"`sample` must return a list of numbers of characters; it returned {kind(found)}."
            ) from None

    # what they should return

    def autograd_gradients(self, state, batch):
        X, Y = self.data.sets["train"]
        loss, gradients = lecture.autograd_gradients(list(state["parameters"].values()), X[batch], Y[batch])
        return loss, dict(zip(lecture.PARAMETERS, gradients, strict=True))

    def autograd_steps(self, state, batches, start):
        parameters = list(state["parameters"].values())
        return lecture.autograd_train(parameters, *self.data.sets["train"], batches, self.max_steps, start)

    def is_rounding(self, state, batch):
        exact = {"parameters": {name: value.double() for name, value in state["parameters"].items()}}
        try:
            _, found = self.own_gradients(exact, batch)
        except UserError:  # written for float32
            return False
        rows = compare_gradients(found, self.autograd_gradients(exact, batch)[1])
        return not any(row.is_wrong for row in rows)

    def wrong_update(self, state, batch, gradients, step):
        rate, true_rate = self.rate(step), 0.1 if 2 * step < self.max_steps else 0.01
        if not math.isclose(rate, true_rate, rel_tol=TRAINING_RTOL):
            return f"the learning rate is {rate:g} instead of {true_rate:g}", "learning_rate"
        before = dict(state["parameters"])
        updated = self.updated(state, gradients, true_rate)
        self.own_steps(state, [batch], step)
        for function, row, after in (
            ("update", "update", updated),
            ("train", "trajectory", state["parameters"].values()),
        ):
            for (name, old), new in zip(before.items(), after, strict=True):
                gradient = gradients[name]
                allowed = 1e-3 * true_rate * gradient.abs().max() + 1e-6 * old.abs().max()
                if not (new - (old - true_rate * gradient)).abs().max() <= allowed:
                    what = f"`{function}` changes `{name}` in another way than gradient descent"
                    return f"the gradients are right, and {what}", row
        return "", ""

    def losses(self, state):
        statistics = self.call("calibrate", state, self.data.sets["train"][0])
        return {name: self.split_loss(state, statistics, X, Y) for name, (X, Y) in self.data.sets.items()}

    def samples(self, state, generator, count):
        statistics = self.call("calibrate", state, self.data.sets["train"][0])
        return [self.data.text(self.tokens(state, statistics, generator)) for _ in range(count)]


def not_written(acts):
    """The names of the functions that are missing, after all `acts` were tried."""
    missing = []
    for act in acts:
        try:
            act()
        except NotWritten as error:
            missing.append(f"`{error.function}`")
    return ", ".join(dict.fromkeys(missing))


def number(value, function):
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        raise UserError(f"`{function}` must return a number where it returned {kind(value)}.") from None


def kind(value):
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None (is there a `return`?)" if value is None else f"a {type(value).__name__}"


def network(student, steps, hidden):
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    return (own_network.OwnNetwork if student.has("forward") else LectureNetwork)(student, steps, hidden)
