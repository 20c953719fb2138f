"""`%load_ext grader` in a real kernel, with `%%check` above cells; `cmp`: the lecture's row, and what is below it."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from click.testing import CliRunner
from kits import bare_environment, functions_of, make_kit, solved
from nbclient import NotebookClient
from support import GUARD_SECONDS, ROOT

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
    written = json.loads(notebook_of(lesson, lesson.pristine.read_text()))
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


@pytest.fixture
def website(tmp_path: Path) -> Iterator[str]:
    """The address of a local file server for tmp_path/kit."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "kit"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.full
@pytest.mark.parametrize("is_uploaded", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["website", "upload"])
def test_the_first_cell_installs_the_kit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, website: str, is_uploaded: bool
) -> None:
    """As in Colab: there are PyTorch and Jupyter's kernel, but not this project, and an empty folder."""
    url = [] if is_uploaded else ["--url", website]
    released = CliRunner().invoke(grade, ["release", str(tmp_path / "kit"), "--lesson", "01", *url])
    assert released.exit_code == 0, released.output
    written = nbformat.read(tmp_path / "kit" / "notebooks" / "01_chain_rule.ipynb", 4)
    assert written.cells[2].source.startswith("# Lesson 01: ") and "](data:image/svg+xml;" in written.cells[2].source
    place, python = tmp_path / "content", bare_environment(tmp_path / "fresh")
    place.mkdir()
    if is_uploaded:
        (tmp_path / "kit.zip").rename(place / "kit.zip")
    kernel = tmp_path / "jupyter" / "kernels" / "fresh" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": command, "display_name": "fresh", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # all that a kit needs is there
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip means: no isolation
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("PYTHONPATH", raising=False)

    lesson = Course(ROOT).find("01")
    answers = functions_of(solved("01", *lesson.functions))
    answers["dq"] = "def dq(dadded):\n    return -dadded"
    for cell in written.cells:
        row = re.match(r"%%check 01\.(\w+)\n", cell.source)
        if row and row[1] != "du":  # which is left as it is
            cell.source = row[0] + answers[row[1]]
    resources = {"metadata": {"path": str(place)}}
    NotebookClient(written, timeout=GUARD_SECONDS, kernel_name="fresh", resources=resources).execute()
    set_up, *cells = [cell for cell in written.cells if cell.cell_type == "code"]
    shown = {cell.source.split("\n")[0]: printed_by(cell) for cell in cells}
    assert set_up.outputs == [] and "| right ✓" in shown["%%check 01.dp"]
    assert "The sign is flipped" in shown["%%check 01.dq"] and "deprecated" not in shown["%%check 01.dq"]
    assert "| to do" in shown["%%check 01.du"]
    assert "28 of 30 right, 1 wrong, 1 to do · 30 of 32 points\n" in printed_by(cells[-1])

    first = set_up, *cells[:2]
    again = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.source) for cell in first])
    NotebookClient(again, timeout=GUARD_SECONDS, kernel_name="fresh", resources=resources).execute()
    assert "| right ✓" in printed_by(again.cells[2])  # after a restart the first cell finds the kit installed
    hint = [python.with_name("dojo"), "hint", "01.du"]
    assert "du" in subprocess.run(hint, cwd=place / "kit", capture_output=True, text=True, check=True).stdout


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
