"""`dojo train` as it is typed: the lecture's data and network, both runs side by side, what lies in DIR afterwards."""

from __future__ import annotations

import hashlib
import math
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner, Result
from support import GUARD_SECONDS, ROOT, sampled, solution_of, wait_until

from grader.authoring.lesson_sources import stub_of
from grader.commands import console
from grader.commands import dojo as dojo_cli
from grader.dojo.training.contract import CHECKPOINT, LOG, PAGE, load_checkpoint
from grader.dojo.training.own_file import NotWritten, OwnFile, OwnFileError, VariableWatch, blamed_line
from grader.lesson.course_modules import load_module
from grader.publish.report.curve import logarithmic_ticks, plot, smooth

EXERCISE = ROOT / "exercises" / "07_training"
FAST = ROOT / "solutions" / "07_training" / "variants" / "fast.py"
SMALL = ("--steps", "60", "--hidden", "12")
lecture = load_module(EXERCISE / "lecture.py", "lecture_under_test")


@pytest.fixture(scope="module")
def solution(course) -> str:
    return solution_of(course.find("07"))


@pytest.fixture
def own(tmp_path: Path, solution: str) -> Path:
    """A student's right file."""
    (tmp_path / "backward.py").write_text(solution)
    return tmp_path / "backward.py"


@pytest.fixture(scope="module")
def few_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every thirteenth of the names that are shipped: enough for 60 steps, and read in no time."""
    path = tmp_path_factory.mktemp("names") / "names.txt"
    path.write_text("\n".join((EXERCISE / "names.txt").read_text().splitlines()[::13]))
    return path


@pytest.fixture(autouse=True)
def heeding() -> Iterator[None]:
    """Ctrl-C means something, also where these tests were started in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def train(tmp_path: Path, few_names: Path) -> Callable[..., Result]:
    """train(file, ...): `dojo train` on few names, results in out/ of an empty folder."""

    def run(file: Path, *arguments: object) -> Result:
        names = [] if {"--names", "--resume"} & set(arguments) else ["--names", str(few_names)]
        typed = ["train", str(file), "-o", str(tmp_path / "out"), "--course", str(ROOT), *names, *map(str, arguments)]
        result = CliRunner().invoke(dojo_cli.main, typed)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, solution: str, few_names: Path) -> tuple[Result, Path]:
    """A run of 60 steps to its end, by the answer key."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "backward.py").write_text(solution)
    typed = ["train", str(folder / "backward.py"), "-o", str(folder / "out"), "--course", str(ROOT)]
    result = CliRunner().invoke(dojo_cli.main, [*typed, "--names", str(few_names), *SMALL])
    assert result.exit_code == 0, result.output
    return result, folder / "out"


def state(out: Path) -> dict[str, Any]:
    kept = load_checkpoint(out)
    assert kept is not None
    return kept["state"]


def untimed(out: Path) -> list[str]:
    return [line for line in (out / LOG).read_text().splitlines() if not line.startswith("(")]


# Data and network -----------------------------------------------------------------------------------------------------


def test_the_names_that_are_shipped():
    text = (EXERCISE / "names.txt").read_text()
    words = lecture.read_names(EXERCISE / "names.txt")
    assert len(words) == len(set(words)) == 5163
    assert words == sorted(words) and text == "".join(word + "\n" for word in words)
    assert all(re.fullmatch("[a-z]{2,11}", word) for word in words)
    origin = (EXERCISE / "NAMES.md").read_text()
    assert hashlib.sha256(text.encode()).hexdigest() in origin and "5,163" in origin
    data = lecture.Data.load(EXERCISE / "names.txt")
    assert {name: len(Y) for name, (_, Y) in data.sets.items()} == {"train": 28892, "validation": 3640, "test": 3590}
    assert "28,892 / 3,640 / 3,590" in origin


def test_a_data_set_by_hand():
    numbers = lecture.characters(["ab", "b"])
    assert numbers == {".": 0, "a": 1, "b": 2}
    X, Y = lecture.build_dataset(["ab", "b"], numbers)
    assert X.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 2], [0, 0, 0], [0, 0, 2]]
    assert Y.tolist() == [1, 2, 0, 2, 0]


def test_the_split_is_the_lectures():
    words = [f"n{i}" for i in range(57)]
    expected = list(words)
    random.seed(42)
    random.shuffle(expected)
    parts = lecture.split(words)
    assert (parts["train"], parts["validation"], parts["test"]) == (expected[:45], expected[45:51], expected[51:])


@pytest.mark.parametrize(("hidden", "count"), [(200, 12_297), (64, 4_137)])
def test_the_networks_parameters(hidden, count):
    generator = torch.Generator().manual_seed(2147483647)
    parameters = lecture.initialise(generator, 27, hidden)
    assert sum(p.numel() for p in parameters) == count
    assert [tuple(p.shape) for p in parameters] == [
        (27, 10),
        (30, hidden),
        (hidden,),
        (hidden, 27),
        (27,),
        (1, hidden),
        (1, hidden),
    ]
    again = torch.Generator().manual_seed(2147483647)
    assert torch.equal(parameters[0], torch.randn((27, 10), generator=again))
    assert torch.equal(parameters[1], torch.randn((30, hidden), generator=again) * (5 / 3) / (30**0.5))


def test_cmp_looks_at_shapes_and_knows_rounding_from_mistakes():
    generator = torch.Generator().manual_seed(1)
    parameters = lecture.initialise(generator, 27, 12)
    Xb, Yb = torch.randint(0, 27, (8, 3), generator=generator), torch.randint(0, 27, (8,), generator=generator)
    _, right = lecture.autograd_gradients(parameters, Xb, Yb)
    found = [g.clone() for g in right]
    found[0] = found[0] * (1 + 1e-6)
    found[2] = torch.zeros_like(right[2])  # db1 is nothing but rounding
    found[3] = found[3] * 1.01
    found[5] = found[5].reshape(-1)
    rows = {row.name: row for row in lecture.compare(found, right)}
    assert [rows[name].exact for name in lecture.PARAMETERS] == [False, True, False, False, True, False, True]
    assert rows["C"].relative < 2e-6 and rows["b1"].relative < 1e-4 and 0.009 < rows["W2"].relative < 0.011
    assert rows["bngain"].maxdiff is None and rows["bngain"].note == "yours has shape (12,)"
    assert rows["W1"].line() == "W1 (30, 12)     | exact: True  | approximate: True  | maxdiff: 0.0"


@pytest.mark.skipif("NAMES_TXT" not in os.environ, reason="NAMES_TXT names no file: the lecture's list is not shipped")
def test_the_lectures_names_give_the_published_counts():
    data = lecture.Data.load(Path(os.environ["NAMES_TXT"]))
    assert (len(data.words), max(map(len, data.words)), len(data.numbers)) == (32_033, 15, 27)
    assert data.words[:4] == ["emma", "olivia", "ava", "isabella"]
    counts = {name: tuple(X.shape) for name, (X, _) in data.sets.items()}
    assert counts == {"train": (182_625, 3), "validation": (22_655, 3), "test": (22_866, 3)}


@pytest.mark.skipif("NAMES_TXT" not in os.environ, reason="NAMES_TXT names no file: the lecture's list is not shipped")
def test_a_run_on_the_lectures_names(train, own, tmp_path):
    result = train(own, "--names", os.environ["NAMES_TXT"], "--steps", "300")
    assert result.exit_code == 0, result.output
    assert "32,033 names, 27 characters: 182,625 train / 22,655 validation / 22,866 test examples" in result.stdout
    assert "12,297 parameters" in result.stdout
    assert max(state(tmp_path / "out")["losses"][-50:]) < 3.3


# A whole run ----------------------------------------------------------------------------------------------------------


def test_a_run_leaves_page_log_and_checkpoint(finished):
    result, out = finished
    assert {path.name for path in out.iterdir()} == {PAGE, LOG, CHECKPOINT}
    assert str(out / PAGE) in result.stdout and result.stderr == ""
    log = (out / LOG).read_text()
    assert log in result.stdout  # what is said on the way is what the log holds
    assert re.match(
        r"398 names, 27 characters: [\d,]+ train / \d+ validation / \d+ test examples\n1,017 parameters\n", log
    )
    for step in (0, 15, 30, 45, 59):
        assert f"gradients of step {step}, yours against autograd's:" in log
    assert len(re.findall(r"^  \w+ \(.*\) +\| exact: \w+ +\| approximate: \w+ +\| maxdiff: [\d.e-]+$", log, re.M)) == 35
    steps = re.findall(r"^ +(\d+)/ +60: \d\.\d{4}   autograd's \d\.\d{4}   difference \d\.\de[+-]\d+$", log, re.M)
    assert list(map(int, steps)) == list(range(0, 60, 3))
    for part in ("train", "validation", "test"):
        assert re.search(rf"^{part} +loss \d\.\d{{4}}   autograd's \d\.\d{{4}}$", log, re.M)
    assert len(re.search(r"^20 names: (.*)$", log, re.M)[1].split(",")) == 20


def test_without_a_terminal_there_are_plain_lines(finished):
    result, _ = finished
    assert "\x1b" not in result.output and "\r" not in result.output


def test_the_curve_is_autograds(finished):
    """Rounding only: float32's last digit on a loss of about 3 is 2.4e-7."""
    _, out = finished
    kept = state(out)
    assert len(kept["losses"]) == 60
    assert float((kept["losses"] - kept["autograd_losses"]).abs().max()) < 5e-6
    for own, other in zip(kept["parameters"], kept["autograd"], strict=True):
        assert float((own - other).abs().max()) < 5e-6
    assert kept["losses"][-10:].mean() < kept["losses"][:10].mean() - 0.05  # and it learns


class Reader(HTMLParser):
    """What a page fetches, whether its tags pair, and its texts."""

    VOID = frozenset({"meta", "link", "br", "img", "path", "use", "circle", "marker", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.alone: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        links = [value or "" for name, value in attributes if name in ("src", "href", "xlink:href", "data")]
        self.fetched += [link for link in links if not link.startswith("#") and link != "data:,"]
        if tag == "svg" and given.get("aria-hidden") != "true" and not given.get("aria-label"):
            self.alone.append(self.get_starttag_text() or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_one_file_and_says_all_of_it(finished):
    _, out = finished
    page = (out / PAGE).read_text()
    reader = Reader(page)
    assert reader.fetched == [] and reader.open == [] and reader.alone == []
    assert "<script" not in page and "default-src 'none'" in page
    assert page.count('class="line own"') == 2 and page.count('class="line beside"') == 2  # curve and key, each
    assert "nan" not in page.lower().replace("ninja", "")
    loss = re.search(r"^validation +loss (\S+)", (out / LOG).read_text(), re.M)[1]
    assert f"<dt>validation loss</dt><dd>{loss}</dd>" in page
    for step in (0, 15, 30, 45, 59):
        assert f"<span>Step {step}</span>" in page
    assert page.count("<code>dbnbias</code>") == 5 and "is wrong" not in page
    assert len(re.findall(r"<li( class=\"known\")?>[a-z(]", page)) == 20


def test_without_autograd_there_is_nothing_beside_it(train, own, finished, tmp_path):
    assert train(own, *SMALL, "--without-autograd", "--cmp", "7").exit_code == 0
    page, log = ((tmp_path / "out" / name).read_text() for name in (PAGE, LOG))
    assert (
        'class="line beside"' not in page and "largest difference of" not in log + page[: page.index("After training")]
    )
    assert "gradients of step 7," in log and log.count("gradients of step") == 1
    assert torch.equal(state(tmp_path / "out")["losses"], state(finished[1])["losses"])


def test_with_compare_a_wrong_gradient_trains_next_to_the_right_one(train, own, solution, tmp_path):
    own.write_text(solution.replace("db2, dbngain, dbnbias]\n    #", "db2, dbnbias, dbngain]\n    #"))
    result = train(own, *SMALL, "--compare")
    assert result.exit_code == 0 and result.stdout.count("✗ Step 0: `dbngain` differs from autograd's by ") == 1
    said = r"over the last 6 steps: loss \d\.\d{4} with your gradients, \d\.\d{4} with the right ones\. Yours is "
    assert re.search(said, result.stdout)
    page = (tmp_path / "out" / PAGE).read_text()
    assert page.count("is wrong") == 10 and re.search(said, page) and "`dojo check 07.dbngain` explains it." in page
    kept = state(tmp_path / "out")
    assert float((kept["losses"] - kept["autograd_losses"]).abs().max()) > 1e-4
    refused = train(own, *SMALL, "--compare", "--without-autograd")
    assert refused.exit_code == console.UNUSABLE and "--compare needs autograd's run" in refused.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "row", "variable"),
    [
        ("db2 = dlogits.sum(0)", "db2 = dlogits.mean(0)", "db2", "db2"),
        ("(1 - h**2) * dh", "(0.9 - h**2) * dh", "dbngain", "dhpreact"),
        ("dh * h, h, value=-1", "dh * h, h, value=-0.9", "dbngain", "dhpreact"),
        ("through_variance, value=-1)", "through_variance, value=-0.9)", "dW1", "dhprebn"),
        ("hprebn.mean(0, keepdim=True))", "hprebn.mean(1, keepdim=True))", "loss", "bndiff"),
        ("-= learning_rate", "-= 2 * learning_rate", "update", ""),
        ("return 0.1 if", "return 0.2 if", "learning_rate", ""),
    ],
)
def test_what_is_wrong_in_a_step_stops_the_run_with_its_line(right, wrong, row, variable, train, own, solution):
    """In the answer key, or in the variant that overwrites its values in place."""
    answer = next(text for text in (solution, FAST.read_text()) if text.count(right) == 1)
    source = answer.replace(right, wrong)
    own.write_text(source)
    result = train(own, *SMALL, "--without-autograd")
    line = source[: source.index(wrong)].count("\n") + 1
    said = f"The first value that is wrong is `{variable}`, at {own}:{line}." if variable else f"It comes from {own}:"
    assert result.exit_code == console.UNUSABLE and result.stderr.count("\n") == 1
    assert said in result.stderr and f"`dojo check 07.{row}` explains it." in result.stderr
    assert "Step 0: " in result.stderr and "--resume" not in result.stderr


def test_a_gradient_that_becomes_wrong_later_stops_the_run_there(train, own, solution):
    later = """
right, calls = gradients, 0

def gradients(*arguments):
    global calls
    calls += 1
    loss, found = right(*arguments)
    return loss, [2 * each for each in found] if calls > 40 else found
"""
    own.write_text(solution + later)
    result = train(own, *SMALL)
    step = re.search(r"^dojo: Step (\d+): `dW2` differs from autograd's by 100.0% of its size", result.stderr)
    assert result.exit_code == console.UNUSABLE and step and 5 < int(step[1]) < 30 and "--resume" in result.stderr


def test_the_variables_of_a_function_are_right_at_one_time_or_never():
    watch = VariableWatch({"a": torch.ones(2), "b": torch.ones(2), "c": torch.ones(2)}, torch.equal)
    a, b = torch.ones(2), torch.zeros(2)
    watch.look({"a": a, "b": b, "c": torch.zeros(3), "other": a})
    a.zero_(), b.add_(1)
    watch.look({"a": a, "b": b, "c": torch.zeros(2)})
    assert watch.wrong == {"c"}
    text = "def f():\n    a = 1\n    c = 2\n"
    assert blamed_line(text, "f", watch.wrong) == (3, "c") and blamed_line(text, "f") == (1, "")
    assert blamed_line(text, "g") is None and blamed_line("def f(:", "f") is None


# Ctrl-C and --resume --------------------------------------------------------------------------------------------------

PRESSED = """
import signal
right, calls = gradients, 0

def gradients(*arguments):
    global calls
    calls += 1
    if calls == {call}:
        for _ in range({times}):
            signal.raise_signal(signal.SIGINT)
    return right(*arguments)
"""


@sampled(("call", "times"), [(3, 1), (28, 1), (28, 2), (67, 1)], keep=2)
def test_stopped_and_resumed_is_the_same_as_never_stopped(call, times, train, own, solution, finished, tmp_path):
    """In the middle of a student's function, once (the step ends) and twice (at once), also in the last step."""
    own.write_text(solution + PRESSED.format(call=call, times=times))
    out = tmp_path / "out"
    stopped = train(own, *SMALL)
    assert stopped.exit_code == console.STOPPED, stopped.output
    assert "all of it is kept. Go on with: dojo train" in stopped.stdout and "--resume" in stopped.stdout
    done = len(state(out)["losses"])
    assert {path.name for path in out.iterdir()} == {PAGE, LOG, CHECKPOINT}
    if done < 60:
        assert f"Stopped after {done} of 60 steps" in (out / PAGE).read_text()
        refused = train(own, *SMALL)
        assert refused.exit_code == console.UNUSABLE and f"stopped at step {done} of 60" in refused.stderr
    own.write_text(solution)
    result = train(own, "--resume")
    assert result.exit_code == 0, result.output
    one, other = state(out), state(finished[1])
    for name in ("losses", "autograd_losses"):
        assert torch.equal(one[name], other[name])
    for name in ("parameters", "autograd"):
        assert all(map(torch.equal, one[name], other[name]))
    assert one["comparisons"] == other["comparisons"]
    assert untimed(out) == untimed(finished[1])
    if done:
        assert f"Your file was another one before step {done}." in (out / PAGE).read_text()


@pytest.mark.full
def test_ctrl_c_on_a_process_keeps_what_there_is(own, tmp_path):
    # a job in the background of a shell, as CI may be, is started with Ctrl-C ignored
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", heeding + "from grader.commands.dojo import main; main()", "train", str(own)]
    command += ["-o", "out", "--course", str(ROOT), "--hidden", "8"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    ) as process:
        log = tmp_path / "out" / LOG
        assert wait_until(lambda: log.exists() and "/ 200000" in log.read_text())
        process.send_signal(signal.SIGINT)
        said, wrong = process.communicate(timeout=GUARD_SECONDS)
    assert process.returncode == console.STOPPED, said + wrong
    assert "Traceback" not in said + wrong
    step = int(re.search(r"Stopped at step ([\d,]+) of 200,000; all of it is kept", said)[1].replace(",", ""))
    assert f"-o out --course {ROOT} --resume" in said
    kept = state(tmp_path / "out")
    assert len(kept["losses"]) == len(kept["autograd_losses"]) == step > 0
    # without --names, the Census list
    assert said.startswith("5,163 names, 27 characters: 28,892 train / 3,640 validation / 3,590 test examples\n")
    assert f"Stopped after {step:,} of 200,000 steps" in (tmp_path / "out" / PAGE).read_text()


def test_a_run_goes_on_as_it_began(train, own, solution, tmp_path):
    own.write_text(solution + PRESSED.format(call=28, times=1))
    assert train(own, *SMALL).exit_code == console.STOPPED
    for option, value in (("--steps", 61), ("--hidden", 13), ("--seed", 5), ("--cmp", 3)):
        refused = train(own, "--resume", option, value)
        assert refused.exit_code == console.UNUSABLE and f"started with another {option}" in refused.stderr
    (tmp_path / "names.txt").write_text("ada\nbo\n" * 20)
    refused = train(own, "--resume", "--names", tmp_path / "names.txt")
    assert refused.exit_code == console.UNUSABLE and "not those that this run began with" in refused.stderr
    own.write_text(solution)
    assert train(own, "--resume", *SMALL).exit_code == 0
    assert train(own, *SMALL, "--seed", 5).exit_code == 0  # a finished run is in nobody's way


def test_fresh_starts_anew(train, own, solution, tmp_path):
    own.write_text(solution + PRESSED.format(call=28, times=1))
    assert train(own, *SMALL).exit_code == console.STOPPED
    own.write_text(solution)
    assert train(own, *SMALL, "--fresh").exit_code == 0
    assert len(state(tmp_path / "out")["sources"]) == 1


# What cannot be done, in a sentence -----------------------------------------------------------------------------------


def without(source: str, *functions: str) -> str:
    """The file with these functions as stubs."""
    for name in functions:
        source += f"\n\ndef {name}(*arguments):\n    raise NotImplementedError\n"
    return source


def test_a_stub_is_told_what_it_lacks(train, own, course, tmp_path):
    own.write_text(stub_of(course.find("07")))
    result = train(own, *SMALL)
    assert result.exit_code == console.UNUSABLE
    assert "`gradients`" in result.stderr and "`train`" in result.stderr and "backward.py" in result.stderr
    assert "Not written yet" in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_evaluation_may_be_written_after_training(train, own, solution, finished, tmp_path):
    own.write_text(without(solution, "calibrate", "sample"))
    result = train(own, *SMALL)
    assert result.exit_code == console.UNUSABLE
    assert "Not written yet" in result.stderr and "`calibrate`, `sample`" in result.stderr
    assert "Trained, but not evaluated yet" in (tmp_path / "out" / PAGE).read_text()
    own.write_text(solution)
    assert train(own, "--resume").exit_code == 0
    assert untimed(tmp_path / "out") == untimed(finished[1])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("def gradients(p, X, Y):\n    return p[0] @ p[0], 1", "line {last}, in `gradients`: RuntimeError: "),
        ("def gradients(p, X, Y):\n    return 1, 2, 3", "it returned a tuple of 3"),
        ("def gradients(p, X, Y):\n    return 1.0, p[:6]", "its second value is a list of 6"),
        ("def gradients(p, X, Y):\n    return 1.0, [None] * 7", "`dC` is None"),
        ("def train(*a):\n    pass", "`train` must return the list of losses, one a step; it returned None"),
        ("def train(*a):\n    return [1.0, 2.0]", "`train` was given 1 batches and returned 2 losses"),
        ("def update(p, g, r):\n    p = [a - r * b for a, b in zip(p, g)]", "`train` left the parameters as they were"),
        ("def split_loss(*a):\n    return 'low'", "`split_loss` must return a number where it returned a str"),
        ("def sample(*a):\n    return None", "`sample` must return a list of numbers of characters"),
        ("def sample(*a):\n    raise SystemExit(3)", "It ended the program: SystemExit, code 3"),
        ("def broken(:\n    pass", "line {next_to_last}: SyntaxError"),
        ("import torch.nothing", "line {last}: ModuleNotFoundError"),
    ],
)
def test_a_mistake_is_told_with_the_students_own_line(change, sentence, train, own, solution, tmp_path):
    source = solution + "\n\n" + change + "\n"
    own.write_text(source)
    result = train(own, *SMALL)
    assert result.exit_code == console.UNUSABLE
    last = source.count("\n")
    assert sentence.format(last=last, next_to_last=last - 1) in result.stderr
    assert "Traceback" not in result.output and result.stderr.startswith("dojo: ")
    assert not (tmp_path / "out").exists()


def test_an_exception_in_the_middle_keeps_what_there_is(train, own, solution, finished, tmp_path):
    own.write_text(solution + PRESSED.format(call=28, times=1).replace("signal.raise_signal(signal.SIGINT)", "1 / 0"))
    result = train(own, *SMALL)
    assert result.exit_code == console.UNUSABLE
    assert "ZeroDivisionError: division by zero\n    1 / 0\n" in result.stderr and "--resume" in result.stderr
    own.write_text(solution)
    assert train(own, "--resume").exit_code == 0
    assert torch.equal(state(tmp_path / "out")["losses"], state(finished[1])["losses"])


def test_an_exploding_loss_stops_with_a_sentence(train, own, solution, tmp_path):
    change = "\n\ndef learning_rate(step, max_steps):\n    return float('inf') if step == 20 else 0.1\n"
    own.write_text(solution + change)
    result = train(own, *SMALL)
    assert result.exit_code == console.UNUSABLE
    assert "The loss is nan at step 21: the numbers have exploded" in result.stderr
    assert not (tmp_path / "out" / CHECKPOINT).exists() and "exploded" in (tmp_path / "out" / PAGE).read_text()
    assert "--resume" not in result.output


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"ada\nbo\n", "must hold 20 names or more"),
        (b"a.b\n" * 30, "without full stops"),
        (b"\xff\n" * 30, "it is no UTF-8 text"),
        (None, "No such file or directory"),
    ],
)
def test_names_that_cannot_be_used(text, sentence, train, own, tmp_path):
    if text is not None:
        (tmp_path / "names.txt").write_bytes(text)
    result = train(own, *SMALL, "--names", tmp_path / "names.txt")
    assert result.exit_code == console.UNUSABLE and sentence in result.stderr


def test_names_can_show_anything_and_do_nothing(train, own, tmp_path):
    letters = "<script>alert(1)</script>\x1b[31m\u202e&\"'"
    (tmp_path / "names.txt").write_text("\n".join([letters, letters[::-1]] * 15), encoding="utf-8")
    result = train(own, *SMALL, "--names", tmp_path / "names.txt")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output and "\u202e" not in result.output
    page = (tmp_path / "out" / PAGE).read_text()
    assert "<script" not in page and "\x1b" not in page and "\u202e" not in page
    assert Reader(page).open == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.py"], "nowhere.py does not exist"),
        (["--resume"], "there is nothing to go on from in my-training/"),
        (["--resume", "--fresh"], "give one of them"),
        (["--lesson", "03"], "lesson 03 has nothing to train; --lesson can be 07_training"),
        (["--course", "empty"], "holds no lessons"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_status_2(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    course = [] if "--course" in arguments else ["--course", str(ROOT)]
    result = CliRunner().invoke(dojo_cli.main, ["train", *arguments, *course])
    assert result.exit_code == console.UNUSABLE
    assert sentence in result.stderr and result.stderr.startswith("dojo: ") and result.stderr.count("\n") == 1


def test_an_out_that_cannot_be_written(own, tmp_path):
    (tmp_path / "file").write_text("")
    typed = ["train", str(own), "--course", str(ROOT), "-o", str(tmp_path / "file" / "out"), *SMALL]
    result = CliRunner().invoke(dojo_cli.main, typed)
    assert result.exit_code == console.UNUSABLE and "give another folder with --out" in result.stderr


def test_a_checkpoint_that_is_none(train, own, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / CHECKPOINT).write_bytes(b"nothing")
    result = train(own, "--resume")
    assert result.exit_code == console.UNUSABLE and "cannot be read as a checkpoint" in result.stderr


@pytest.mark.parametrize("command", [[], ["train"]])
def test_every_command_has_help(command):
    result = CliRunner().invoke(dojo_cli.main, [*command, "--help"])
    assert result.exit_code == 0 and "Examples:" in result.output


# A course of one's own ------------------------------------------------------------------------------------------------

SCRIPT = """
from grader.dojo.training.own_file import VariableWatch, blamed_line
from grader.dojo.training.contract import Outcome

def run(student, options, watch, kept=None):
    watch.start(anew=True)
    found = student.call("double", options.steps)
    watch.say(f"doubled: {found}")
    return Outcome("Doubling", options.steps, options.steps, finished=True, figures=[("twice", str(found))])
"""


def test_another_course_brings_its_own_script_and_its_own_file_where_it_is_named(tmp_path, monkeypatch):
    lesson = tmp_path / "exercises" / "01_doubling"
    lesson.mkdir(parents=True)
    (lesson / "lesson.toml").write_text('title = "Doubling"\n[train]\nscript = "script.py"\n')
    (lesson / "script.py").write_text(SCRIPT)
    (lesson / "backward.py").write_text("from helper import twice as double\n")
    (lesson / "helper.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "deep" / "inside").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "inside")  # the nearest course upwards
    result = CliRunner().invoke(dojo_cli.main, ["train", "--steps", "21"])
    assert result.exit_code == 2 and "script.py differs from what was installed with `dojo`" in result.stderr
    result = CliRunner().invoke(dojo_cli.main, ["train", "--steps", "21", "--course", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "doubled: 42\nThe page: my-training/index.html\n" in result.stdout
    assert "<dt>twice</dt><dd>42</dd>" in (tmp_path / "deep" / "inside" / "my-training" / PAGE).read_text()


# Curves ---------------------------------------------------------------------------------------------------------------


def test_smoothing_is_the_lectures():
    losses = (torch.rand(4000, generator=torch.Generator().manual_seed(0)) + 2).double()
    expected = losses.log10().view(-1, 1000).mean(1)
    assert [y for _, y in smooth(losses.tolist(), 1000)] == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize(
    "raw",
    [
        *([3.0], [2.0, 2.0], [0.0, 0.0, 1e-7], [1e-6, 4000.0], [2.1 - i / 1e4 for i in range(5000)], []),
        *(
            [3.0, 1e300, 2.0],
            [1e300] * 3,
            [sys.float_info.max],
            [2.0, math.inf, math.nan],
            [math.nan],
            [-1e300, 5e-324],
        ),
        *([1e300 if i % 7 else 5e-324 for i in range(5000)], [1e250, 1.01e250]),
    ],
)
def test_a_plot_stays_inside_its_frame(raw):
    drawn = plot(raw, [raw], 10, len(raw), 1e-9)
    numbers = [float(n) for path in (drawn.band, *drawn.lines) for n in re.findall(r"-?[\d.]+", path)]
    assert all(map(math.isfinite, numbers))
    assert all(-0.1 <= x <= 1000.1 for x in numbers[::2]) and all(-0.1 <= y <= 400.1 for y in numbers[1::2])
    assert 1 <= len(drawn.up) <= 8 and all(0 <= tick.at <= 100 for tick in drawn.up)
    assert drawn.across[0].label == "0" and len(drawn.across) <= 6 and all(0 <= t.at <= 100 for t in drawn.across)


@pytest.mark.parametrize(("low", "high"), [(1.7, 4.1), (2.0, 2.3), (1e-9, 1e-5), (1, 30), (2.1, 2.11)])
def test_ticks_are_few_and_round(low, high):
    ticks = logarithmic_ticks(math.log10(low), math.log10(high))
    assert 2 <= len(ticks) <= 8 and all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)
    assert all(len(f"{tick:.3g}") <= 6 for tick in ticks)


def test_an_operator_that_torch_does_not_have_is_an_error_and_a_stub_is_not_written(tmp_path):
    path = tmp_path / "training_step.py"
    power = "def power():\n    return torch.ones(2) ^ 2\n"
    path.write_text(f"import torch\n{power}def stub():\n    raise NotImplementedError\n")
    own = OwnFile(path)
    with pytest.raises(OwnFileError) as raised:
        own.call("power")
    assert type(raised.value) is OwnFileError and str(raised.value) == (
        f"{path}, line 3, in `power`: NotImplementedError: \"bitwise_xor_cpu\" not implemented for 'Float'\n"
        "    return torch.ones(2) ^ 2"
    )
    with pytest.raises(NotWritten, match="`stub` is not written yet in "):
        own.call("stub")
