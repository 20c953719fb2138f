"""`dojo train FILE` for a network that the student defines: the example, a wrong gradient, files that fail."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support import ROOT

from grader.commands.dojo import main as dojo

EXAMPLE = ROOT / "exercises" / "07_training" / "my_network.py"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def train(file: Path, steps: int = 12, *more: str) -> Result:
    return CliRunner().invoke(dojo, ["train", str(file), "--steps", str(steps), "--course", str(ROOT), *more])


def changed(folder: Path, old: str, new: str) -> Path:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    (folder / "mine.py").write_text(text.replace(old, new), encoding="utf-8")
    return folder / "mine.py"


def test_the_example_trains_as_autograd_does_and_a_wrong_gradient_shows_where_it_begins(tmp_path):
    result = train(shutil.copy(EXAMPLE, tmp_path / "a_copy.py"), 40)
    assert result.exit_code == 0, result.output
    rows = [line for line in result.output.splitlines() if "approximate:" in line]
    assert len(rows) == 3 * 6 and all("approximate: True" in row for row in rows)
    (largest,) = [line for line in result.output.splitlines() if line.startswith("largest difference of the losses")]
    assert float(largest.split(": ")[1].split()[0]) < 1e-6
    assert (tmp_path / "my-training" / "curve.svg").is_file()
    result = train(changed(tmp_path, "dwave * torch.cos(t.angle)", "dwave * torch.cos(t.wave)"), 12)
    assert result.exit_code == 2
    first = result.output.split("gradients of step 0")[1].split("12:")[0].splitlines()[1:7]
    assert [line.split()[0] for line in first if "approximate: False" in line] == ["angle", "phase", "frequency"]


def test_a_file_that_cannot_be_trained_is_one_sentence(tmp_path):
    summed = '"dphase": dangle.sum(0)'
    for old, new, sentence in (
        (summed, summed.replace("0)", "0, keepdim=True)"), "`dphase` has shape (1, 8); expected (8,)"),
        (f"        {summed},\n", "", "missing: dphase"),
        ('"dwave": dwave', '"dweight": dwave', "`backward` returned `dweight`"),
        ("t.loss = (", "t.end = (", "`forward` must end with `t.loss`"),
        ('"x": x, "y"', '"phase": x, "x": x, "y"', "both return phase"),
        ("torch.sin(t.angle)", "torch.sin(t.angel)", "`t.angel` is read before it is set"),
        ("def learning_rate", "def rate", "no function `learning_rate`"),
    ):
        result = train(changed(tmp_path, old, new))
        message = str(result.exception) + result.output
        assert result.exit_code != 0 and sentence in message, message
        assert "Traceback" not in result.output
