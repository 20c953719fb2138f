"""The training run of the GPT with your gradients, and autograd's next to it. `dojo train 15` runs this file.

You write nothing here or in reference.py: they call the functions of your backward.py.
"""

import math
from pathlib import Path

import torch

from grader.dojo.training.contract import TRAINING_RTOL
from grader.dojo.training.model_run import ModelRun, clone_tensors, missing_function
from grader.dojo.training.model_training import run_model
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_15")


class GPTRun(ModelRun):
    lesson, model = "15", "a GPT"
    from_the_loss = ("gain3", "W2", "W1", "gain2", "Wo", "Wv", "Wq", "Wk", "gain1", "wpe", "wte")
    arguments, batch = (reference.HEADS,), reference.BATCH
    loss_of = staticmethod(reference.loss_of)
    autograd_gradients = staticmethod(reference.autograd_gradients)

    @property
    def max_steps(self):
        return reference.max_steps_of(self.options.steps)

    def initialise(self, generator):
        return reference.initialise(generator, len(self.names.numbers), self.names.length, self.options.hidden)

    def description(self):
        return f"{reference.LAYERS} blocks, {reference.HEADS} heads, {reference.CHANNELS} channels"

    def rehearse(self):
        """Calls everything on a small batch first, so that no long run ends because of a slip."""
        X, Y = (part[:2] for part in self.names.sets["train"])
        parameters = self.own["parameters"]
        gradients = self.own_gradients(clone_tensors(parameters), X, Y)[1]
        self.student.call("clip", clone_tensors(gradients), 1.0)
        self.student.call("learning_rate", 0, self.max_steps)
        self.own_steps(clone_tensors(self.own), [torch.tensor([0, 1])], self.step)
        generator = torch.Generator().manual_seed(0)
        return missing_function(self.student, "sample", clone_tensors(parameters), reference.HEADS, generator)

    def own_steps(self, state, batches, start):
        X, Y = self.names.sets["train"]
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

    def autograd_steps(self, state, batches, start):
        return reference.autograd_train(state, *self.names.sets["train"], batches, self.max_steps, start)

    def wrong_update(self, gradients):
        step, most = self.step, self.max_steps
        rate, true_rate = float(self.student.call("learning_rate", step, most)), reference.learning_rate(step, most)
        if not math.isclose(rate, true_rate, rel_tol=TRAINING_RTOL):
            return f"the learning rate is {rate:g} instead of {true_rate:g}", "learning_rate"
        clipped = reference.clip(clone_tensors(gradients))
        state, true = clone_tensors(self.own), clone_tensors(self.own)
        reference.adam(**true, slopes=clipped, step=step, rate=true_rate)
        with torch.no_grad():
            arguments = [state[name] for name in ("parameters", "means", "squares")]
            self.student.call(
                "adam", arguments[0], clone_tensors(clipped), *arguments[1:], step, true_rate, reference.DECAY
            )
        for name, value in true["parameters"].items():
            if not (state["parameters"][name] - value).abs().max() <= TRAINING_RTOL * true_rate:
                return f"the gradients are right, and `adam` changes `{name}` in another way than AdamW", "adam"
        return "", ""

    def draw_name(self, generator):
        return self.student.call("sample", clone_tensors(self.own["parameters"]), reference.HEADS, generator)


def run(student, options, watch, kept=None):
    """Trains, evaluates and draws names. See grader/dojo/training/contract.py for what it is given and returns."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    names = reference.Names(Path(options.names) if options.names else None)
    return run_model(GPTRun(student, options, names, kept), watch, resumed=bool(kept))
