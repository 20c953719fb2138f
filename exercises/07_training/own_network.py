"""A network that the student defines, for `dojo train FILE`: used if FILE has a function `forward`.

my_network.py is an example, and says what FILE contains.
"""

from contextlib import nullcontext
from types import SimpleNamespace

import torch

from grader.dojo.training import Network
from grader.errors import UserError
from grader.reference.tape import record_forward


class Values(SimpleNamespace):
    """What `forward` calls `t` while training: a plain object. Nothing is cut, so autograd sees the whole pass."""

    def fused(self):
        return nullcontext()


class OwnNetwork(Network):
    def start(self, generator):
        return {"parameters": tensors_of(self.student.call("parameters", generator), "parameters")}

    def draw(self, generator):
        data = self.student.call("batch", generator)
        if not isinstance(data, dict):
            raise UserError(f"`batch` must return a dict {{name: value}}; it returned {type(data).__name__}.")
        return data

    def facts(self, state):
        own = state["parameters"]
        return [f"{sum(value.numel() for value in own.values()):,} parameters: {', '.join(own)}"]

    def rehearse(self, state, batch):
        """Records one forward pass on the tape, and looks at what each function returns."""
        own = state["parameters"]
        if both := sorted(own.keys() & batch.keys()):
            raise UserError(
                f"`parameters` and `batch` both return {', '.join(both)}: give each value a name of its own."
            )
        known = self.autograd_gradients(state, batch)[1]
        for name in self.own_gradients(state, batch)[1]:
            if name not in known:
                names = ", ".join("d" + each for each in known if each != "loss")
                raise UserError(
                    f"`backward` returned `d{name}`, but the forward pass has no such value. It may return {names}."
                )
        self.own_steps(state, [batch], 0)
        return ""

    def rate(self, step):
        try:
            return float(self.student.call("learning_rate", step, self.steps))
        except (TypeError, ValueError):
            raise UserError("`learning_rate` must return a number.") from None

    def own_gradients(self, state, batch):
        """The gradients that `backward` returns, also of values in between."""
        own = state["parameters"]
        with torch.no_grad():
            t = Values(**own, **batch)
            self.student.call("forward", t)
            found = tensors_of(self.student.call("backward", t), "backward")
        if missing := [f"d{name}" for name in own if f"d{name}" not in found]:
            raise UserError(f"`backward` must return a gradient for each parameter; missing: {', '.join(missing)}.")
        return float(t.loss), {key.removeprefix("d"): gradient for key, gradient in found.items()}

    def autograd_gradients(self, state, batch):
        """The gradients of all values of the forward pass, by the tape."""
        graph = record_forward(lambda t: self.student.call("forward", t), {**state["parameters"], **batch})
        if "loss" not in graph.values or graph.values["loss"].ndim:
            raise UserError("`forward` must end with `t.loss`, a tensor with one number and no axis.")
        true = graph.chain({name: torch.ones_like(graph.values[name]) * (name == "loss") for name in graph.sinks})
        return graph.values["loss"].item(), true

    def own_steps(self, state, batches, start):
        own, losses = state["parameters"], []
        for step, batch in enumerate(batches, start):
            loss, found = self.own_gradients(state, batch)
            rate = self.rate(step)
            for name, parameter in own.items():
                if found[name].shape != parameter.shape:
                    shapes = tuple(found[name].shape), tuple(parameter.shape)
                    raise UserError(f"`d{name}` has shape {shapes[0]}; expected {shapes[1]}, the shape of `{name}`.")
                parameter -= rate * found[name]
            losses.append(loss)
        return losses

    def autograd_steps(self, state, batches, start):
        losses = []
        for step, batch in enumerate(batches, start):
            leaves = {name: value.clone().requires_grad_() for name, value in state["parameters"].items()}
            t = Values(**leaves, **batch)
            self.student.call("forward", t)
            gradients = torch.autograd.grad(t.loss, list(leaves.values()), allow_unused=True)
            rate = self.rate(step)
            for parameter, gradient in zip(state["parameters"].values(), gradients, strict=True):
                parameter -= 0 if gradient is None else rate * gradient
            losses.append(t.loss.item())
        return losses


def tensors_of(found, function):
    if not isinstance(found, dict) or not found or not all(isinstance(v, torch.Tensor) for v in found.values()):
        raise UserError(f"`{function}` must return a dict {{name: tensor}} with at least one entry.")
    return dict(found)
