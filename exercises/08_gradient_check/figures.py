"""The pictures of lesson 08, drawn by `grade figures`: the graph of a check, and the errors against the step."""

from math import log10

from grader.authoring.figures.graph import graph_picture
from grader.authoring.figures.svg import Drawing

LEFT, RIGHT, TOP, BOTTOM = 56, 384, 40, 290
SMALLEST, LARGEST = -14, 0  # powers of ten, of the step h
LEAST, MOST = -16, 0  # of the error
READS = {
    "x": (),
    "eps": (),
    "x + eps": ("x", "eps"),
    "x - eps": ("x", "eps"),
    "f(x + eps)": ("x + eps",),
    "f(x - eps)": ("x - eps",),
    "slope": ("f(x + eps)", "f(x - eps)"),
    "dx": (),
    "error": ("slope", "dx"),
    "ok": ("error",),
}


def figures():
    return {"graph.svg": graph(), "step.svg": step()}


def graph():
    """What a first version of `gradient_check` computes for one element of x."""
    shapes = dict.fromkeys(READS, "") | {"x": "one element", "eps": "the step", "dx": "the claim"}
    shapes |= dict.fromkeys(["f(x + eps)", "f(x - eps)"], "a number") | {"ok": "True or False"}
    done = dict.fromkeys(READS, "") | {"slope": "- /", "error": "relative", "ok": "threshold"}
    legend = {"given": "given", "step": "computed, by calling f and by comparing"}
    return graph_picture("A gradient checker", READS, shapes, done, legend=legend)


def step():
    drawing = Drawing(
        400,
        372,
        "The error of a central difference against its step",
        "Both axes are logarithmic. From right to left, the truncation error falls with the square of h, and the "
        "rounding error rises as h becomes smaller. Their sum is smallest near h = 1e-5, where it is about 1e-11.",
    )
    drawing.text(LEFT, 24, "error of the slope", "ink bold")
    for power in range(LEAST, MOST + 1, 4):
        drawing.line([(LEFT, up(power)), (RIGHT, up(power))], "thin grid")
        drawing.text(LEFT - 8, up(power) + 4, f"1e{power}" if power else "1", "code small muted", "end")
    for power in range(SMALLEST, LARGEST + 1, 2):
        drawing.text(across(power), BOTTOM + 18, f"1e{power}" if power else "1", "code small muted", "middle")
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 38, "step h", "ink", "middle")
    steps = [SMALLEST + k / 10 for k in range(10 * (LARGEST - SMALLEST) + 1)]
    both = [(h, log10(10 ** (2 * h) / 6 + 10 ** (-16 - h))) for h in steps]
    truncation = [(h, 2 * h - log10(6)) for h in steps if 2 * h - log10(6) >= LEAST]
    drawing.line([(across(h), up(e)) for h, e in (truncation[0], truncation[-1])], "blue-line thick")
    drawing.line([(across(SMALLEST), up(-16 - SMALLEST)), (across(0), up(-16))], "orange-line thick dashed")
    drawing.text(across(-3.1), up(-6.2), "truncation, h²/6", "small blue bold", "end")
    drawing.text(across(-10.6), up(-3.6), "rounding, 1e-16/h", "small orange bold")
    low, least = min(both, key=lambda each: each[1])
    drawing.circle(across(low), up(least), 5, "box ink-line thick")
    drawing.text(across(low) + 16, up(least) + 5, "best step", "small ink bold")
    drawing.text(14, 356, "For a function whose value and derivatives are near 1, in float64.", "small muted")
    return drawing.svg()


def across(power):
    return LEFT + (power - SMALLEST) / (LARGEST - SMALLEST) * (RIGHT - LEFT)


def up(power):
    return BOTTOM - (power - LEAST) / (MOST - LEAST) * (BOTTOM - TOP)
