"""The training run of the recurrent network with your gradients, and autograd's next to it: what `dojo train 16` runs.

Your `gradients` and `clip` are called. Adam and the learning rate are lesson 15's, in its reference.py.
"""

from pathlib import Path

import torch

from grader.dojo.training.contract import TRAINING_RTOL
from grader.dojo.training.model_run import ModelRun, clone_tensors
from grader.dojo.training.model_training import run_model
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_16")
gpt = reference.gpt()


class RecurrentRun(ModelRun):
    lesson, model = "16", "a recurrent network"
    from_the_loss = ("bo", "Wo", "Wh", "Wx", "b", "h0", "C")
    batch = reference.BATCH
    loss_of = staticmethod(reference.loss_of)

    def initialise(self, generator):
        return reference.initialise(generator, len(self.names.numbers), self.options.hidden)

    def description(self):
        return f"{self.options.hidden} hidden units, {reference.FEATURES} numbers for each character"

    def rehearse(self):
        """Calls everything on a small batch first, so that no long run ends because of a slip."""
        self.own_steps(clone_tensors(self.own), [torch.tensor([0, 1])], self.step)
        return ""

    def own_clip(self, gradients, most=gpt.CLIPPED_TO):
        """The gradients that your `clip` returns. Raises UserError if the result has another form."""
        found = self.student.call("clip", gradients, most)
        if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[0], dict):
            raise UserError("To train, `clip` must return (clipped, norm), with `clipped` a dict of all gradients.")
        return found[0]

    def own_steps(self, state, batches, start):
        return self.steps(state, batches, start, lambda *given: self.own_gradients(*given), self.own_clip)

    def autograd_steps(self, state, batches, start):
        return self.steps(state, batches, start, self.autograd_gradients, gpt.clip)

    def steps(self, state, batches, start, gradients, clip):
        (X, Y), losses = self.names.sets["train"], []
        max_steps = gpt.max_steps_of(self.options.steps)
        for step, ix in enumerate(batches, start):
            loss, found = gradients(state["parameters"], X[ix], Y[ix])
            rate = gpt.learning_rate(step, max_steps)
            gpt.adam(**state, slopes=clip(found), step=step, rate=rate, decayed=reference.DECAYED)
            losses.append(loss)
        return losses

    def autograd_gradients(self, parameters, X, Y):
        return gpt.autograd_gradients(parameters, X, Y, reference.loss_of)

    def wrong_update(self, gradients):
        """With the limit of the run, and with one so small that there is something to clip."""
        norm = torch.cat([gradient.flatten() for gradient in gradients.values()]).norm().item()
        for most in (gpt.CLIPPED_TO, norm / 2):
            clipped, true = self.own_clip(clone_tensors(gradients), most), gpt.clip(clone_tensors(gradients), most)
            for name, value in true.items():
                if not (clipped[name] - value).abs().max() <= TRAINING_RTOL * value.abs().max():
                    return f"the gradients are right, and `clip` makes another `d{name}` of them", "clip"
        return "", ""

    def draw_name(self, generator):
        return reference.sample(self.own["parameters"], generator, self.names.length)


def run(student, options, watch, kept=None):
    """Trains, evaluates and draws names. See grader/dojo/training/contract.py for what it is given and returns."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    names = gpt.Names(Path(options.names) if options.names else None)
    return run_model(RecurrentRun(student, options, names, kept), watch, resumed=bool(kept))
