"""The GPT for `dojo train 15`: your functions, called on copies, and what they should return.

You write nothing here or in reference.py: they call the functions of your backward.py.
"""

import math
from pathlib import Path

import torch

from grader.dojo.training import TRAINING_RTOL, Network, NotWritten, clone_tensors
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_15")


class GPT(Network):
    lesson = "15"
    from_the_loss = ("gain3", "W2", "W1", "gain2", "Wo", "Wv", "Wq", "Wk", "gain1", "wpe", "wte")

    def __init__(self, student, steps, hidden):
        super().__init__(student, steps, hidden)
        self.data, self.max_steps = reference.Names(), reference.max_steps_of(steps)

    def start(self, generator):
        drawn = reference.initialise(generator, len(self.data.numbers), self.data.length, self.hidden)
        return reference.start_of(drawn)

    def draw(self, generator):
        return self.data.draw(generator)

    def facts(self, state):
        sizes = f"{reference.LAYERS} blocks, {reference.HEADS} heads, {reference.CHANNELS} channels"
        return self.data.facts(state["parameters"], sizes)

    def rehearse(self, state, batch):
        """Calls everything on a small batch first, so that no long run ends because of a slip."""
        gradients = self.own_gradients(state, batch[:2])[1]
        self.student.call("clip", clone_tensors(gradients), 1.0)
        self.student.call("learning_rate", 0, self.max_steps)
        self.own_steps(clone_tensors(state), [batch[:2]], 0)
        try:
            self.samples(state, torch.Generator().manual_seed(0), 1)
        except NotWritten as error:
            return f"Not written yet in {self.student.path}: `{error.function}`. Names need it."
        return ""

    def own_gradients(self, state, batch):
        return reference.own_gradients(self.student, state["parameters"], *self.data.examples(batch), reference.HEADS)

    def own_steps(self, state, batches, start):
        X, Y = self.data.sets["train"]
        averages = (state[name] for name in ("parameters", "means", "squares"))
        with torch.no_grad():
            losses = self.student.call(
                "train", *averages, X, Y, batches, self.max_steps, reference.HEADS, start
            )  # fmt: skip
        try:
            losses = [float(loss) for loss in losses]
        except (TypeError, ValueError, RuntimeError):
            raise UserError("`train` must return the list of losses, one number per step.") from None
        if len(losses) != len(batches):
            raise UserError(
                f"`train` was given {len(batches)} batches and returned {len(losses)} losses: one per step."
            )
        return losses

    def autograd_gradients(self, state, batch):
        return reference.autograd_gradients(state["parameters"], *self.data.examples(batch))

    def autograd_steps(self, state, batches, start):
        return reference.autograd_train(state, *self.data.sets["train"], batches, self.max_steps, start)

    def wrong_update(self, state, batch, gradients, step):
        rate = float(self.student.call("learning_rate", step, self.max_steps))
        true_rate = reference.learning_rate(step, self.max_steps)
        if not math.isclose(rate, true_rate, rel_tol=TRAINING_RTOL):
            return f"the learning rate is {rate:g} instead of {true_rate:g}", "learning_rate"
        clipped, true = reference.clip(clone_tensors(gradients)), clone_tensors(state)
        reference.adam(**true, slopes=clone_tensors(clipped), step=step, rate=true_rate)
        with torch.no_grad():
            parameters, means, squares = (state[name] for name in ("parameters", "means", "squares"))
            self.student.call("adam", parameters, clipped, means, squares, step, true_rate, reference.DECAY)
        for name, value in true["parameters"].items():
            if not (state["parameters"][name] - value).abs().max() <= TRAINING_RTOL * true_rate:
                return f"the gradients are right, and `adam` changes `{name}` in another way than AdamW", "adam"
        return "", ""

    def losses(self, state):
        return {name: float(reference.loss_of(state["parameters"], *both)) for name, both in self.data.sets.items()}

    def samples(self, state, generator, count):
        parameters = clone_tensors(state["parameters"])
        drawn = [self.student.call("sample", parameters, reference.HEADS, generator) for _ in range(count)]
        try:
            return [self.data.text(tokens) for tokens in drawn]
        except (TypeError, ValueError):
            raise UserError("`sample` must return a list of numbers of characters.") from None


def network(student, steps, hidden):
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    return GPT(student, steps, hidden)
