"""`dojo train 15` and `16`: the GPT and the recurrent network with the answer key's gradients, next to autograd's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_networks import small_networks
from support import ROOT, solution_of

from grader.commands import dojo as dojo_cli
from grader.commands.train import lesson_and_file


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_networks(tmp_path_factory.mktemp("small"), steps=10)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def train(small: Path, lesson: str, source: str, *arguments: str) -> Result:
    """`dojo train LESSON` with `source` as the lesson's own file."""
    (folder,) = (small / "exercises").glob(f"{lesson}_*")
    (folder / "backward.py").write_text(source)
    result = CliRunner().invoke(dojo_cli.main, ["train", lesson, "--course", str(small), *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.full
def test_the_gpt_trains_as_autograds_and_a_wrong_line_stops_it(course, small) -> None:
    right = solution_of(course.find("15"))
    result = train(small, "15", right, "--steps", "20")
    assert result.exit_code == 0, result.output
    log = result.stdout
    assert re.search(r"^[5-6],\d{3} parameters: 2 blocks, 4 heads, 24 channels$", log, re.M)
    assert float(re.findall(r"largest difference of the losses from autograd's: (\S+)", log)[0]) < 1e-12
    first, last = (float(re.findall(rf"^ +{step}/ +20: (\S+)", log, re.M)[0]) for step in (0, 19))
    assert last < first < 3.6
    assert len(re.findall(r"^20 names: (.*)$", log, re.M)[0].split(", ")) == 20

    line = 'd["wte"].index_add_(0, X.flatten(), dx.flatten(0, 1))'
    assert right.count(line) == 1
    result = train(small, "15", right.replace(line, "pass"))
    assert result.exit_code == 2
    assert re.search(r"Step 0: `dwte` differs from autograd's by .*`dojo check 15\.dwte` explains it", result.output)

    result = train(small, "15", right.replace("(square.sqrt() + 1e-8)", "(square + 1e-8)"))
    assert "the gradients are right, and `adam` changes" in result.output


def test_the_recurrent_network_trains_as_autograds_and_a_wrong_line_stops_it(course, small) -> None:
    right = solution_of(course.find("16"))
    result = train(small, "16", right)
    assert result.exit_code == 0, result.output
    log = result.stdout
    assert float(re.findall(r"largest difference of the losses from autograd's: (\S+)", log)[0]) < 1e-12
    assert len(re.findall(r"^20 names: (.*)$", log, re.M)[0].split(", ")) == 20

    for line, wrong, sentence in (
        ("dh[1:] = (", "dh[:-1] = (", r"Step 0: `dWh` differs from autograd's by .*`dojo check 16\.dWh` explains it"),
        ("** 0.5\n    factor", "\n    factor", r"Step 0: the gradients are right, and `clip` makes .*16\.clip"),
    ):
        assert right.count(line) == 1
        result = train(small, "16", right.replace(line, wrong))
        assert result.exit_code == 2 and re.search(sentence, result.output), result.output


@pytest.mark.full
def test_any_number_of_steps_trains_a_right_answer(course, small) -> None:
    """`learning_rate` is defined for a `max_steps` that is a multiple of 10, or even: in both forms it is right."""
    for lesson, steps, given, written in (
        ("15", 13, "max_steps // 10", "max_steps / 10"),
        ("07", 1, "step < max_steps / 2", "step < max_steps // 2"),
        ("07", 7, "step < max_steps / 2", "step < max_steps // 2"),
    ):
        right = solution_of(course.find(lesson))
        assert right.count(given) == 1
        result = train(small, lesson, right.replace(given, written), "--steps", str(steps))
        assert result.exit_code == 0, result.output


def test_a_number_a_file_or_nothing_says_which_lesson(course) -> None:
    networks = [course.find("07"), course.find("15")]
    gpt, own = ROOT / "exercises" / "15_gpt" / "backward.py", Path("backward.py")
    own.write_text("")
    for word, name in (("15", "15_gpt"), ("gpt", "15_gpt"), (None, "07_training")):
        assert lesson_and_file(course, networks, word)[0].name == name
    for path, name in ((gpt, "15_gpt"), (own, "07_training")):
        assert lesson_and_file(course, networks, str(path)) == (course.lessons[name], path)
