"""Your functions as the training run calls them: on copies, and with checks of what they return."""

from pathlib import Path

import torch

from grader.dojo.training.own_file import NotWritten
from grader.errors import UserError
from grader.lesson.course_modules import load_module

lecture = load_module(Path(__file__).with_name("lecture.py"), "backprop_ninja_lecture")
TRAINING_ACTS = 4  # without these, nothing can be trained


class Batches(list):
    """The batches of some steps; they come to an end early when the run is to stop."""

    def __init__(self, batches, watch=None):
        super().__init__(batches)
        self._watch = watch

    def __iter__(self):
        for batch in super().__iter__():
            if self._watch is not None and self._watch.stopping:
                return
            yield batch


def copies(parameters):
    return [p.detach().clone() for p in parameters]


class Functions:
    """Yours."""

    def __init__(self, student):
        self._student = student

    def gradients(self, parameters, Xb, Yb, look=None):
        """(loss, gradients). `look` gets the function's variables line by line, which takes a while."""
        if look is None:
            found = self._student.call("gradients", copies(parameters), Xb, Yb)
        else:
            found = self._student.call_watched("gradients", look, copies(parameters), Xb, Yb)
        shown = "(loss, [dC, dW1, db1, dW2, db2, dbngain, dbnbias])"
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise UserError(f"`gradients` must return {shown}; it returned {kind(found)}.")
        loss, slopes = found
        if not isinstance(slopes, (tuple, list)) or len(slopes) != 7:
            raise UserError(f"`gradients` must return {shown}; its second value is {kind(slopes)}.")
        for name, slope in zip(lecture.PARAMETERS, slopes, strict=True):
            if not isinstance(slope, torch.Tensor):
                raise UserError(f"`gradients` must return seven tensors; `d{name}` is {kind(slope)}.")
        return number(loss, "gradients"), list(slopes)

    def train(self, parameters, X, Y, batches, max_steps, start, watch=None):
        """(losses, parameters after them); `parameters` themselves stay."""
        changed = copies(parameters)
        losses = self._student.call("train", changed, X, Y, Batches(batches, watch), max_steps, start)
        if not isinstance(losses, (tuple, list, torch.Tensor)):
            raise UserError(f"`train` must return the list of losses, one a step; it returned {kind(losses)}.")
        losses = [number(loss, "train") for loss in losses]
        if len(losses) != len(batches) and not (watch and watch.stopping and len(losses) < len(batches)):
            raise UserError(f"`train` was given {len(batches)} batches and returned {len(losses)} losses: one a step.")
        if losses and all(map(torch.equal, changed, parameters)):
            raise UserError("`train` left the parameters as they were. Does `update` change them in place?")
        return losses, changed

    def learning_rate(self, step, steps):
        return number(self._student.call("learning_rate", step, steps), "learning_rate")

    def update(self, parameters, slopes, rate):
        """The parameters after one update; `parameters` themselves stay."""
        changed = copies(parameters)
        self._student.call("update", changed, copies(slopes), rate)
        return changed

    def calibrate(self, parameters, X):
        return self._student.call("calibrate", copies(parameters), X)

    def split_loss(self, parameters, statistics, X, Y):
        return number(self._student.call("split_loss", copies(parameters), statistics, X, Y), "split_loss")

    def sample(self, parameters, statistics, generator):
        tokens = self._student.call("sample", copies(parameters), statistics, generator)
        try:
            return [int(token) for token in tokens]
        except (TypeError, ValueError):
            raise UserError(
                f"`sample` must return a list of numbers of characters; it returned {kind(tokens)}."
            ) from None

    def rehearse(self, parameters, X, Y, steps):
        """Calls everything once on a small batch, so that no long run ends because of a slip.

        Returns the functions that are not written: (of training, of evaluation).
        """
        hidden = parameters[1].shape[1]
        ix = torch.arange(min(lecture.BATCH, len(X)))
        some = torch.zeros(1, hidden), torch.ones(1, hidden)
        missing = [], []
        acts = (
            lambda: number(self._student.call("learning_rate", 0, steps), "learning_rate"),
            lambda: self.gradients(parameters, X[ix], Y[ix]),
            lambda: self._student.call("update", copies(parameters), copies(parameters), 0.0),
            lambda: self.train(parameters, X, Y, [ix], steps, 0),
            lambda: self.calibrate(parameters, X[ix]),
            lambda: self.split_loss(parameters, some, X[ix], Y[ix]),
            lambda: self.sample(parameters, some, torch.Generator().manual_seed(0)),
        )
        for number_of, act in enumerate(acts):
            try:
                act()
            except NotWritten as error:
                missing[number_of >= TRAINING_ACTS].append(error.function)
        return tuple(list(dict.fromkeys(names)) for names in missing)


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
