"""The training run of the GPT with your gradients, and autograd's next to it. `dojo train 15` runs this file.

Nothing here or in reference.py is yours to write: they call the functions of your backward.py.
"""

import math
import time
from pathlib import Path

import torch

from grader.dojo.training.contract import ROUNDING, Comparison, Outcome
from grader.dojo.training.own_file import NotWritten, OwnFileError
from grader.errors import UserError
from grader.lesson.course_modules import load_module

reference = load_module(Path(__file__).with_name("reference.py"), "backprop_ninja_reference_15")
PARAMETERS = reference.FORWARD.PARAMETERS
FROM_THE_LOSS = ("gain3", "W2", "W1", "gain2", "Wo", "Wv", "Wq", "Wk", "gain1", "wpe", "wte")
CHUNK, FIRST, NAMES_TO_DRAW = 50, 5, 20


class WrongStep(Exception):
    """A step is not what it should be; the text says what, and which command explains it."""


def fresh(tree):
    """A copy of a tensor, or of all tensors in a dict."""
    return {name: fresh(value) for name, value in tree.items()} if isinstance(tree, dict) else tree.detach().clone()


def zeros(parameters):
    return {name: torch.zeros_like(value) for name, value in parameters.items()}


class Run:
    """Where a run is: both models with Adam's averages, and their losses."""

    def __init__(self, options, names, kept=None):
        self.options, self.names = options, names
        if kept is None:
            drawn = reference.initialise(self.generator(), len(names.numbers), names.length, options.hidden)
            self.own = {"parameters": drawn, "means": zeros(drawn), "squares": zeros(drawn)}
            self.beside = fresh(self.own) if options.autograd else None
            self.losses, self.autograd_losses, self.comparisons = [], [], []
            self.seconds = self.autograd_seconds = 0.0
        else:
            if kept["data"] != names.digest:
                raise UserError("The names are not those that this run began with. Name their file with --names.")
            self.own, self.beside = kept["own"], kept["beside"]
            self.losses, self.autograd_losses = kept["losses"].tolist(), kept["autograd_losses"].tolist()
            self.comparisons = [(step, [Comparison(**row) for row in rows]) for step, rows in kept["comparisons"]]
            self.seconds, self.autograd_seconds = kept["seconds"], kept["autograd_seconds"]

    @property
    def step(self):
        return len(self.losses)

    def generator(self):
        return torch.Generator().manual_seed(self.options.seed)

    def kept(self):
        exact = {"dtype": torch.float64}
        rows = [(step, [vars(row).copy() for row in rows]) for step, rows in self.comparisons]
        return {
            "own": self.own,
            "beside": self.beside,
            "losses": torch.tensor(self.losses, **exact),
            "autograd_losses": torch.tensor(self.autograd_losses, **exact),
            "comparisons": rows,
            "seconds": self.seconds,
            "autograd_seconds": self.autograd_seconds,
            "data": self.names.digest,
        }

    def batches(self):
        """All batches of the run, from the first; drawn after the parameters, from the same generator."""
        generator = self.generator()
        reference.initialise(generator, len(self.names.numbers), self.names.length, self.options.hidden)
        while True:
            yield torch.randint(0, len(self.names.sets["train"][0]), (reference.BATCH,), generator=generator)


def run(student, options, watch, kept=None):
    """Trains, evaluates and draws names. See grader/dojo/training/contract.py for what it is given and returns."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    names = reference.Names(Path(options.names) if options.names else None)
    now = Run(options, names, kept)
    later = rehearse(student, now)
    outcome = Outcome(f"{options.steps:,} steps of a GPT", now.step, options.steps, finished=False)
    watch.start(anew=not kept)
    if not kept:
        for line in counts(now):
            watch.say(line)
    try:
        train(student, now, watch)
    except (OwnFileError, WrongStep) as error:
        outcome.problem, outcome.can_resume = str(error), now.step > 0
    except Exploded as error:
        outcome.problem, outcome.can_resume = str(error), False
    outcome.step = now.step
    if outcome.can_resume:
        watch.keep(options, now.step, now.kept())
    else:
        watch.forget()
    if now.step == options.steps and not outcome.problem:
        differences(now, watch, outcome)
        evaluate(student, now, watch, outcome)
        if later:
            outcome.problem = f"Not written yet in {student.path}: `sample`. Names need it."
        else:
            outcome.finished = draw_names(student, now, watch, outcome)
    describe(now, outcome)
    return outcome


class Exploded(Exception):
    """A loss is no number any more."""


def rehearse(student, now):
    """Calls everything once on a small batch, so that no run ends at a slip. Whether `sample` is still to be written.

    Raises UserError where something that training needs is missing.
    """
    X, Y = (part[:2] for part in now.names.sets["train"])
    parameters, heads, steps = now.own["parameters"], reference.HEADS, now.options.steps
    slopes = own_gradients(student, parameters, X, Y)[1]
    student.call("clip", fresh(slopes), 1.0)
    student.call("learning_rate", 0, steps)
    own_train(student, fresh(now.own), now.names.sets["train"], [torch.tensor([0, 1])], steps, now.step)
    try:
        student.call("sample", fresh(parameters), heads, torch.Generator().manual_seed(0))
    except NotWritten:
        return True
    return False


def own_gradients(student, parameters, X, Y):
    """(loss, {name: gradient}). Raises UserError for a result that is of another form."""
    with torch.no_grad():
        found = student.call("gradients", fresh(parameters), X, Y, reference.HEADS)
    shown = "(loss, {name: gradient})"
    if not isinstance(found, (tuple, list)) or len(found) != 2 or not isinstance(found[1], dict):
        raise UserError(f"To train, `gradients` must return {shown}; it returned a {type(found).__name__}.")
    slopes = {}
    for name in PARAMETERS:
        slope = found[1].get(name, found[1].get(f"d{name}"))
        if isinstance(slope, list):
            slope = torch.stack(slope)
        if not isinstance(slope, torch.Tensor):
            raise UserError(f"`gradients` must return {shown}; `{name}` is {type(slope).__name__}.")
        slopes[name] = slope
    return float(found[0]), slopes


def own_train(student, state, examples, batches, steps, start):
    """The losses of your `train`; changes the `state`."""
    X, Y = examples
    with torch.no_grad():
        losses = student.call(
            "train", *(state[name] for name in ("parameters", "means", "squares")), X, Y, batches, steps,
            reference.HEADS, start,
        )  # fmt: skip
    try:
        losses = [float(loss) for loss in losses]
    except (TypeError, ValueError, RuntimeError):
        raise UserError("`train` must return the list of losses, one number per step.") from None
    if len(losses) != len(batches):
        raise UserError(f"`train` was given {len(batches)} batches and returned {len(losses)} losses: one per step.")
    return losses


def train(student, now, watch):
    """Takes the run to its last step, or to where `watch` stops it."""
    options, examples = now.options, now.names.sets["train"]
    every = max(1, options.steps // 20)
    compared = set(options.compared or (0, options.steps // 2, options.steps - 1))
    judged = {*range(FIRST), *range(0, options.steps, every), *compared}
    drawn = now.batches()
    for _ in range(now.step):
        next(drawn)
    while now.step < options.steps and not watch.stopping:
        start = now.step
        end = min([s for s in judged if s > start] + [start - start % CHUNK + CHUNK, options.steps])
        batches = [next(drawn) for _ in range(start, end)]
        try:
            if start in judged:
                judge(student, now, *(part[batches[0]] for part in examples), start in compared, watch)
            advance(student, now, examples, batches)
        except KeyboardInterrupt:  # a second Ctrl-C: back to where this chunk began
            watch.stopping = True
            break
        for step in range(start, now.step):
            if step % every == 0:
                watch.say(step_line(now, step))
        watch.step(now.step, options.steps, now.losses[-1])
        if watch.due:
            watch.keep(options, now.step, now.kept())


def judge(student, now, X, Y, shown, watch):
    """Compares every gradient of the next step with autograd's. Raises WrongStep, unless the run is to go on."""
    parameters, step = now.own["parameters"], now.step
    loss, found = own_gradients(student, parameters, X, Y)
    true_loss, true = reference.autograd_gradients(fresh(parameters), X, Y)
    rows = [comparison(name, found[name], true[name]) for name in PARAMETERS]
    if shown:
        watch.say(f"gradients of step {step}, yours against autograd's:")
        for row in rows:
            watch.say("  " + row.line())
        now.comparisons.append((step, rows))
    wrong = sorted((row for row in rows if row.is_wrong), key=lambda row: FROM_THE_LOSS.index(row.name))
    what = ""
    if not abs(loss - true_loss) <= ROUNDING * abs(true_loss):
        what, row = f"your loss is {loss:.4f} and autograd's is {true_loss:.4f}", "loss"
    elif wrong:
        others = ", ".join(f"d{other.name}" for other in wrong[1:])
        how = wrong[0].note or f"differs from autograd's by {wrong[0].relative:.1%} of its size"
        what, row = f"`d{wrong[0].name}` {how}{f' ({others} too)' if others else ''}", f"d{wrong[0].name}"
    else:
        what, row = wrong_update(student, now, found)
    if not what:
        return
    sentence = f"Step {step:,}: {what}. `dojo check 15.{row}` explains it."
    if not now.options.goes_on:
        raise WrongStep(sentence + " To see what it does to the training: dojo train 15 --compare")
    if sentence not in watch.lines:
        watch.say(f"✗ {sentence}")


def wrong_update(student, now, slopes):
    """(what is wrong with what becomes of right gradients, the row that explains it), or two empty texts."""
    step, steps = now.step, now.options.steps
    rate, true_rate = float(student.call("learning_rate", step, steps)), reference.learning_rate(step, steps)
    if not math.isclose(rate, true_rate, rel_tol=ROUNDING):
        return f"the learning rate is {rate:g} instead of {true_rate:g}", "learning_rate"
    clipped = reference.clip(fresh(slopes))
    state, true = fresh(now.own), fresh(now.own)
    reference.adam(**true, slopes=clipped, step=step, rate=true_rate)
    with torch.no_grad():
        arguments = [state[name] for name in ("parameters", "means", "squares")]
        student.call("adam", arguments[0], fresh(clipped), *arguments[1:], step, true_rate, reference.DECAY)
    for name, value in true["parameters"].items():
        if not (state["parameters"][name] - value).abs().max() <= ROUNDING * true_rate:
            return f"the gradients are right, and `adam` changes `{name}` in another way than AdamW", "adam"
    return "", ""


def comparison(name, found, true):
    shape = tuple(true.shape)
    if found.shape != true.shape:
        note = f"yours has shape {tuple(found.shape)}"
        return Comparison(name, shape, exact=False, approximate=False, maxdiff=None, note=note)
    maxdiff = (found - true).abs().max().item()
    relative = maxdiff / (true.abs().max().item() or 1.0)
    return Comparison(name, shape, torch.equal(found, true), torch.allclose(found, true), maxdiff, relative)


def advance(student, now, examples, batches):
    """Both runs by as many steps as there are batches: both or neither."""
    steps, start = now.options.steps, now.step
    own, began = fresh(now.own), time.perf_counter()
    losses = own_train(student, own, examples, batches, steps, start)
    between, beside, found = time.perf_counter(), None, []
    if now.beside is not None:
        beside = fresh(now.beside)
        between = time.perf_counter()
        found = reference.autograd_train(beside, *examples, batches, steps, start)
    ended = time.perf_counter()
    now.own, now.beside = own, beside
    now.losses, now.autograd_losses = now.losses + losses, now.autograd_losses + found
    now.seconds, now.autograd_seconds = now.seconds + between - began, now.autograd_seconds + ended - between
    if not all(map(math.isfinite, losses)):
        raise Exploded(
            f"The loss is not a number any more at step {now.step:,}. Look at the sign of the step in `adam`."
        )


def models(now):
    return {"yours": now.own} | ({"autograd's": now.beside} if now.beside else {})


def evaluate(student, now, watch, outcome):
    """The losses of both models over all sets, by the lesson's own forward pass."""
    outcome.table_head = ["", "names", *models(now)]
    for name, (X, Y) in now.names.sets.items():
        with torch.no_grad():
            losses = [f"{reference.loss_of(state['parameters'], X, Y):.4f}" for state in models(now).values()]
        outcome.table.append([name, f"{len(X):,}", *losses])
        outcome.figures.append((f"{name} loss", losses[0]))
        watch.say(f"{name:10s} loss {losses[0]}" + (f"   autograd's {losses[1]}" if len(losses) > 1 else ""))


def draw_names(student, now, watch, outcome):
    generator = torch.Generator().manual_seed(now.options.seed + 10)
    try:
        drawn = [
            student.call("sample", fresh(now.own["parameters"]), reference.HEADS, generator)
            for _ in range(NAMES_TO_DRAW)
        ]
        names = [now.names.text(tokens) for tokens in drawn]
    except (OwnFileError, TypeError, ValueError) as error:
        outcome.problem = str(error)
        return False
    known = set(now.names.words)
    outcome.samples = [(name, name not in known) for name in names]
    watch.say(f"{NAMES_TO_DRAW} names: " + ", ".join(names))
    watch.say(f"(training took {spent(now.seconds)}, autograd's {spent(now.autograd_seconds)})")
    return True


# Messages -------------------------------------------------------------------------------------------------------------


def spent(seconds):
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def counts(now):
    sets = " / ".join(f"{len(X):,} {name}" for name, (X, _) in now.names.sets.items())
    size = sum(value.numel() for value in now.own["parameters"].values())
    return [
        f"{len(now.names.words):,} names, {len(now.names.numbers)} characters: {sets} names",
        f"{size:,} parameters: {reference.LAYERS} blocks, {reference.HEADS} heads, {reference.CHANNELS} channels",
    ]


def step_line(now, step):
    line = f"{step:7d}/{now.options.steps:7d}: {now.losses[step]:.4f}"
    if now.beside is not None:
        beside = now.autograd_losses[step]
        line += f"   autograd's {beside:.4f}   difference {abs(now.losses[step] - beside):.1e}"
    return line


def differences(now, watch, outcome):
    if now.beside is None:
        return
    pairs = zip(now.losses, now.autograd_losses, strict=True)
    loss, step = max((abs(own - other), -step) for step, (own, other) in enumerate(pairs))
    own, other = now.own["parameters"], now.beside["parameters"]
    weight, name = max(((own[name] - other[name]).abs().max().item(), name) for name in own)
    watch.say(f"largest difference of the losses from autograd's: {loss:.3g} (at step {-step})")
    watch.say(f"largest difference of the parameters after the last step: {weight:.3g} (in {name})")
    outcome.figures.append(("largest difference of a loss from autograd’s", f"{loss:.2g}"))


def describe(now, outcome):
    """Fills the rest of the page."""
    outcome.losses, outcome.comparisons = now.losses, now.comparisons
    outcome.reference = now.autograd_losses or None
    outcome.window = max(1, now.options.steps // 40)
    outcome.facts = [(part.split(": ")[0], part.split(": ")[1]) for part in counts(now)]
    outcome.facts += [("batch", f"{reference.BATCH} names"), ("seed", f"{now.options.seed}")]
    if now.step:
        outcome.facts.append(("your time", f"{spent(now.seconds)}, {1e3 * now.seconds / now.step:.2f} ms per step"))
    if now.step and now.beside is not None:
        each = 1e3 * now.autograd_seconds / now.step
        outcome.facts.append(("autograd’s time", f"{spent(now.autograd_seconds)}, {each:.2f} ms per step"))
