"""Three networks of about the same size on the same names, from finished runs of `dojo train`: a table and a plot.

    dojo train solutions/07_training --steps 42000
    dojo train solutions/16_through_time
    dojo train solutions/15_gpt
    python -m bench.networks my-training --write docs/training-networks.svg

The x-axis counts the characters that were predicted, because the MLP's batches have 32 characters and those of the
others 32 names. A point of a curve is the mean loss of a fiftieth of the run, a circle the validation loss at the end.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from grader.authoring.figures.svg import Drawing
from grader.dojo.training import LOG, load_checkpoint
from grader.errors import UserError

BATCH, POINTS = 32, 50
NETWORKS = {
    "07": ("MLP, lesson 07", "blue", ""),
    "16": ("recurrent, lesson 16", "orange", " dashed"),
    "15": ("transformer, lesson 15", "ink", " dotted"),
}
WIDTH, HEIGHT, LEFT, TOP = 430, 300, 44, 74
LOW, HIGH = 1.6, 2.5


class Run(NamedTuple):
    parameters: str
    steps: int
    characters: float  # in all batches together
    seconds: float
    losses: list[float]
    train: str
    validation: str


def read_run(folder: Path) -> Run:
    """What a finished run left in `folder`. Raises UserError."""
    kept, log = load_checkpoint(folder), (folder / LOG).read_text(encoding="utf-8")
    losses = dict(re.findall(r"^(train|validation) +loss (\S+)", log, re.M))
    if len(losses) < 2:
        raise UserError(f"{folder} holds no finished run: `python -m bench.networks --help` says how to make it.")
    parameters = re.findall(r"^([\d,]+) parameters", log, re.M)[0]
    of_names = bool(re.search(r" test names$", log, re.M))  # of each name, the characters and its end are predicted
    batch = BATCH * (characters_per_name() if of_names else 1.0)
    steps = kept["steps"]
    return Run(
        parameters,
        steps,
        steps * batch,
        kept["seconds"][0],
        kept["losses"].tolist(),
        losses["train"],
        losses["validation"],
    )


def characters_per_name() -> float:
    """Of the list that lesson 07 ships, the end of a name included."""
    words = (Path(__file__).parents[1] / "exercises" / "07_training" / "names.txt").read_text(encoding="utf-8").split()
    return 1 + sum(map(len, words)) / len(words)


def table(runs: dict[str, Run]) -> str:
    lines = ["| network | parameters | steps | characters | processor time | train loss | validation loss |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, run in runs.items():
        time = f"{run.seconds:.0f} s, {1e3 * run.seconds / run.steps:.1f} ms per step"
        cells = (NETWORKS[name][0], run.parameters, f"{run.steps:,}", f"{run.characters:,.0f}", time)
        lines.append(f"| {' | '.join((*cells, run.train, run.validation))} |")
    return "\n".join(lines)


def picture(runs: dict[str, Run]) -> str:
    most = max(run.characters for run in runs.values())
    across, down = WIDTH - LEFT - 16, HEIGHT - TOP - 42
    ends = ", ".join(f"{NETWORKS[name][0]}: {run.validation}" for name, run in runs.items())
    drawing = Drawing(
        WIDTH,
        HEIGHT,
        "Loss of three networks of the same size",
        f"The mean training loss over the characters seen, for three networks. Validation losses at the end: {ends}.",
    )

    def place(characters: float, loss: float) -> tuple[float, float]:
        return LEFT + across * characters / most, TOP + down * (HIGH - min(loss, HIGH)) / (HIGH - LOW)

    for tenth in range(round(10 * LOW), round(10 * HIGH) + 1, 2):
        (left, y), (right, _) = place(0, tenth / 10), place(most, tenth / 10)
        drawing.line([(left, y), (right, y)], "grid thin")
        drawing.text(left - 6, y + 4, f"{tenth / 10:.1f}", "small muted", "end")
    for number in range(0, int(most) + 1, 400_000):
        x, y = place(number, LOW)
        drawing.text(x, y + 16, f"{number:,}", "small muted", "middle")
    drawing.text(LEFT + across / 2, HEIGHT - 8, "characters predicted so far", "small muted", "middle")
    for row, (name, run) in enumerate(runs.items()):
        label, colour, dashes = NETWORKS[name]
        size = len(run.losses) // POINTS
        means = [sum(run.losses[start : start + size]) / size for start in range(0, size * POINTS, size)]
        points = [place((at + 0.5) * run.characters / POINTS, mean) for at, mean in enumerate(means)]
        drawing.line(points, f"{colour}-line thick{dashes}")
        drawing.circle(*place(run.characters, float(run.validation)), 5, f"{colour}-line box thick")
        y = 18 + 17 * row
        drawing.line([(LEFT, y - 4), (LEFT + 30, y - 4)], f"{colour}-line thick{dashes}")
        drawing.text(LEFT + 38, y, f"{label}: ends at {run.validation} in validation", "small ink")
    return drawing.svg()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, help="the folder my-training with the runs of lessons 07, 16 and 15")
    parser.add_argument("--write", type=Path, metavar="SVG", help="where to write the plot")
    given = parser.parse_args()
    try:
        runs = {name: read_run(given.runs if name == "07" else given.runs / name) for name in NETWORKS}
    except UserError as error:
        parser.error(str(error))
    print(table(runs))
    if given.write:
        given.write.write_text(picture(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
