"""`dojo train` as it is typed: the lessons' networks and a student's own, next to autograd's runs."""

from __future__ import annotations

import hashlib
import math
import random
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from click.testing import CliRunner, Result
from support import ROOT, solution_of

from grader.commands.command_line import STOPPED, UNUSABLE
from grader.commands.dojo import main as dojo
from grader.commands.train import lesson_to_train
from grader.dojo.desk import Desk
from grader.dojo.training import CHECKPOINT, CURVE, compare_gradients, load_checkpoint
from grader.dojo.work import Work
from grader.errors import UserError
from grader.lesson.course_modules import load_module
from grader.lesson.stub import stub_of
from grader.publish.curve import plot, smooth

EXERCISE = ROOT / "exercises" / "07_training"
FAST = ROOT / "solutions" / "07_training" / "variants" / "fast.py"
OWN_NETWORK = EXERCISE / "my_network.py"
lecture = load_module(EXERCISE / "lecture.py", "lecture_under_test")

HIDDEN = {"07_training": 12, "15_gpt": 8, "16_through_time": 9, "21_fine_tuning": None}


def small_networks(folder: Path, steps: int) -> Path:
    """Copy the lessons into `folder`, with few steps, few units, and every thirteenth name."""
    for name, hidden in HIDDEN.items():
        lesson = folder / "exercises" / name
        shutil.copytree(ROOT / "exercises" / name, lesson)
        text = (lesson / "lesson.toml").read_text(encoding="utf-8")
        text = re.sub(r"^steps = \d+", f"steps = {steps}", text, flags=re.MULTILINE)
        text = re.sub(r"^hidden = \d+", f"hidden = {hidden}", text, flags=re.MULTILINE)
        (lesson / "lesson.toml").write_text(text, encoding="utf-8")
    names = folder / "exercises" / "07_training" / "names.txt"
    names.write_text("\n".join(names.read_text(encoding="utf-8").splitlines()[::13]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def solution(course) -> str:
    return solution_of(course.find("07"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with small networks: 60 steps on every thirteenth of the names."""
    return small_networks(tmp_path_factory.mktemp("small"), steps=60)


@pytest.fixture
def own(tmp_path: Path, solution: str) -> Path:
    """A student's right file."""
    (tmp_path / "backward.py").write_text(solution)
    return tmp_path / "backward.py"


@pytest.fixture(autouse=True)
def ctrl_c_is_obeyed() -> Iterator[None]:
    """Also where these tests were started in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def train(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """train(file, ...): `dojo train` in an empty folder. What goes wrong is sentences on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object, course: Path = small) -> Result:
        result = CliRunner().invoke(dojo, ["train", *map(str, words), "--course", str(course)])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output and "\x1b" not in result.output
        assert result.exit_code == 0 or result.stderr.startswith("dojo: ")
        return result

    return run


def losses_in(folder: Path) -> torch.Tensor:
    return torch.tensor(load_checkpoint(folder / "my-training")["losses"])


def largest_difference(result: Result) -> float:
    (found,) = re.findall(r"largest difference of the losses from autograd's: (\S+)", result.stdout)
    return float(found)


# The lecture's data, and what is compared ----------------------------------------------------------------------------


def test_the_names_are_those_of_their_origin_and_data_split_and_parameters_are_the_lecture_s():
    text, origin = (EXERCISE / "names.txt").read_text(), (EXERCISE / "NAMES.md").read_text()
    words = lecture.read_names(EXERCISE / "names.txt")
    assert len(words) == 5163 and words == sorted(set(words)) and text == "".join(word + "\n" for word in words)
    assert all(re.fullmatch("[a-z]{2,11}", word) for word in words)
    assert hashlib.sha256(text.encode()).hexdigest() in origin and "28,892 / 3,640 / 3,590" in origin
    data = lecture.Data.load(EXERCISE / "names.txt")
    assert {name: len(Y) for name, (_, Y) in data.sets.items()} == {"train": 28892, "validation": 3640, "test": 3590}
    X, Y = lecture.build_dataset(["ab", "b"], lecture.characters(["ab", "b"]))
    assert X.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 2], [0, 0, 0], [0, 0, 2]]
    assert Y.tolist() == [1, 2, 0, 2, 0]
    words = [f"n{i}" for i in range(57)]
    expected = list(words)
    random.seed(42)
    random.shuffle(expected)
    parts = lecture.split(words)
    assert (parts["train"], parts["validation"], parts["test"]) == (expected[:45], expected[45:51], expected[51:])
    parameters = lecture.initialise(torch.Generator().manual_seed(2147483647), 27, 200)
    assert sum(p.numel() for p in parameters) == 12_297
    again = torch.Generator().manual_seed(2147483647)
    assert torch.equal(parameters[0], torch.randn((27, 10), generator=again))
    assert torch.equal(parameters[1], torch.randn((30, 200), generator=again) * (5 / 3) / (30**0.5))


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
    named = [dict(zip(lecture.PARAMETERS, gradients, strict=True)) for gradients in (found, right)]
    rows = {row.name: row for row in compare_gradients(*named)}
    exact = ["exact: True " in rows[name].line for name in lecture.PARAMETERS]
    assert exact == [False, True, False, False, True, False, True]
    assert rows["C"].relative < 2e-6 and rows["b1"].relative < 1e-4 and 0.009 < rows["W2"].relative < 0.011
    assert rows["bngain"].is_wrong and rows["bngain"].line.endswith(" | maxdiff: –   yours has shape (12,)")
    assert rows["W1"].line == "W1 (30, 12)     | exact: True  | approximate: True  | maxdiff: 0.0"


# Lesson 07 -----------------------------------------------------------------------------------------------------------


def test_a_run_leaves_a_curve_and_a_checkpoint(train, own, tmp_path):
    result, out = train(own), tmp_path / "my-training"
    assert result.exit_code == 0 and result.stderr == ""
    assert {path.name for path in out.iterdir()} == {CURVE, CHECKPOINT}
    log = result.stdout
    assert log.endswith("The curve: my-training/curve.svg\n") and log.count("gradients of step ") == 3
    assert re.match(
        r"398 names, 27 characters: [\d,]+ train / \d+ validation / \d+ test examples\n1,017 parameters", log
    )
    assert len(re.findall(r"^  \w+ \(.*\) +\| exact: \w+ +\| approximate: \w+ +\| maxdiff: [\d.e-]+$", log, re.M)) == 21
    steps = re.findall(r"^ +(\d+)/ +60: \d\.\d{4}   autograd's \d\.\d{4}   difference \d\.\de[+-]\d+$", log, re.M)
    assert list(map(int, steps)) == list(range(0, 60, 3))
    for part in ("train", "validation", "test"):
        assert re.search(rf"^{part} +loss \d\.\d{{4}}   autograd's \d\.\d{{4}}$", log, re.M)
    assert len(re.search(r"^20 names: (.*)$", log, re.M)[1].split(",")) == 20
    drawn = ElementTree.parse(out / CURVE).getroot()
    assert [part.get("class") for part in drawn if part.tag.endswith("path")][-2:] == ["own", "autograd"]
    own, autograds = losses_in(tmp_path)  # rounding only: float32's last digit on a loss of about 3 is 2.4e-7
    assert len(own) == 60 and float((own - autograds).abs().max()) < 5e-6
    assert own[-10:].mean() < own[:10].mean() - 0.05  # and it learns


def test_what_is_wrong_in_a_step_stops_the_run_and_names_its_row(train, own, solution):
    """In the answer key, or in the variant that overwrites its values in place; at the first step, or later."""
    for right, wrong, row in (
        ("db2 = dlogits.sum(0)", "db2 = dlogits.mean(0)", "db2"),
        ("(1 - h**2) * dh", "(0.9 - h**2) * dh", "dbngain"),
        ("dh * h, h, value=-1", "dh * h, h, value=-0.9", "dbngain"),
        ("hprebn.mean(0, keepdim=True))", "hprebn.mean(1, keepdim=True))", "loss"),
        ("-= learning_rate", "-= 2 * learning_rate", "update"),
        ("return 0.1 if", "return 0.2 if", "learning_rate"),
    ):
        answer = next(text for text in (solution, FAST.read_text()) if text.count(right) == 1)
        own.write_text(answer.replace(right, wrong))
        result = train(own)
        assert result.exit_code == UNUSABLE and result.stderr.count("\n") == 1, row
        assert f"`dojo check 07.{row}` explains it." in result.stderr
        assert result.stderr.startswith("dojo: Step 0: ")
    own.write_text(solution + wrapped("found = [2 * each for each in found] if calls > 41 else found"))
    result = train(own)
    step = re.search(r"^dojo: Step (\d+): `dW2` differs from autograd's by 100.0% of its size", result.stderr)
    assert result.exit_code == UNUSABLE and step and 5 < int(step[1]) < 40


def wrapped(act: str) -> str:
    """`gradients` anew: it counts its `calls`, and does something to what it has `found`."""
    return (
        "\nimport signal\nright, calls = gradients, 0\n\ndef gradients(*arguments):\n    global calls\n    calls += 1\n"
        f"    loss, found = right(*arguments)\n    {act}\n    return loss, found\n"
    )


def test_a_run_that_was_stopped_goes_on_from_there(train, own, solution, tmp_path):
    """Ctrl-C or an exception in the middle of a student's function ends the run before the steps that are running."""
    own.write_text(solution + wrapped("signal.raise_signal(signal.SIGINT) if calls == 36 else None"))
    stopped = train(own)
    assert stopped.exit_code == STOPPED, stopped.output
    assert f"Go on with: dojo train {own} --resume" in stopped.stderr
    kept = losses_in(tmp_path)
    done = kept.shape[1]
    assert 0 < done < 60 and (tmp_path / "my-training" / CURVE).is_file()
    assert f"stopped after {done} of 60 steps" in stopped.stderr
    own.write_text(solution)
    result = train(own, "--resume")
    assert result.exit_code == 0, result.output
    again = losses_in(tmp_path)
    assert again.shape == (2, 60) and torch.equal(again[:, :done], kept)
    assert float((again[0] - again[1]).abs().max()) < 5e-6
    own.write_text(solution + wrapped("1 / (calls - 36)"))
    result = train(own)
    assert result.exit_code == UNUSABLE
    assert "ZeroDivisionError: division by zero\n    1 / (calls - 36)\n" in result.stderr
    own.write_text(solution)
    assert train(own, "--resume").exit_code == 0


def test_what_is_not_written_yet(train, own, course, solution, tmp_path):
    """Evaluation may be written after training."""
    own.write_text(stub_of(course.find("07")))
    result = train(own)
    assert result.exit_code == UNUSABLE
    assert "`gradients`" in result.stderr and "`train`" in result.stderr and "backward.py" in result.stderr
    assert "Not written yet" in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "my-training").exists()
    stubs = "".join(f"\n\ndef {name}(*arguments):\n    raise NotImplementedError\n" for name in ("calibrate", "sample"))
    own.write_text(solution + stubs)
    result = train(own)
    assert result.exit_code == UNUSABLE
    assert "Not written yet" in result.stderr and "`calibrate`, `sample`" in result.stderr
    own.write_text(solution)
    assert train(own, "--resume").exit_code == 0 and "20 names: " in train(own, "--resume").stdout


def test_a_mistake_is_a_sentence_with_the_student_s_own_line(train, own, solution, tmp_path):
    for change, sentence in (
        ("def gradients(p, X, Y):\n    return p[0] @ p[0], 1", "line {last}, in `gradients`: RuntimeError: "),
        ("def gradients(p, X, Y):\n    return 1, 2, 3", "it returned a tuple of 3"),
        ("def gradients(p, X, Y):\n    return 1.0, p[:6]", "its second value is a list of 6"),
        ("def gradients(p, X, Y):\n    return 1.0, [None] * 7", "`dC` is None"),
        ("def train(*a):\n    pass", "`train` must return the list of losses, one per step; it returned None"),
        ("def train(*a):\n    return [1.0, 2.0]", "`train` was given 1 batches and returned 2 losses"),
        ("def update(p, g, r):\n    p = [a - r * b for a, b in zip(p, g)]", "`train` left the parameters as they were"),
        ("def split_loss(*a):\n    return 'low'", "`split_loss` must return a number where it returned a str"),
        ("def sample(*a):\n    return None", "`sample` must return a list of numbers of characters"),
        ("def sample(*a):\n    raise SystemExit(3)", "It ended the program (SystemExit, code 3)"),
        ("def broken(:\n    pass", "line {next_to_last}: SyntaxError"),
        ("import torch.nothing", "line {last}: ModuleNotFoundError"),
    ):
        source = solution + "\n\n" + change + "\n"
        own.write_text(source)
        result = train(own)
        last = source.count("\n")
        assert result.exit_code == UNUSABLE
        assert sentence.format(last=last, next_to_last=last - 1) in result.stderr, result.stderr
        assert not (tmp_path / "my-training").exists()
    exploding = "\n\ndef learning_rate(step, max_steps):\n    return float('inf') if step == 20 else 0.1\n"
    own.write_text(solution + exploding)
    assert "The loss is nan at step 21: the numbers have exploded" in train(own).stderr


def test_names_that_show_anything_do_nothing(train, own, tmp_path):
    letters = "<script>alert(1)</script>\x1b[31m\u202e&\"'"
    course = small_networks(tmp_path / "course", steps=20)
    names = course / "exercises" / "07_training" / "names.txt"
    names.write_text("\n".join([letters, letters[::-1]] * 15), encoding="utf-8")
    result = train(own, course=course)
    assert result.exit_code == 0 and "\u202e" not in result.output
    names.write_text("ada\nbo\n")
    assert "must hold 20 names or more" in train(own, course=course).stderr


def test_bad_input_is_one_sentence_and_exit_status_2(train, own, tmp_path):
    (tmp_path / "empty").mkdir()
    for typed, course, sentence in (
        ("nowhere.py", ROOT, "nowhere.py is not there"),
        ("--resume", ROOT, "There is no run to continue in my-training/"),
        ("03", ROOT, "Lesson 03 has no network to train; these have: `dojo train 07`"),
        ("07", tmp_path / "empty", "holds no lessons"),
    ):
        result = train(typed, course=course)
        assert result.exit_code == UNUSABLE and sentence in result.stderr and result.stderr.count("\n") == 1
    (tmp_path / "my-training").write_text("")
    result = train(own)
    assert result.exit_code == UNUSABLE and "my-training cannot be written" in result.stderr
    (tmp_path / "my-training").unlink()
    (tmp_path / "my-training").mkdir()
    (tmp_path / "my-training" / CHECKPOINT).write_bytes(b"nothing")
    result = train(own, "--resume")
    assert result.exit_code == UNUSABLE and "cannot be read (" in result.stderr


# The other networks --------------------------------------------------------------------------------------------------


def train_lesson(train: Callable[..., Result], small: Path, number: str, source: str, *words: object) -> Result:
    """`dojo train NUMBER` with `source` as the lesson's own file."""
    next((small / "exercises").glob(f"{number}_*/lesson.toml")).with_name("backward.py").write_text(source)
    return train(number, *words)


@pytest.mark.full
def test_the_other_lessons_networks_train_as_autograds_and_a_wrong_line_stops_them(course, small, train):
    explained = r"Step 0: `d{0}` differs from autograd's by .*`dojo check {1}\.d{0}` explains it"
    for number, sizes, mistakes in (
        (
            "15",
            r"^[5-6],\d{3} parameters: 2 blocks, 4 heads, 24 channels$",
            (
                ('d["wte"].index_add_(0, X.flatten(), dx.flatten(0, 1))', "pass", explained.format("wte", "15")),
                ("(square.sqrt() + 1e-8)", "(square + 1e-8)", "the gradients are right, and `adam` changes"),
            ),
        ),
        (
            "16",
            "parameters",
            (
                ("dh[1:] = (", "dh[:-1] = (", explained.format("Wh", "16")),
                ("** 0.5\n    factor", "\n    factor", r"the gradients are right, and `clip` makes .*16\.clip"),
            ),
        ),
        (
            "21",
            r"^864 numbers are trained, 2,187 are frozen",
            (
                (
                    "share = answer.sum() / total",
                    "share = 1 / len(pieces)",
                    r"Step 0: your loss is .* and autograd's",
                ),
                (
                    "A - rate * of_A",
                    "A - of_A",
                    r"right, and `fine_tune` makes another `A` .*21\.fine_tune",
                ),
            ),
        ),
    ):
        right = solution_of(course.find(number))
        result = train_lesson(train, small, number, right, "--steps", 20)
        assert result.exit_code == 0 and largest_difference(result) < 1e-12, result.output
        assert re.search(sizes, result.stdout, re.M)
        first, last = (float(re.findall(rf"^ +{step}/ +20: (\S+)", result.stdout, re.M)[0]) for step in (0, 19))
        assert last < first < 3.6
        assert len(re.findall(r"^20 names: (.*)$", result.stdout, re.M)[0].split(", ")) == 20
        for line, wrong, sentence in mistakes:
            assert right.count(line) == 1
            result = train_lesson(train, small, number, right.replace(line, wrong))
            assert result.exit_code == UNUSABLE and re.search(sentence, result.stderr), result.output


@pytest.mark.full
def test_any_number_of_steps_trains_a_right_answer(course, small, train):
    """`learning_rate` is defined for a `max_steps` that is a multiple of 10, or even: in both forms it is right."""
    for number, steps, given, written in (
        ("15", 13, "max_steps // 10", "max_steps / 10"),
        ("07", 1, "step < max_steps / 2", "step < max_steps // 2"),
        ("07", 7, "step < max_steps / 2", "step < max_steps // 2"),
    ):
        right = solution_of(course.find(number))
        assert right.count(given) == 1
        result = train_lesson(train, small, number, right.replace(given, written), "--steps", steps)
        assert result.exit_code == 0, result.output


def test_a_number_a_file_or_nothing_says_which_lesson(own):
    desk = Desk(ROOT, print)
    networks = [desk.course.find("07"), desk.course.find("15")]
    folder = ROOT / "exercises" / "15_gpt"
    for words, number in (
        (["15"], "15"),
        (["gpt"], "15"),
        ([], "07"),
        ([f"{folder}/backward.py"], "15"),
        ([f"{folder}/training.py"], "15"),
        ([f"{own}"], "07"),
    ):
        assert lesson_to_train(Work.chosen(desk, words), networks).number == number
    with pytest.raises(UserError, match="Lesson 03 has no network to train; these have: `dojo train 07`, `dojo train"):
        lesson_to_train(Work.chosen(desk, ["03"]), networks)


def test_a_network_of_one_s_own_trains_as_autograd_does_and_what_is_wrong_with_it_is_a_sentence(train, tmp_path):
    text, mine = OWN_NETWORK.read_text(encoding="utf-8"), tmp_path / "mine.py"
    mine.write_text(text)
    result = train(mine, "--steps", 40)
    assert result.exit_code == 0 and largest_difference(result) < 1e-6, result.output
    assert result.stdout.count("approximate: True") == 3 * 6 and (tmp_path / "my-training" / CURVE).is_file()
    summed = '"dphase": dangle.sum(0)'
    for old, new, sentence in (
        ("dwave * torch.cos(t.angle)", "dwave * torch.cos(t.wave)", "Step 0: `dangle` differs from autograd's by"),
        (summed, summed.replace("0)", "0, keepdim=True)"), "`dphase` has shape (1, 8); expected (8,)"),
        (f"        {summed},\n", "", "missing: dphase"),
        ('"dwave": dwave', '"dweight": dwave', "`backward` returned `dweight`"),
        ("t.loss = (", "t.end = (", "`forward` must end with `t.loss`"),
        ('"x": x, "y"', '"phase": x, "x": x, "y"', "both return phase"),
        ("torch.sin(t.angle)", "torch.sin(t.angel)", "`t.angel` is read before it is set"),
        ("def learning_rate", "def rate", "no function `learning_rate`"),
    ):
        assert text.count(old) == 1
        mine.write_text(text.replace(old, new))
        result = train(mine, "--steps", 12)
        assert result.exit_code == UNUSABLE and sentence in result.stderr, result.output


def test_smoothing_is_the_lecture_s_and_a_plot_stays_inside_its_frame():
    losses = (torch.rand(4000, generator=torch.Generator().manual_seed(0)) + 2).double()
    expected = losses.log10().view(-1, 1000).mean(1)
    assert [y for _, y in smooth(losses.tolist(), 1000)] == pytest.approx(expected.tolist(), abs=1e-12)
    for raw in (
        *([3.0], [0.0, 0.0, 1e-7], [2.1 - i / 1e4 for i in range(5000)], []),
        *([3.0, 1e300, 2.0], [2.0, math.inf, math.nan], [math.nan], [-1e300, 5e-324]),
    ):
        drawn = plot([raw], len(raw), 10)
        numbers = [float(n) for path in drawn.lines for n in re.findall(r"-?[\d.]+", path)]
        assert all(map(math.isfinite, numbers))
        assert all(-0.1 <= x <= 1000.1 for x in numbers[::2]) and all(-0.1 <= y <= 400.1 for y in numbers[1::2])
        assert len(drawn.up) == 5 and all(0 <= at <= 100 for at, _ in drawn.up)
        assert drawn.across[0] == (0, "0") and len(drawn.across) == 5 and all(0 <= at <= 100 for at, _ in drawn.across)
