"""`%load_ext grader` in a real kernel, with `%%check` above cells; `cmp`: the lecture's row, and what is below it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click.testing
import nbformat
import pytest
import torch
from kits import functions_of, make_kit, solved
from nbclient import NotebookClient
from support import GUARD_SECONDS

import grader
from grader.authoring.release.kit import notebook_of
from grader.commands.grade import main as grade
from grader.dojo.notebook import latest_cells
from grader.lesson.lesson import Course

CMP = """
import torch
from grader import cmp
x = torch.ones(3, 2, requires_grad=True)
y = x * 3
y.retain_grad()
y.sum().backward()
cmp("y", torch.ones(3, 2), y)
cmp("x", -torch.full((3, 2), 3.0), x)
"""


def printed_by(cell: Any) -> str:
    printed = "".join(each["text"] for each in cell["outputs"] if each["output_type"] == "stream")
    return re.sub(r"\x1b\[[0-9;]*m", "", printed)  # its colours


@pytest.mark.full
def test_the_kit_s_notebook_checks_its_cells_as_they_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = make_kit(tmp_path)
    lesson = Course(kit, secrets=False).find("03")
    right = functions_of(solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv"))
    written = json.loads(notebook_of(lesson, lesson.pristine.read_text(), "notebooks/03.ipynb"))
    cells = ["".join(cell["source"]) for cell in written["cells"] if cell["cell_type"] == "code"]
    assert cells[0].endswith("\n%load_ext grader\n") and cells[1].startswith("import torch\n")
    assert cells[2].startswith("%%check 03.dlogprobs\ndef dlogprobs(") and cells[3].startswith("%%check 03.dprobs\n")

    wrong = right["dprobs"].replace("dlogprobs / probs", "half(dlogprobs / probs)")
    sources = [
        *cells[:2],
        f"%%check 03.dlogprobs\n{right['dlogprobs']}",
        "def half(x):\n    return x / 2",
        f"%%check 03.dprobs\n{wrong}",
        f"%%check 03.dprobs\n{right['dprobs']}",
        cells[4],
        "%%check 03.nothing\nx = 1",
        "%%check 03.dprobs\ndef f(:",
        CMP,
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    monkeypatch.chdir(kit)
    NotebookClient(notebook, timeout=GUARD_SECONDS, allow_errors=True, kernel_name="python3").execute()
    shown = [printed_by(cell) for cell in notebook.cells]

    assert shown[0] == shown[1] == ""
    assert shown[2].splitlines()[0].endswith("| exact: True  | approximate: True  | maxdiff: 0       | right ✓")
    printed = shown[4]
    assert (
        "✗ dprobs wrong value  this notebook, cell 4, line 2" in printed  # `half`, which has the slip
        and "forward: logprobs = probs.log()" in printed
    )
    assert "| right ✓" in shown[5]  # the new definition counts, not the one before it
    assert "dcounts_sum_inv | to do" in shown[6]
    assert shown[7].startswith("check: Lesson 03 has no row 'nothing'")
    assert "SyntaxError" in str(notebook.cells[8]["outputs"])
    assert shown[9].startswith("y               | exact: True  | approximate: True  | maxdiff: 0.0\n")
    assert "`dx` is exactly minus what it should be" in shown[9]


@pytest.mark.slow  # pip downloads what a kit needs
def test_the_first_cell_installs_the_kit_in_a_fresh_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in Colab: the zip and a notebook are uploaded; there are PyTorch and Jupyter's kernel, and nothing else."""
    released = click.testing.CliRunner().invoke(grade, ["release", str(tmp_path / "kit"), "--lesson", "03"])
    assert released.exit_code == 0, released.output
    place, python = tmp_path / "content", tmp_path / "fresh" / "bin" / "python"
    place.mkdir()
    (tmp_path / "kit.zip").rename(place / "kit.zip")
    written = nbformat.read(tmp_path / "kit" / "notebooks" / "03_makemore_steps.ipynb", 4)
    shutil.rmtree(tmp_path / "kit")
    subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
    packages = [f"torch=={torch.__version__.partition('+')[0]}", "ipykernel"]
    subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True)
    kernel = tmp_path / "jupyter" / "kernels" / "fresh" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": command, "display_name": "fresh", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.delenv("PYTHONPATH", raising=False)

    cells = [cell.source for cell in written.cells if cell.cell_type == "code"]
    wrong = solved("03", "dlogprobs").replace("= -1.0 / n", "= 1.0 / n")
    tried = f"%%check 03.dlogprobs\n{functions_of(wrong)['dlogprobs']}"
    for restarted in (False, True):  # after a restart the first cell finds the kit installed
        sources = [*cells[:2], tried, cells[3], "import grader, os; print(grader.__file__, os.getcwd())"]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        resources = {"metadata": {"path": str(place)}}
        NotebookClient(notebook, timeout=GUARD_SECONDS, kernel_name="fresh", resources=resources).execute()
        shown = [printed_by(cell) for cell in notebook.cells]
        assert "The sign is flipped" in shown[2] and "deprecated" not in shown[2], restarted
        assert "dprobs          | to do" in shown[3] and str(place / "kit") in shown[4]


def test_the_latest_run_of_a_cell_counts() -> None:
    cells = ["", "import torch", "%%check 03.dprobs\ndprobs = 1", "dprobs = 2", "%timeit f()", "import torch"]
    read = json.loads(latest_cells(cells))
    assert [cell["source"] for cell in read["cells"]] == ["", "", "dprobs = 2", "%timeit f()", "import torch"]


@pytest.fixture(scope="module")
def net() -> dict[str, torch.Tensor]:
    """x @ W + b through tanh, with every gradient kept."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(6, 4, generator=generator)
    W = torch.randn(4, 3, generator=generator, requires_grad=True)
    b = torch.randn(3, generator=generator, requires_grad=True)
    z = x @ W + b
    h = torch.tanh(0.3 * z)
    for value in (z, h):
        value.retain_grad()
    (h**2).sum().backward()
    return {"x": x, "W": W, "b": b, "z": z, "h": h, "dz": z.grad.clone()}


def test_cmp_prints_the_lecture_s_row(net, capsys):
    """As the lecture's notebook has it."""
    for name, dt in (("h", 2 * net["h"].detach()), ("b", net["dz"].sum(0)), ("W", net["x"].T @ net["dz"] + 1)):
        t, maxdiff = net[name], (dt - net[name].grad).abs().max().item()
        ex, app = torch.all(dt == t.grad).item(), torch.allclose(dt, t.grad)
        grader.cmp(name, dt, t)
        expected = f"{name:15s} | exact: {ex!s:5s} | approximate: {app!s:5s} | maxdiff: {maxdiff}\n"
        assert capsys.readouterr().out.startswith(expected)


def test_cmp_tells_what_the_row_does_not(net, capsys):
    x, dz, W = net["x"], net["dz"], torch.ones(2, requires_grad=True)
    dW, h = x.T @ dz, W * 2
    for name, gradient, value, message in (
        ("b", dz.sum(0), net["b"], "\n"),
        (
            "b",
            dz.sum(0, keepdim=True),
            net["b"],
            "are right, their shape is not: (1, 3) where (3,) is expected.",
        ),
        ("b", dz, net["b"], "`db` still needs a sum over axis 0: its shape is (6, 3) where (3,) is expected."),
        ("W", dW.T, net["W"], "`dW` is the transpose of what it should be."),
        ("W", -dW, net["W"], "`dW` is exactly minus what it should be"),
        ("W", dW / 6, net["W"], "`dW` is exactly 0.16667 times what it should be."),
        ("z", torch.zeros(6, 3), net["z"], "Every element of `dz` is zero."),
        ("z", dz / 0, net["z"], "inf, not a finite number."),
        ("z", dz.double(), net["z"], "`dz` is float64 and `z` is float32"),
        ("z", dz.long(), net["z"], "`dz` is int64 and `z` is float32"),
        ("z", dz + (torch.arange(18).view(6, 3) == 4), net["z"], "Worst element [1, 1]: found "),
        ("z", None, net["z"], "`dz` is None; expected a tensor of shape (6, 3)."),
        ("x", x, x, "`x` requires no gradient"),
        ("W", torch.ones(2), W, "W               | `W` has no .grad yet: call loss.backward() first.\n"),
        ("h", torch.ones(2), h, "`h` has no .grad: call h.retain_grad() before loss.backward().\n"),
        ("n", torch.ones(2), 3, "the third argument is a int; expected the tensor `n` of your forward pass.\n"),
    ):
        grader.cmp(name, gradient, value)
        printed = capsys.readouterr().out
        assert message in printed and (message != "\n" or printed.count("\n") == 1), (name, message, printed)
    grader.cmp("z", dz * (1 + 3e-7), net["z"])
    assert "times 1:" not in capsys.readouterr().out
