"""Known mistakes of lesson 10. Those of `diagnose` come first, because most rows test it.

They are recognised by their diagnoses. Different mistakes may give the same diagnoses, so their messages say what was
observed and what the cause may be.
"""

from grader.lesson.mistakes import mistake_list

MISTAKES_OF_RUNS = mistake_list("""
[clip_by_norm]
- norm = sum(gradient.pow(2).sum() for gradient in gradients).sqrt()
- factor = limit / norm if norm > limit else 1.0
- return [gradient * factor for gradient in gradients]
each_on_its_own: return [gradient * min(1.0, limit / max(gradient.norm(), 1e-300)) for gradient in gradients]
    Each tensor is shortened on its own, so the update points in another direction. One factor for all of them keeps it.
by_value: return [gradient.clamp(-limit, limit) for gradient in gradients]
    You clip each element. That is clipping by value, and it changes the direction. Clip the norm of all gradients
    together.

- factor = limit / norm if norm > limit else 1.0
always_scaled: factor = limit / norm if norm > 0 else 1.0
    Short gradients are made longer here. If the norm is below the limit, nothing changes.
always_scaled_also_zeros: factor = limit / norm
    Short gradients are made longer here. If the norm is below the limit, nothing changes.
never: factor = 1.0
    The gradients come back as they were, also where their norm is above the limit.
upside_down: factor = norm / limit if norm > limit else 1.0
    The factor is upside down: long gradients become longer.
to_length_one: factor = 1 / norm if norm > limit else 1.0
    The norm becomes 1 here. It should become `limit`.
squared_norm: factor = limit / norm**2 if norm > limit else 1.0
    You divide by the square of the norm. Is a root missing?
other_way: factor = limit / norm if 0 < norm < limit else 1.0
    This is the wrong way round: short gradients change, and long ones stay.

- norm = sum(gradient.pow(2).sum() for gradient in gradients).sqrt()
sum_of_squares: norm = sum(gradient.pow(2).sum() for gradient in gradients)
    The sum of all squares is used as the norm. Is a root missing?
sum_of_norms: norm = sum(gradient.norm() for gradient in gradients)
    You add up the norms of the tensors. The norm of all elements together is smaller: the *squares* add up.
largest_norm: norm = max(gradient.norm() for gradient in gradients)
    You use the norm of one tensor, the largest one. All elements of all tensors count.
largest_element: norm = max(gradient.abs().max() for gradient in gradients)
    You use the largest element. The limit is for the norm of all gradients together.
mean_square: norm = torch.cat([gradient.flatten() for gradient in gradients]).pow(2).mean().sqrt()
    The root of the mean square is used as the norm. A norm is the root of the sum.

[diagnose_run]
- if last < 0.05 * run["know_nothing"]:
-     return "finished"
absolute_loss:
        if last < 0.05:
            return "finished"
    You compare the loss with a fixed number, but it may be counted in any unit. Compare it with `know_nothing`.

- if last < 0.97 * before:
-     return "learning"
any_fall_is_learning:
        if last < before:
            return "learning"
    A plateau is called learning. On a plateau the loss may still fall a little.
""")


MISTAKES = mistake_list("""
[diagnose]
- if report["activation"] == "tanh":
-     if max(closed_share(h) for h in report["h"]) > 0.5:
gates_of_relu:
        if max(closed_share(h) for h in report["h"]) > 0.25:
            return "saturated"
        if report["activation"] == "tanh":
            if max(closed_share(h) for h in report["h"]) > 0.5:
    A healthy ReLU network is called saturated. Its outputs may be as large as they like: saturation is an illness of
    tanh layers. Where do you ask for `report["activation"]`?
saturation_missed:
        if report["activation"] == "tanh":
            if max(closed_share(h) for h in report["h"]) > 1:
    Saturated layers are not found. Are gates counted that are closed near -1 as well, and is one sick layer enough? A
    layer is sick before its last gate is closed.
saturation_averaged:
        if report["activation"] == "tanh":
            if sum(closed_share(h) for h in report["h"]) / len(report["h"]) > 0.5:
    A network with one saturated layer is not found; where all layers are saturated it is. Does an average over the
    layers hide it? Look at the worst one.
first_gates_only:
        if report["activation"] == "tanh":
            if closed_share(report["h"][0]) > 0.5:
    Saturation is found in the first layer, and not in others. Any layer may be the saturated one.
last_gates_only:
        if report["activation"] == "tanh":
            if closed_share(report["h"][-1]) > 0.5:
    Saturation is found in the last layer, and not in others. Any layer may be the saturated one.
too_worried_about_gates:
        if report["activation"] == "tanh":
            if max(closed_share(h) for h in report["h"]) > 0.001:
    A healthy tanh network is called saturated. Some closed gates are normal: up to a share of 0.2 of a layer.

- elif max(dead_units(h).double().mean() for h in report["h"]) > 0.7:
too_worried_about_dead_units: elif max(dead_units(h).double().mean() for h in report["h"]) >= 0:
    A healthy ReLU network is called dead. About half of its outputs are zero, and some units may always be: that is
    normal. Sick is a layer in which most units are zero for *every* example.
death_missed: elif sum(dead_units(h).double().mean() for h in report["h"]) / len(report["h"]) > 1:
    Dead layers are not found (or called by the name of what they bring about). Is one sick layer enough, or does an
    average over the layers hide it? And does the batch lie along axis 0?
first_units_only: elif dead_units(report["h"][0]).double().mean() > 0.7:
    Dead units are found in the first layer, and not in others. Any layer may be the dead one.
last_units_only: elif dead_units(report["h"][-1]).double().mean() > 0.7:
    Dead units are found in the last layer, and not in others. Any layer may be the dead one.

- if report["activation"] == "tanh":
symptom_first:
        growth = gradient_growth(gradient_norms(report["dh"]))
        if growth < 0.05:
            return "vanishing"
        if report["activation"] == "tanh":
    The symptom is named, not the cause. No gradient gets through a dead layer, so in the layers before it the
    gradient seems to vanish. Are dead and saturated layers asked for first?

- growth = gradient_growth(gradient_norms(report["dh"]))
absolute_size: growth = gradient_norms(report["dh"])[0]
    The size of the gradient decides, and that depends on what the loss is counted in: a healthy network has small
    gradients if its loss is counted in millions. Compare the layers with each other.

- if growth < 0.55:
no_vanishing: if growth < 0.0:
    Vanishing gradients are not found.
vanishing_at_once: if growth < 1.0:
    A healthy network is said to vanish. Its growth per layer is near 1, and may well be 0.8.

- if growth > 1.75:
no_exploding: if growth == float("inf"):
    Exploding gradients are not found.
exploding_at_once: if growth >= 1.0:
    A healthy network is said to explode. Its growth per layer is near 1, and may well be 1.2.

- if last > 1.5 * first:
zeroing_not_checked: if last < 0:
    Gradients that pile up from step to step are not found. How much larger is the last of the norms by step than the
    first?
steps_turned_over: if last <= 1.5 * first:
    Networks that zero their gradients get the diagnosis `not zeroed`. With the same batch and the same parameters, what
    should the norm do from step to step?
steps_absolute: if last - first > 1.0:
    How much the norm grows from step to step is compared with a fixed number. A difference is large or small only
    compared with the norm itself.

- if tripled > 1.5 * once:
averaging_not_checked: if tripled < 0:
    Losses that were not averaged are not found. Do you compare the norm for the batch with that for the batch three
    times, with room for rounding?
batch_turned_over: if tripled <= 1.5 * once:
    Averaged losses get the diagnosis `not averaged`. With every example three times, what should the gradient of a mean
    do?
large_means_a_sum: if once > 10.0:
    A large gradient is taken for that of a sum. How large it is depends on what the loss is counted in: compare the two
    batches.

- if (claimed - measured).norm() > 0.02 * measured.norm():
slopes_not_compared: if claimed.numel() == 0:
    A forgotten branch is not found. Are all slopes that the gradient claims compared with those that were measured?
slopes_absolute: if (claimed - measured).norm() > 0.1:
    The difference of the slopes is compared with a fixed number, but the loss may be counted in anything. Divide by the
    slopes' own size.
slopes_exactly_equal: if (claimed != measured).any():
    A healthy network is said to forget a branch. Must the slopes be equal to the last digit? A measured slope has an
    error of its own.

[diagnose]
always_healthy: "healthy"
    Sick networks are called healthy.

[closed_share]
one_side: (h > threshold).double().mean().item()
    Only the gates closed near +1 are counted. A tanh is just as flat near -1.
own_threshold: (h.abs() > 0.97).double().mean().item()
    The threshold does not matter to your function: 0.97 is written into it.
by_derivative: ((1 - h**2) < threshold).double().mean().item()
    The gates are taken for closed where their derivative is below the threshold. Compare |h| itself with the threshold.

[dead_units]
over_units: (h == 0).all(1)
    There is one answer per example. There should be one per unit: reduce along the other axis.
numbers: (h == 0).all(0).nonzero().flatten()
    These are the indices of the dead units. Return a tensor of booleans, one per unit.
most_examples: (h == 0).double().mean(0) > 0.9
    A unit is called dead that is zero for most examples, but not for all. A single example above zero is enough:
    through it a gradient comes back.
nearly: h.mean(0) < 1e-4
    A unit that is only *nearly* silent is called dead. If it is above zero for one example, a gradient comes through,
    and it can recover.

[gradient_norms]
squared: [gradient.pow(2).sum().item() for gradient in gradients]
    These are the squares of the norms: the root is missing.
standard_deviation: [gradient.std(unbiased=False).item() for gradient in gradients]
    These are the standard deviations: the mean is subtracted, and the squares are averaged. The norm takes the elements
    as they are.
absolute_sum: [gradient.abs().sum().item() for gradient in gradients]
    This is the sum of the absolute values. The norm here is the root of the sum of the squares.
largest: [gradient.abs().max().item() for gradient in gradients]
    This is the largest element of each layer. The norm is made of all of them.

[gradient_growth]
one_step_too_many: (norms[0] / norms[-1]) ** (1 / len(norms))
    The root is one too high: between L layers there are L - 1 steps.
divided: norms[0] / norms[-1] / (len(norms) - 1)
    The growth is divided by the number of steps. Factors multiply: it takes a root, not a quotient.
plain_mean_of_all: sum(norms[i] / norms[i + 1] for i in range(len(norms) - 1)) / (len(norms) - 1)
    This is the plain average of the layers' factors. Of 4 and 1/4, which undo each other, it makes more than 2; the
    geometric one makes 1.
plain_mean: sum(norms[i] / norms[i + 1] for i in range(len(norms) - 1)) / (len(norms) - 1) if norms[0] else 0.0
    This is the plain average of the layers' factors. Of 4 and 1/4, which undo each other, it makes more than 2; the
    geometric one makes 1.

[update_ratios]
- (learning_rate * gradients[name].norm() / value.norm()).item()
no_learning_rate: (gradients[name].norm() / value.norm()).item()
    The learning rate is missing: the update is the gradient times the learning rate.
turned_over: (value.norm() / (learning_rate * gradients[name].norm())).item()
    The fraction is upside down: divide the update's norm by the parameter's.
deviations: (learning_rate * gradients[name].std(unbiased=False) / value.std(unbiased=False)).item()
    This is the ratio of standard deviations, which is often shown instead. It should be the ratio of the norms; a bias
    or a gain has a mean, too.
norm_of_quotients: (learning_rate * gradients[name] / value).norm().item()
    This is the norm of the elements' ratios: one element near zero can decide it. Take the norms first.
mean_of_ratios: (learning_rate * gradients[name] / value).abs().mean().item()
    This is the mean of the elements' ratios: one element near zero can decide it. Take the norms first.
logarithm: (learning_rate * gradients[name].norm() / value.norm()).log10().item()
    This is the logarithm of the ratio, which is good for a plot. Return the ratio itself.

[update_ratios]
by_order:
        pairs = zip(parameters, parameters.values(), gradients.values(), strict=True)
        {name: (learning_rate * gradient.norm() / value.norm()).item() for name, value, gradient in pairs}
    Parameters and gradients are paired by their order in the two dicts, which need not be the same. Pair them by name.
""")
