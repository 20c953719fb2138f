"""The picture of lesson 14, drawn by `grade figures`: how large the gradient is at each of 12 layers, by autograd."""

import math

import torch
import torch.nn.functional as F

from grader.authoring.figures.svg import Drawing

LAYERS, CHANNELS, HIDDEN, BATCH, SEED = 12, 32, 64, 4, 0
LEFT, TOP, WIDTH, HEIGHT = 64, 34, 320, 210
POWERS = range(-3, 4)


def figures():
    return {"layers.svg": layers()}


def norms(residual):
    """The norms of the gradients of h[0] ... h[12], if the last one gets a random gradient."""
    generator = torch.Generator().manual_seed(SEED)

    def normal(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    Ws, Us = normal(LAYERS, CHANNELS, HIDDEN) * CHANNELS**-0.5, normal(LAYERS, HIDDEN, CHANNELS) * HIDDEN**-0.5
    dlast, x = normal(BATCH, CHANNELS), normal(BATCH, CHANNELS)
    with torch.enable_grad():
        states = [x.requires_grad_()]
        for layer in range(LAYERS):
            now = states[-1]
            states.append(F.gelu(now @ Ws[layer]) @ Us[layer] + (now if residual else 0))
        return [float(gradient.norm()) for gradient in torch.autograd.grad(states[-1], states, dlast)]


def layers():
    drawing = Drawing(
        400,
        300,
        "The gradient's norm at each of 12 layers, with and without residual connections",
        "A chart with a logarithmic axis. Both curves begin at the top of the stack with the same gradient. With "
        "residual connections it grows about tenfold on its way to layer 0. Without them it becomes about a thousand "
        "times smaller.",
    )

    def at(layer, norm):
        height = (math.log10(norm) - POWERS[0]) / (POWERS[-1] - POWERS[0])
        return LEFT + WIDTH * layer / LAYERS, TOP + HEIGHT * (1 - height)

    drawing.text(8, 18, "norm of the gradient of h[l]", "ink bold")
    for power in POWERS:
        _, y = at(0, 10.0**power)
        drawing.line([(LEFT, y), (LEFT + WIDTH, y)], "grid thin")
        drawing.text(LEFT - 8, y + 4, f"{10.0**power:g}", "small muted", "end")
    for layer in range(0, LAYERS + 1, 2):
        drawing.text(at(layer, 1)[0], TOP + HEIGHT + 18, str(layer), "small muted", "middle")
    drawing.text(LEFT + WIDTH / 2, TOP + HEIGHT + 40, "layer l (backward: from right to left)", "ink", "middle")
    drawing.line([at(layer, norm) for layer, norm in enumerate(norms(True))], "blue-line thick")
    drawing.line([at(layer, norm) for layer, norm in enumerate(norms(False))], "orange-line thick dashed")
    drawing.text(LEFT + 20, at(0, 300)[1] - 4, "with residual connections", "blue bold")
    drawing.text(LEFT + 130, at(0, 0.004)[1], "without (dashed)", "orange bold")
    return drawing.svg()
