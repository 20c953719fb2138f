"""The lecture's training run with your gradients, next to the same run with autograd's: `dojo train` runs it.

You write nothing here, in own_functions.py or in lecture.py: they call the functions of your backward.py.
"""

import hashlib
import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch

from grader.dojo.training.contract import Comparison, Outcome
from grader.dojo.training.own_file import NotWritten, OwnFileError
from grader.errors import UserError
from grader.lesson.course_modules import load_module

judging = load_module(Path(__file__).with_name("judging.py"), "backprop_ninja_judging")
own_network = load_module(Path(__file__).with_name("own_network.py"), "backprop_ninja_own_network")
functions, lecture = judging.functions, judging.lecture
copies = functions.copies

NAMES_TO_DRAW = 20
CHUNK = 100  # steps per call of your `train`: short enough for the progress bar
CENSUS = Path(__file__).with_name("names.txt")

# The run --------------------------------------------------------------------------------------------------------------


@dataclass
class Progress:
    """How far a run is: what a checkpoint holds."""

    parameters: list
    autograd: list | None  # autograd's own parameters
    losses: list
    autograd_losses: list
    comparisons: list  # [(step, rows)]
    seconds: float = 0.0  # of processor time, spent in your `train`
    autograd_seconds: float = 0.0
    sources: list = field(default_factory=list)  # [(step, digest of your file from there on)]
    wrong: str = ""  # what was found wrong first, in a run that goes on all the same

    @classmethod
    def begin(cls, options, vocabulary):
        drawn = lecture.initialise(torch.Generator().manual_seed(options.seed), vocabulary, options.hidden)
        return cls(drawn, copies(drawn) if options.autograd else None, [], [], [])

    @property
    def step(self):
        return len(self.losses)

    def note_source(self, text):
        digest = hashlib.sha256(text.encode()).hexdigest()
        if not self.sources or self.sources[-1][1] != digest:
            self.sources.append((self.step, digest))

    def kept(self, data):
        rows = [(step, [vars(row).copy() for row in rows]) for step, rows in self.comparisons]
        exact = {"dtype": torch.float64}
        return vars(self) | {
            "losses": torch.tensor(self.losses, **exact),
            "autograd_losses": torch.tensor(self.autograd_losses, **exact),
            "comparisons": rows,
            "data": data.digest,
        }

    @classmethod
    def restore(cls, kept, data):
        if kept["data"] != data.digest:
            raise UserError("The names are not those that this run began with. Name their file with --names.")
        kept = {name: value for name, value in kept.items() if name != "data"}
        rows = [(step, [Comparison(**row) for row in rows]) for step, rows in kept["comparisons"]]
        lists = {name: kept[name].tolist() for name in ("losses", "autograd_losses")}
        return cls(**kept | lists | {"comparisons": rows})


def every_so_often(steps):
    """How many steps lie between two lines of the log."""
    return max(1, steps // 20)


def run(student, options, watch, kept=None):
    """Trains, evaluates and draws names. See grader/dojo/training/contract.py for what it is given and returns."""
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    if student.has("forward"):
        return own_network.run(student, options, watch)
    data = lecture.Data.load(Path(options.names) if options.names else CENSUS)
    own = functions.Functions(student)
    progress = Progress.restore(kept, data) if kept else Progress.begin(options, len(data.numbers))
    X, Y = data.sets["train"]
    needed, later = own.rehearse(progress.parameters, X, Y, max_steps_of(options))
    if needed:
        raise UserError(f"{not_written(student, needed)} Training needs {'it' if len(needed) == 1 else 'them'}.")
    outcome = Outcome(f"{options.steps:,} steps with your own gradients", progress.step, options.steps, finished=False)
    watch.start(anew=not kept)
    if not kept:
        for line in counts(data, progress.parameters):
            watch.say(line)
    progress.note_source(student.text)
    try:
        train(own, student, options, watch, data, progress)
    except (OwnFileError, Exploded, judging.WrongStep) as error:
        outcome.problem = str(error)
        if isinstance(error, judging.WrongStep):
            outcome.problem += " To see what it does to the training: dojo train --compare"
        outcome.can_resume = not isinstance(error, Exploded) and progress.step > 0
    outcome.step = progress.step
    if outcome.can_resume:
        watch.keep(options, progress.step, progress.kept(data))
    else:
        watch.forget()
    if progress.step == options.steps and not outcome.problem:
        differences(progress, watch)
        try:
            outcome.finished = evaluate(own, options, watch, data, progress, outcome)
        except NotWritten:
            outcome.problem = f"{not_written(student, later)} Evaluation needs {'it' if len(later) == 1 else 'them'}."
        except UserError as error:
            outcome.problem = str(error)
        except KeyboardInterrupt:
            watch.stopping = True
    tell(outcome, options, data, progress)
    return outcome


class Exploded(Exception):
    """A loss is NaN or infinite."""


def train(own, student, options, watch, data, progress):
    """Takes `progress` to the last step, or to where `watch` stops it."""
    X, Y = data.sets["train"]
    steps, every = options.steps, every_so_often(options.steps)
    compared, judged = compared_at(options), judging.judged_at(options)
    stops = sorted({*compared, *judged})
    generator = torch.Generator().manual_seed(options.seed)
    lecture.initialise(generator, len(data.numbers), options.hidden)  # batches come after them from the same generator
    for _ in range(progress.step):
        lecture.draw_batch(generator, len(X))
    watch.step(progress.step, steps, progress.losses[-1] if progress.losses else math.nan)
    while progress.step < steps and not watch.stopping:
        start = progress.step
        end = min([s for s in stops if s > start] + [start - start % CHUNK + CHUNK, steps])
        batches = [lecture.draw_batch(generator, len(X)) for _ in range(start, end)]
        try:
            if start in compared and all(step != start for step, _ in progress.comparisons):
                put_beside(own, progress, X[batches[0]], Y[batches[0]], watch)
            if start in judged:
                judge(own, student, options, watch, progress, X, Y, batches[0])
            advance(own, progress, X, Y, batches, max_steps_of(options), watch)
        except KeyboardInterrupt:  # a second Ctrl-C, in the middle of a step: back to where this chunk began
            watch.stopping = True
        for step in range(start, progress.step):
            if step % every == 0:
                watch.say(step_line(progress, step, steps))
        if progress.losses:
            watch.step(progress.step, steps, progress.losses[-1])
        if watch.due:
            watch.keep(options, progress.step, progress.kept(data))


def max_steps_of(options):
    """The `max_steps` of the run: the next even number, as `learning_rate` is defined for these alone."""
    return options.steps + options.steps % 2


def compared_at(options):
    if options.compared is not None:
        return sorted({step for step in options.compared if 0 <= step < options.steps})
    last = options.steps - 1
    return sorted({0, options.steps // 4, options.steps // 2, 3 * options.steps // 4, last})


def judge(own, student, options, watch, progress, X, Y, batch):
    """Raises WrongStep, unless the run is to go on: then the log says it once."""
    try:
        judging.judge(own, student, progress.parameters, X, Y, batch, progress.step, max_steps_of(options))
    except judging.WrongStep as wrong:
        if not options.goes_on:
            raise
        if not progress.wrong:
            watch.say(f"✗ {wrong}")
            progress.wrong = str(wrong)


def put_beside(own, progress, Xb, Yb, watch):
    """The `cmp` rows of the step that comes next, both at your parameters."""
    _, found = own.gradients(progress.parameters, Xb, Yb)
    _, expected = lecture.autograd_gradients(progress.parameters, Xb, Yb)
    rows = lecture.compare(found, expected)
    watch.say(f"gradients of step {progress.step}, yours against autograd's:")
    for row in rows:
        watch.say("  " + row.line())
    progress.comparisons.append((progress.step, rows))


def advance(own, progress, X, Y, batches, max_steps, watch):
    """Both runs by as many steps as there are batches, or by as many as Ctrl-C left of them: both or neither."""
    start = progress.step
    began = time.process_time()
    losses, parameters = own.train(progress.parameters, X, Y, batches, max_steps, start, watch)
    between = time.process_time()
    bad = next((i for i, loss in enumerate(losses) if not math.isfinite(loss)), None)
    count = len(losses) if bad is None else bad
    after = {"parameters": parameters, "losses": progress.losses + losses[:count]}
    if progress.autograd is not None:
        beside = copies(progress.autograd)
        found = lecture.autograd_train(beside, X, Y, batches[:count], max_steps, start)
        after |= {"autograd": beside, "autograd_losses": progress.autograd_losses + found}
    after["seconds"] = progress.seconds + between - began
    after["autograd_seconds"] = progress.autograd_seconds + time.process_time() - between
    vars(progress).update(after)  # at once: no Ctrl-C comes between
    if bad is not None:
        raise Exploded(
            f"The loss is {losses[bad]} at step {start + bad:,}: the numbers have exploded. Look at the sign in "
            "`update`, at `learning_rate`, and at the rows of the gradients."
        )


def evaluate(own, options, watch, data, progress, outcome):
    """Calibrates, computes the losses and draws names, for both runs. True when all of it is done."""
    seconds = time.perf_counter()
    runs = {"yours": progress.parameters} | ({"autograd's": progress.autograd} if progress.autograd else {})
    outcome.table_head = ["", "examples", *runs]
    rows = {name: [name, f"{len(Y):,}"] for name, (_, Y) in data.sets.items()}
    for who, parameters in runs.items():
        if watch.stopping:
            return False
        statistics = own.calibrate(parameters, data.sets["train"][0])
        for name, (X, Y) in data.sets.items():
            if watch.stopping:
                return False
            loss = own.split_loss(parameters, statistics, X, Y)
            rows[name].append(f"{loss:.4f}")
            if who == "yours":
                outcome.figures.append((f"{name} loss", f"{loss:.4f}"))
        if who == "yours":
            generator = torch.Generator().manual_seed(options.seed + 10)
            names = [data.text(own.sample(parameters, statistics, generator)) for _ in range(NAMES_TO_DRAW)]
    outcome.table = list(rows.values())
    for row in outcome.table:
        watch.say(f"{row[0]:10s} loss {row[2]}" + (f"   autograd's {row[3]}" if len(row) > 3 else ""))
    known = set(data.words)
    outcome.samples = [(name, name not in known) for name in names]
    watch.say(f"{NAMES_TO_DRAW} names: " + ", ".join(names))
    watch.say(
        f"(training took {spent(progress.seconds)}, autograd's {spent(progress.autograd_seconds)}, "
        f"evaluation {spent(time.perf_counter() - seconds)})"
    )
    return True


# Messages -------------------------------------------------------------------------------------------------------------


def not_written(student, names):
    return f"Not written yet in {student.path}: {', '.join(f'`{name}`' for name in names)}."


def spent(seconds):
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def counts(data, parameters):
    sets = " / ".join(f"{len(Y):,} {name}" for name, (_, Y) in data.sets.items())
    return [
        f"{len(data.words):,} names, {len(data.numbers)} characters: {sets} examples",
        f"{sum(p.numel() for p in parameters):,} parameters",
    ]


def step_line(progress, step, steps):
    line = f"{step:7d}/{steps:7d}: {progress.losses[step]:.4f}"
    if progress.autograd is not None:
        beside = progress.autograd_losses[step]
        line += f"   autograd's {beside:.4f}   difference {abs(progress.losses[step] - beside):.1e}"
    return line


def largest_loss_difference(progress):
    """(difference, step)."""
    pairs = zip(progress.losses, progress.autograd_losses, strict=True)
    return max(((abs(own - other), -step) for step, (own, other) in enumerate(pairs)), default=(0.0, 0))


def largest_parameter_difference(progress):
    """(difference, name)."""
    pairs = zip(progress.parameters, progress.autograd, lecture.PARAMETERS, strict=True)
    return max(((own - other).abs().max().item(), name) for own, other, name in pairs)


def differences(progress, watch):
    if progress.autograd is None:
        return
    loss, step = largest_loss_difference(progress)
    weight, name = largest_parameter_difference(progress)
    watch.say(f"largest difference of the losses from autograd's: {loss:.3g} (at step {-step})")
    watch.say(f"largest difference of the parameters after the last step: {weight:.3g} (in {name})")
    if progress.wrong:
        watch.say(side_by_side(progress))


def side_by_side(progress):
    """What the mistake did to the loss, averaged over the last steps of both runs."""
    last = max(1, len(progress.losses) // 10)
    yours, right = (sum(losses[-last:]) / last for losses in (progress.losses, progress.autograd_losses))
    better = "lower" if yours < right else "higher"
    return (
        f"over the last {last:,} steps: loss {yours:.4f} with your gradients, {right:.4f} with the right ones. Yours "
        f"is {better}, but the gradients are wrong: a loss cannot prove that gradients are right."
    )


def tell(outcome, options, data, progress):
    """Fills in the rest of the page."""
    outcome.losses = progress.losses
    outcome.window = 1000 if options.steps >= 20_000 else max(1, options.steps // 20)
    outcome.comparisons = progress.comparisons
    sets = ", ".join(f"{len(Y):,} {name}" for name, (_, Y) in data.sets.items())
    outcome.facts = [
        ("names", f"{len(data.words):,}, with {len(data.numbers)} characters"),
        ("examples", sets),
        ("parameters", f"{sum(p.numel() for p in progress.parameters):,} ({options.hidden} hidden units)"),
        ("batch", f"{lecture.BATCH} examples a step"),
        ("seed", f"{options.seed} (of parameters and batches)"),
    ]
    if progress.wrong:
        outcome.notes = [progress.wrong, side_by_side(progress)] if progress.autograd_losses else [progress.wrong]
    outcome.notes += [f"Your file was another one before step {step:,}." for step, _ in progress.sources[1:]]
    if not progress.step:
        return
    outcome.facts.append(
        ("your time", f"{spent(progress.seconds)}, {1e6 * progress.seconds / progress.step:.0f} µs a step")
    )
    if progress.autograd is None:
        return
    outcome.reference = progress.autograd_losses
    micro = 1e6 * progress.autograd_seconds / progress.step
    outcome.facts.append(("autograd’s time", f"{spent(progress.autograd_seconds)}, {micro:.0f} µs a step"))
    loss, step = largest_loss_difference(progress)
    outcome.figures.append(("largest difference of a loss from autograd’s", f"{loss:.2g}"))
    outcome.facts.append(("largest difference of a loss", f"{loss:.3g}, at step {-step:,}"))
    if outcome.can_resume:  # otherwise the parameters are gone
        weight, name = largest_parameter_difference(progress)
        outcome.facts.append(("largest difference of a parameter", f"{weight:.3g}, in {name}"))
