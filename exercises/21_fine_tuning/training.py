"""The adapter for `dojo train 21`: your functions, called on copies, and what they should return.

Your `accumulated` and `fine_tune` are called.
"""

from pathlib import Path

import torch

from grader.dojo.training import Network, clone_tensors
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_21")


class Adapter(Network):
    from_the_loss = ("B", "A")
    """No `lesson`: the gradients here are those of `accumulated`, and the row `21.dB` is about one line of it."""

    def __init__(self, student, steps, hidden):
        super().__init__(student, steps, hidden)
        self.data = reference.EndingInA()

    def start(self, generator):
        return reference.start(generator, self.data)

    def draw(self, generator):
        return torch.randint(0, len(self.data.sets["train"][0]), (reference.BATCH,), generator=generator)

    def facts(self, state):
        frozen = float(reference.loss_of([self.data.piece(*self.data.sets["validation"])], **self.before(state)))
        count = sum(value.numel() for value in state["parameters"].values())
        names, batch = len(self.data.sets["train"][0]), reference.BATCH
        return [
            f"{names:,} names that end in a; {batch} per step, in {reference.PIECES} pieces",
            f"{count:,} numbers are trained, {self.data.W.numel():,} are frozen; validation loss before: {frozen:.4f}",
        ]

    def before(self, state):
        parameters = state["parameters"]
        return {"W": self.data.W, "A": parameters["A"], "B": torch.zeros_like(parameters["B"])}

    def rehearse(self, state, batch):
        self.own_steps(state, [batch], 0)
        return ""

    def own_gradients(self, state, batch):
        adapter = clone_tensors(state["parameters"])
        with torch.no_grad():
            found = self.student.call(
                "accumulated", self.data.pieces(batch), self.data.W.clone(), *adapter.values(), reference.ALPHA
            )
        if (
            not isinstance(found, (tuple, list))
            or len(found) != 3
            or not all(torch.is_tensor(each) for each in found[1:])
        ):
            raise UserError("To train, `accumulated` must return (loss, dA, dB).")
        return float(found[0]), {"A": found[1], "B": found[2]}

    def autograd_gradients(self, state, batch):
        return reference.autograd_gradients(self.data.pieces(batch), self.data.W, **state["parameters"])

    def own_steps(self, state, batches, start):
        pieces, adapter = [self.data.pieces(batch) for batch in batches], state["parameters"]
        with torch.no_grad():
            found = self.student.call(
                "fine_tune",
                pieces,
                self.data.W.clone(),
                *clone_tensors(adapter).values(),
                reference.ALPHA,
                reference.RATE,
            )
        if not isinstance(found, (tuple, list)) or len(found) != 3 or len(found[0]) != len(batches):
            raise UserError("To train, `fine_tune` must return (losses, A, B), with one loss per step.")
        adapter["A"], adapter["B"] = found[1:]
        return [float(loss) for loss in found[0]]

    def autograd_steps(self, state, batches, start):
        losses, adapter = [], state["parameters"]
        for batch in batches:
            loss, gradients = self.autograd_gradients(state, batch)
            for name, gradient in gradients.items():
                adapter[name] = adapter[name] - reference.RATE * gradient
            losses.append(loss)
        return losses

    def wrong_update(self, state, batch, gradients, step):
        true = clone_tensors(state)
        self.autograd_steps(true, [batch], step)
        self.own_steps(state, [batch], step)
        for name, value in true["parameters"].items():
            if not torch.allclose(state["parameters"][name], value, rtol=1e-6, atol=1e-9):
                what = f"the gradients are right, and `fine_tune` makes another `{name}` of them"
                return f"{what}: see `dojo check 21.fine_tune`", ""
        return "", ""

    def losses(self, state):
        parts = {name: [self.data.piece(*both)] for name, both in self.data.sets.items()}
        return {
            name: float(reference.loss_of(pieces, self.data.W, **state["parameters"])) for name, pieces in parts.items()
        }

    def samples(self, state, generator, count):
        drawn = [
            reference.sample(self.data.W, **state["parameters"], data=self.data, generator=generator)
            for _ in range(count)
        ]
        return [self.data.names.text(tokens) for tokens in drawn]


def network(student, steps, hidden):
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    return Adapter(student, steps, hidden)
