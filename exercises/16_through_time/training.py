"""The recurrent network for `dojo train 16`: your functions, called on copies, and what they should return.

Your `gradients` and `clip` are called. Adam and the learning rate are lesson 15's, in its reference.py.
"""

from pathlib import Path

import torch

from grader.dojo.training import TRAINING_RTOL, Network, clone_tensors
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_16")
gpt = reference.gpt()


class RecurrentNetwork(Network):
    lesson = "16"
    from_the_loss = ("bo", "Wo", "Wh", "Wx", "b", "h0", "C")

    def __init__(self, student, steps, hidden):
        super().__init__(student, steps, hidden)
        self.data = gpt.Names()

    def start(self, generator):
        return gpt.start_of(reference.initialise(generator, len(self.data.numbers), self.hidden))

    def draw(self, generator):
        return self.data.draw(generator)

    def facts(self, state):
        sizes = f"{self.hidden} hidden units, {reference.FEATURES} numbers for each character"
        return self.data.facts(state["parameters"], sizes)

    def rehearse(self, state, batch):
        self.own_steps(state, [batch[:2]], 0)
        return ""

    def own_clip(self, gradients, most=gpt.CLIPPED_TO):
        """The gradients that your `clip` returns. Raises UserError if the result has another form."""
        found = self.student.call("clip", gradients, most)
        if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[0], dict):
            raise UserError("To train, `clip` must return (clipped, norm), with `clipped` a dict of all gradients.")
        return found[0]

    def own_gradients(self, state, batch):
        return gpt.own_gradients(self.student, state["parameters"], *self.data.examples(batch))

    def autograd_gradients(self, state, batch):
        return gpt.autograd_gradients(state["parameters"], *self.data.examples(batch), reference.loss_of)

    def own_steps(self, state, batches, start):
        return self.take_steps(state, batches, start, self.own_gradients, self.own_clip)

    def autograd_steps(self, state, batches, start):
        return self.take_steps(state, batches, start, self.autograd_gradients, gpt.clip)

    def take_steps(self, state, batches, start, gradients, clip):
        losses, max_steps = [], gpt.max_steps_of(self.steps)
        for step, batch in enumerate(batches, start):
            loss, found = gradients(state, batch)
            rate = gpt.learning_rate(step, max_steps)
            gpt.adam(**state, slopes=clip(found), step=step, rate=rate, decayed=reference.DECAYED)
            losses.append(loss)
        return losses

    def wrong_update(self, state, batch, gradients, step):
        """With the limit of the run, and with one so small that there is something to clip."""
        norm = torch.cat([gradient.flatten() for gradient in gradients.values()]).norm().item()
        for most in (gpt.CLIPPED_TO, norm / 2):
            clipped, true = self.own_clip(clone_tensors(gradients), most), gpt.clip(clone_tensors(gradients), most)
            for name, value in true.items():
                if not (clipped[name] - value).abs().max() <= TRAINING_RTOL * value.abs().max():
                    return f"the gradients are right, and `clip` makes another `d{name}` of them", "clip"
        return "", ""

    def losses(self, state):
        return {name: float(reference.loss_of(state["parameters"], *both)) for name, both in self.data.sets.items()}

    def samples(self, state, generator, count):
        drawn = [reference.sample(state["parameters"], generator, self.data.length) for _ in range(count)]
        return [self.data.text(tokens) for tokens in drawn]


def network(student, steps, hidden):
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    return RecurrentNetwork(student, steps, hidden)
