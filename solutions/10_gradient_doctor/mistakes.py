"""Known mistakes of lesson 10. Those of `diagnose` come first, because most rows test it.

They are recognised by their diagnoses. Different mistakes may give the same diagnoses, so their messages say what was
observed and what the cause may be.
"""

from grader.lesson.mistakes import edit, mistake

# diagnose


def doctor(name, message, old, new):
    return edit(f"diagnose__{name}", message, old=old, new=new)


SATURATED = 'if report["activation"] == "tanh":\n        if max(closed_share(h) for h in report["h"]) > 0.5:'
gates_of_relu = doctor(
    "gates_of_relu",
    "A healthy ReLU network is called saturated. Its outputs may be as large as they like: only a tanh has gates that "
    'close. Ask for `report["activation"]` first.',
    SATURATED,
    'if max(closed_share(h) for h in report["h"]) > 0.25:\n'
    '        return "saturated"\n'
    '    if report["activation"] == "tanh":\n'
    '        if max(closed_share(h) for h in report["h"]) > 0.5:',
)
no_saturation = doctor(
    "saturation_missed",
    "Saturated layers are not found. Are gates counted that are closed near -1 as well, and is one sick layer enough? "
    "It need not be closed to the last gate.",
    SATURATED,
    'if report["activation"] == "tanh":\n        if max(closed_share(h) for h in report["h"]) > 1:',
)
mean_of_layers = doctor(
    "saturation_averaged",
    "A network with one saturated layer is not found; where all layers are saturated it is. Does an average over the "
    "layers hide it? Look at the worst one.",
    SATURATED,
    'if report["activation"] == "tanh":\n'
    '        if sum(closed_share(h) for h in report["h"]) / len(report["h"]) > 0.5:',
)
first_layer = doctor(
    "first_gates_only",
    "Saturation is found in the first layer, and not in others. Any layer may be the saturated one.",
    SATURATED,
    'if report["activation"] == "tanh":\n        if closed_share(report["h"][0]) > 0.5:',
)
last_layer = doctor(
    "last_gates_only",
    "Saturation is found in the last layer, and not in others. Any layer may be the saturated one.",
    SATURATED,
    'if report["activation"] == "tanh":\n        if closed_share(report["h"][-1]) > 0.5:',
)
few_gates = doctor(
    "too_worried_about_gates",
    "A healthy tanh network is called saturated. Some closed gates are normal: up to a share of 0.2 of a layer.",
    SATURATED,
    'if report["activation"] == "tanh":\n        if max(closed_share(h) for h in report["h"]) > 0.001:',
)
DEAD = 'elif max(dead_units(h).double().mean() for h in report["h"]) > 0.7:'
one_is_enough = doctor(
    "too_worried_about_dead_units",
    "A healthy ReLU network is called dead. Half of its outputs are zero, and some of its units always: that is "
    "normal. Sick is a layer in which most units are zero for *every* example.",
    DEAD,
    'elif max(dead_units(h).double().mean() for h in report["h"]) >= 0:',
)
no_death = doctor(
    "death_missed",
    "Dead layers are not found (or called by the name of what they bring about). Is one sick layer enough, or does an "
    "average over the layers hide it? And does the batch lie along axis 0?",
    DEAD,
    'elif sum(dead_units(h).double().mean() for h in report["h"]) / len(report["h"]) > 1:',
)
first_dead = doctor(
    "first_units_only",
    "Dead units are found in the first layer, and not in others. Any layer may be the dead one.",
    DEAD,
    'elif dead_units(report["h"][0]).double().mean() > 0.7:',
)
last_dead = doctor(
    "last_units_only",
    "Dead units are found in the last layer, and not in others. Any layer may be the dead one.",
    DEAD,
    'elif dead_units(report["h"][-1]).double().mean() > 0.7:',
)
symptom_first = doctor(
    "symptom_first",
    "You name the symptom. No gradient gets through a dead layer, so the layers before it look as if it vanished: ask "
    "for the dead and the saturated first.",
    'if report["activation"] == "tanh":\n',
    'growth = gradient_growth(gradient_norms(report["dh"]))\n'
    "    if growth < 0.05:\n"
    '        return "vanishing"\n'
    '    if report["activation"] == "tanh":\n',
)
GROWTH = 'growth = gradient_growth(gradient_norms(report["dh"]))'
size_of_gradient = doctor(
    "absolute_size",
    "The size of the gradient decides, and that depends on what the loss is counted in: a healthy network has small "
    "ones if its loss is counted in millions. Compare the layers with each other.",
    GROWTH,
    'growth = gradient_norms(report["dh"])[0]',
)
VANISHING = "if growth < 0.55:"
never_vanishes = doctor("no_vanishing", "Vanishing gradients are not found.", VANISHING, "if growth < 0.0:")
worried = doctor(
    "vanishing_at_once",
    "A healthy network is said to vanish. Its growth per layer is near 1, and may well be 0.8.",
    VANISHING,
    "if growth < 1.0:",
)
never_explodes = doctor(
    "no_exploding", "Exploding gradients are not found.", "if growth > 1.75:", 'if growth == float("inf"):'
)
explodes_at_once = doctor(
    "exploding_at_once",
    "A healthy network is said to explode. Its growth per layer is near 1, and may well be 1.2.",
    "if growth > 1.75:",
    "if growth >= 1.0:",
)
ZEROED = "if last > 1.5 * first:"
never_zeroed = doctor(
    "zeroing_not_checked",
    "Gradients that pile up from step to step are not found: compare the first of the norms by step with the last.",
    ZEROED,
    "if last < 0:",
)
zeroed_inverted = doctor(
    "steps_turned_over",
    "Networks that zero their gradients get the diagnosis `not zeroed`. With the same batch and the same parameters, "
    "what should the norm do from step to step?",
    ZEROED,
    "if last <= 1.5 * first:",
)
zeroed_absolute = doctor(
    "steps_absolute",
    "How much the norm grows from step to step is compared with a fixed number. A difference is large or small beside "
    "the norm itself.",
    ZEROED,
    "if last - first > 1.0:",
)
AVERAGED = "if tripled > 1.5 * once:"
never_averaged = doctor(
    "averaging_not_checked",
    "A loss that was not averaged is not found: compare the norm for the batch with that for the batch three times.",
    AVERAGED,
    "if tripled < 0:",
)
averaged_inverted = doctor(
    "batch_turned_over",
    "You expect the gradient of a mean to grow with the batch. With every example three times, a mean stays as it was.",
    AVERAGED,
    "if tripled <= 1.5 * once:",
)
averaged_absolute = doctor(
    "large_means_a_sum",
    "A large gradient is taken for that of a sum. How large it is depends on what the loss is counted in: compare the "
    "two batches.",
    AVERAGED,
    "if once > 10.0:",
)
FORGOTTEN = "if (claimed - measured).norm() > 0.02 * measured.norm():"
never_forgotten = doctor(
    "slopes_not_compared",
    "A forgotten branch is not found: compare the slopes that the gradient claims with those that were measured.",
    FORGOTTEN,
    "if claimed.numel() == 0:",
)
slopes_absolute = doctor(
    "slopes_absolute",
    "The difference of the slopes is compared with a fixed number, but the loss may be counted in anything. Divide by "
    "the slopes' own size.",
    FORGOTTEN,
    "if (claimed - measured).norm() > 0.1:",
)
slopes_equal = doctor(
    "slopes_exactly_equal",
    "A healthy network is said to forget a branch, since the slopes are not equal to the last digit. A measured slope "
    "has an error of its own.",
    FORGOTTEN,
    "if (claimed != measured).any():",
)


@mistake("Every network is called healthy.")
def diagnose__always_healthy(report):
    return "healthy"


# closed_share


@mistake("Only the gates closed near +1 are counted. A tanh is just as flat near -1.")
def closed_share__one_side(h, threshold=0.97):
    return (h > threshold).double().mean().item()


@mistake("This is the share of the open gates. Return the share of the closed ones.")
def closed_share__open_ones(h, threshold=0.97):
    return (h.abs() <= threshold).double().mean().item()


@mistake("This is a number of gates, not a share. Layers of different sizes can be compared by their shares.")
def closed_share__a_count(h, threshold=0.97):
    return (h.abs() > threshold).sum().item()


@mistake("The threshold does not matter to your function: 0.97 is written into it.")
def closed_share__own_threshold(h, threshold=0.97):
    return (h.abs() > 0.97).double().mean().item()


@mistake("The gates are taken for closed where their derivative is below 0.97. Compare |h| itself with the threshold.")
def closed_share__by_derivative(h, threshold=0.97):
    return ((1 - h**2) < threshold).double().mean().item()


# dead_units


@mistake("A unit that is zero for *one* example is called dead here. Dead is one that is zero for all of them.")
def dead_units__any_example(h):
    return (h == 0).any(0)


@mistake("There is one answer per example. There should be one per unit: reduce along the other axis.")
def dead_units__over_units(h):
    return (h == 0).all(1)


@mistake("These are the living ones. True is to stand where a unit is dead.")
def dead_units__living(h):
    return (h > 0).any(0)


@mistake("This is the number of dead units. Return which units are dead: a tensor of booleans, one per unit.")
def dead_units__how_many(h):
    return (h == 0).all(0).sum()


@mistake("These are the indices of the dead units. Return a tensor of booleans, one per unit.")
def dead_units__numbers(h):
    return (h == 0).all(0).nonzero().flatten()


@mistake(
    "A unit that is only *nearly* silent is called dead. If it is above zero for one example, a gradient comes "
    "through, and it can recover."
)
def dead_units__nearly(h):
    return h.mean(0) < 1e-4


# gradient_norms


@mistake("These are the squares of the norms: the root is missing.")
def gradient_norms__squared(gradients):
    return [gradient.pow(2).sum().item() for gradient in gradients]


@mistake("This is the root of the *mean* square. A norm is the root of the sum.")
def gradient_norms__root_mean_square(gradients):
    return [gradient.pow(2).mean().sqrt().item() for gradient in gradients]


@mistake("These are the standard deviations, from which a mean is taken off. The norm takes the elements as they are.")
def gradient_norms__standard_deviation(gradients):
    return [gradient.std(unbiased=False).item() for gradient in gradients]


@mistake("This is the sum of the absolute values. The norm here is the root of the sum of the squares.")
def gradient_norms__absolute_sum(gradients):
    return [gradient.abs().sum().item() for gradient in gradients]


@mistake("This is the largest element of each layer. The norm is made of all of them.")
def gradient_norms__largest(gradients):
    return [gradient.abs().max().item() for gradient in gradients]


@mistake("All layers are thrown together into one number, so it cannot show where the gradient is lost.")
def gradient_norms__together(gradients):
    return sum(gradient.pow(2).sum() for gradient in gradients).sqrt().item()


# gradient_growth


@mistake("This is the growth on the way forward. The gradient comes from the last layer and arrives at the first.")
def gradient_growth__forward(norms):
    return (norms[-1] / norms[0]) ** (1 / (len(norms) - 1)) if norms[0] else 0.0


@mistake("This is the growth over all layers together. Return the factor for one layer: a root is missing.")
def gradient_growth__not_per_layer(norms):
    return norms[0] / norms[-1]


@mistake("The root is one too high: between L layers there are L - 1 steps.")
def gradient_growth__one_step_too_many(norms):
    return (norms[0] / norms[-1]) ** (1 / len(norms))


@mistake("The growth is divided by the number of steps. Factors multiply: it takes a root, not a quotient.")
def gradient_growth__divided(norms):
    return norms[0] / norms[-1] / (len(norms) - 1)


@mistake(
    "This is the plain average of the layers' factors. Of 4 and 1/4, which undo each other, it makes more than 2; the "
    "geometric one makes 1."
)
def gradient_growth__plain_mean(norms):
    return sum(norms[i] / norms[i + 1] for i in range(len(norms) - 1)) / (len(norms) - 1)


# update_ratios


def ratio(name, message, new):
    return edit(
        f"update_ratios__{name}",
        message,
        old="(learning_rate * gradients[name].norm() / value.norm()).item()",
        new=new,
    )


no_rate = ratio(
    "no_learning_rate",
    "The learning rate is missing: the update is the gradient times the learning rate.",
    "(gradients[name].norm() / value.norm()).item()",
)
upside_down = ratio(
    "turned_over",
    "It is turned over: the update stands above the line, the parameter below.",
    "(value.norm() / (learning_rate * gradients[name].norm())).item()",
)
deviations = ratio(
    "deviations",
    "This is the ratio of standard deviations, which is often shown instead. It should be the ratio of the norms; a "
    "bias or a gain has a mean, too.",
    "(learning_rate * gradients[name].std(unbiased=False) / value.std(unbiased=False)).item()",
)
elementwise = ratio(
    "mean_of_ratios",
    "This is the mean of the elements' ratios: one parameter near zero decides it. Take the norms first.",
    "(learning_rate * gradients[name] / value).abs().mean().item()",
)
logarithm = ratio(
    "logarithm",
    "This is the logarithm of the ratio, which is good for a plot. Return the ratio itself.",
    "(learning_rate * gradients[name].norm() / value.norm()).log10().item()",
)


@mistake(
    "Parameters and gradients are paired by their order in the two dicts, which need not be the same. Pair them by "
    "name."
)
def update_ratios__by_order(parameters, gradients, learning_rate):
    pairs = zip(parameters, parameters.values(), gradients.values(), strict=True)
    return {name: (learning_rate * gradient.norm() / value.norm()).item() for name, value, gradient in pairs}
