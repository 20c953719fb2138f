"""`dojo` for people who work alone: the hidden suite from the repository, the debugger, the first five minutes."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from kits import file_of, solved
from support import ROOT

from grader.commands.run import run
from grader.results import LessonResult, NamedMistake, Row, SubmissionResult

pytest_plugins = ["dojos"]


def with_solution(kit: Path) -> None:
    shutil.copytree(ROOT / "solutions" / "04_cross_entropy", kit / "solutions" / "04_cross_entropy")


def test_a_kit_has_no_hidden_suite(kit, dojo):
    result = dojo("grade", "04", "--no-open")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "dojo: solutions/04_cross_entropy with the hidden suite is not here: only your course can grade lesson 04. "
        "`dojo check 04` checks what can be checked without it.\n"
    )


def test_a_grade_is_shown_and_kept_until_the_file_changes(kit, dojo, monkeypatch):
    """`grade run` itself is replaced here; the slow test below runs it."""
    with_solution(kit)
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    typed: list[list[str]] = []

    def main(arguments: list[str], **options: Any) -> None:
        typed.append(arguments)
        wrong = Row("in_one_go", "failed", 0, 1, mistake=NamedMistake("nan", "NaN."), message="NaN.")
        lesson = LessonResult.of("04_cross_entropy", [Row("dlogits", "passed", 2, 2), wrong])
        results = SubmissionResult(
            student="exercises", score=lesson.score, max_score=lesson.max_score, isolation="strong", lessons=[lesson]
        )
        place = kit / "my-grades" / "exercises"
        place.mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(results.to_json()))

    monkeypatch.setattr(run, "main", main)
    result = dojo("grade", "cross", "--no-open", "--seed", "7")
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (
        1,
        "04 Cross-entropy in one go\n"
        "2 of 3 points from the hidden suite\n"
        "✗ in_one_go wrong value\n"
        "    NaN.\n"
        "The report: my-grades/exercises/report.html\n",
    )
    assert typed[0][0] == str(kit / "exercises") and typed[0][-4:] == ["--lesson", "04_cross_entropy", "--seed", "7"]
    dojo("check", "04")
    assert "✓ 04 Cross-entropy in one go                      3 of 3  graded 2/3\n" in dojo().stdout
    file_of(kit, "04").write_text(solved("04", "dlogits") + "# more\n")
    assert "graded" not in dojo().stdout


@pytest.mark.slow
def test_the_hidden_suite_grades_a_lesson_of_the_repository(kit, dojo):
    with_solution(kit)
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    result = dojo("grade", "04", "--no-open", "--seed", "7")
    assert result.exit_code == 0 and "3 of 3 points from the hidden suite\n" in result.stdout
    assert (kit / "my-grades" / "exercises" / "report.html").is_file()


def test_breakpoint_works_with_pdb(kit, dojo, monkeypatch):
    stopped: list[str] = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: stopped.append(sys._getframe(1).f_code.co_name))
    monkeypatch.setattr("pdb.post_mortem", lambda trace: stopped.append("post mortem"))
    source = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv")
    source = source.replace("    return dlogprobs / probs", "    breakpoint()\n    return dlogprobs / probs")
    file_of(kit).write_text(source.replace("return (counts * dprobs)", "return (nothing * dprobs)"))
    result = dojo("check", "03.dprobs", "03.dcounts", "--pdb")
    assert (result.exit_code, stopped) == (0, ["dprobs"])
    assert result.stdout == "`dprobs` returned a tensor of shape (32, 27).\n`dcounts` is not written yet.\n"
    dojo("check", "03.dcounts_sum_inv", "--pdb")
    assert stopped == ["dprobs", "post mortem"]
    assert "Name one of its rows" in dojo("check", "04.in_one_go", "--pdb").stderr
    file_of(kit, "06").write_text(solved("06", "backward"))
    assert dojo("check", "06", "--pdb").stdout.startswith("`backward` returned a ")


@pytest.mark.full
def test_a_lesson_by_a_part_of_its_name(kit, dojo):
    assert dojo("check", "makemore").stdout.startswith("03 The makemore network")
    assert dojo("check", "makemore.dprobs").stdout.count("| ") == 1
    assert "'net' is part" not in dojo("check", "net").stderr  # only embedding_net has it
    several = dojo("check", "_e").stderr
    assert (
        several
        == "dojo: There is no lesson '_e'. The lessons are 03 makemore_steps, 04 cross_entropy, 06 embedding_net.\n"
    )
    assert dojo("check", "ste").stdout.startswith("03 ")
    for copied in ("03.", "exercises/03_makemore_steps/"):  # the end of a sentence, a shell's completion
        assert dojo("check", copied).stdout.startswith("03 ")
    both = dojo("reset", "emb").stdout
    assert both == "exercises/06_embedding_net/backward.py is the stub already: nothing in it has been changed.\n"
    assert [path.name for path in file_of(kit, "06").parent.glob("*.before-reset-*")] == []


def test_the_first_five_minutes_begin_where_the_exercises_are(kit, dojo):
    result = dojo("start")
    assert result.exit_code == 0 and result.stdout == (
        "Lesson 03: The makemore network, step by step\n"
        "\n"
        "1. Read exercises/03_makemore_steps/README.md. It teaches what you need and\n"
        "works out one gradient in full.\n"
        "2. Open exercises/03_makemore_steps/backward.py in your editor. You write one\n"
        "function for each gradient.\n"
        "3. Keep this window next to it. It checks the file whenever you save, and says\n"
        "what is wrong.\n"
        "\n"
        "Then type: dojo watch 03\n"
    )
    made = dojo("start", "elsewhere")
    assert made.exit_code == 0 and (kit / "elsewhere" / "exercises").is_dir()
