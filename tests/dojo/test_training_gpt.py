"""`dojo train 15` and `16`: the GPT and the recurrent network with the answer key's gradients, next to autograd's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support import ROOT, solution_of

from grader.commands import dojo as dojo_cli
from grader.dojo.training.setup import find_script, folder_for, lesson_and_file, options_for

NAMES = ROOT / "exercises" / "07_training" / "names.txt"


@pytest.fixture(scope="module")
def few_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("names") / "names.txt"
    path.write_text("\n".join(NAMES.read_text().splitlines()[::13]))
    return path


def train(folder: Path, names: Path, *arguments: str, lesson: str = "15") -> Result:
    typed = ["train", str(folder / "backward.py"), "--lesson", lesson, "--course", str(ROOT), "--names", str(names)]
    result = CliRunner().invoke(dojo_cli.main, [*typed, "-o", str(folder / "out"), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.full
def test_a_run_is_autograds_and_a_wrong_line_stops_it(course, few_names, tmp_path) -> None:
    right = solution_of(course.find("15"))
    (tmp_path / "backward.py").write_text(right)
    result = train(tmp_path, few_names, "--steps", "20", "--hidden", "8")
    assert result.exit_code == 0, result.output
    log = (tmp_path / "out" / "log.txt").read_text()
    assert re.search(r"^[5-6],\d{3} parameters: 2 blocks, 4 heads, 24 channels$", log, re.M)
    apart = float(re.findall(r"largest difference of the losses from autograd's: (\S+)", log)[0])
    assert apart < 1e-12
    first, last = (float(re.findall(rf"^ +{step}/ +20: (\S+)", log, re.M)[0]) for step in (0, 19))
    assert last < first < 3.6
    assert len(re.findall(r"^20 names: (.*)$", log, re.M)[0].split(", ")) == 20
    assert "atch norm" not in (tmp_path / "out" / "index.html").read_text()

    line = 'd["wte"].index_add_(0, X.flatten(), dx.flatten(0, 1))'
    assert right.count(line) == 1
    (tmp_path / "backward.py").write_text(right.replace(line, "pass"))
    result = train(tmp_path, few_names, "--steps", "20", "--hidden", "8", "--fresh")
    assert result.exit_code == 2
    assert re.search(r"Step 0: `dwte` differs from autograd's by .*`dojo check 15\.dwte` explains it", result.output)

    (tmp_path / "backward.py").write_text(right.replace("(square.sqrt() + 1e-8)", "(square + 1e-8)"))
    result = train(tmp_path, few_names, "--steps", "20", "--hidden", "8", "--fresh")
    assert "the gradients are right, and `adam` changes" in result.output


def test_the_recurrent_network_trains_as_autograds_and_a_wrong_line_stops_it(course, few_names, tmp_path) -> None:
    right = solution_of(course.find("16"))
    (tmp_path / "backward.py").write_text(right)
    result = train(tmp_path, few_names, "--steps", "10", "--hidden", "9", lesson="16")
    assert result.exit_code == 0, result.output
    log = (tmp_path / "out" / "log.txt").read_text()
    assert float(re.findall(r"largest difference of the losses from autograd's: (\S+)", log)[0]) < 1e-12
    assert len(re.findall(r"^20 names: (.*)$", log, re.M)[0].split(", ")) == 20

    for line, wrong, sentence in (
        ("dh[1:] = (", "dh[:-1] = (", r"Step 0: `dWh` differs from autograd's by .*`dojo check 16\.dWh` explains it"),
        ("** 0.5\n    factor", "\n    factor", r"Step 0: the gradients are right, and `clip` makes .*16\.clip"),
    ):
        assert right.count(line) == 1
        (tmp_path / "backward.py").write_text(right.replace(line, wrong))
        result = train(tmp_path, few_names, "--steps", "10", "--hidden", "9", "--fresh", lesson="16")
        assert result.exit_code == 2 and re.search(sentence, result.output), result.output


@pytest.mark.parametrize(
    ("lesson", "steps", "given", "written"),
    [
        ("15", 7, "max_steps // 10", "max_steps // 10"),
        ("15", 13, "max_steps // 10", "max_steps / 10"),
        ("07", 1, "step < max_steps / 2", "step < max_steps // 2"),
        ("07", 7, "step < max_steps / 2", "step < max_steps // 2"),
    ],
)
def test_any_number_of_steps_trains_a_right_answer(
    course, few_names, tmp_path, lesson: str, steps: int, given: str, written: str
) -> None:
    """`learning_rate` is defined for a `max_steps` that is a multiple of 10, or even: in both forms it is right."""
    right = solution_of(course.find(lesson))
    assert right.count(given) == 1
    (tmp_path / "backward.py").write_text(right.replace(given, written))
    result = train(tmp_path, few_names, "--steps", str(steps), "--hidden", "8", lesson=lesson)
    assert result.exit_code == 0, result.output


def test_a_number_a_path_or_nothing_says_which_lesson(tmp_path) -> None:
    gpt, own = ROOT / "exercises" / "15_gpt" / "backward.py", tmp_path / "backward.py"
    own.write_text("")
    assert lesson_and_file(ROOT, Path("15"), None) == ("15_gpt", None)
    assert lesson_and_file(ROOT, Path("gpt"), None) == ("15_gpt", None)
    assert lesson_and_file(ROOT, gpt, None) == ("15_gpt", gpt)
    assert lesson_and_file(ROOT, own, None) == (None, own)
    assert lesson_and_file(ROOT, own, "15") == ("15", own)
    assert lesson_and_file(ROOT, None, None) == (None, None)
    first, config = find_script(ROOT, None)
    assert (first.name, folder_for(ROOT, first)) == ("07_training", Path("my-training"))
    assert options_for({}, None, config.training_options).steps == 200_000
    folder, config = find_script(ROOT, "15")
    assert folder_for(ROOT, folder) == Path("my-training/15")
    options = options_for({"steps": 7}, None, config.training_options)
    assert (options.steps, options.hidden) == (7, 69)
