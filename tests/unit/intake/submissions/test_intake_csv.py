"""intake.csv: written with what is unclear, edited by a person, read back with one sentence for each error."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as some
from packaged import other, right
from support import ROOT

from grader.commands.grade import main
from grader.errors import UserError
from grader.intake.submissions.intake_csv import (
    IntakeLine,
    decisions,
    file_cell,
    intake_question,
    intake_text,
    read_intake,
    updated_lines,
)

LESSON = "04_cross_entropy"
HEADER = "student,found,guess,reason,alternatives,confirmed\n"


def read(tmp_path: Path, course, text: str) -> list[IntakeLine]:
    (tmp_path / "i.csv").write_text(text, encoding="utf-8")
    return read_intake(tmp_path / "i.csv", course)


ERRORS = {
    "": "a first line that names its columns: student, found, guess, reason, alternatives, confirmed; it is empty.",
    f"{HEADER},a.py,04: a.py\n": "line 2 has no student: write the name as in grades.csv.",
    f"{HEADER}ann,a.py,a.py\n": "line 2: 'a.py' is no guess: write LESSON: FILE, such as 03: work/backward.py.",
    f"{HEADER}ann,a.py,99: a.py\n": "line 2: There is no lesson '99'; there are: 01_chain_rule, ",
    f"{HEADER}ann,x,04: a.py; 4: b.py\n": "line 2 gives two files for 04_cross_entropy: ",
}


def test_an_error_is_one_sentence(course, tmp_path):
    for text, sentence in ERRORS.items():
        with pytest.raises(UserError, match=r"i\.csv") as caught:
            read(tmp_path, course, text)
        assert sentence in str(caught.value)


def test_as_a_spreadsheet_saves_it(course, tmp_path):
    (line,) = read(tmp_path, course, '\ufeffStudent;Guess\nann;"4:  my work/b.py ; 02:"\n')
    assert line.guess == {LESSON: "my work/b.py", "02_small_net": ""}


FILES = some.from_regex(r"[=+@\-a-z äé%;\u00ad\u202e\n\ud8ff]{1,8}(/[a-z(),' ;:%35B\r\t]{1,8})?\.py ?", fullmatch=True)


@given(
    student=some.from_regex(r"[=+@a-zé ,']{0,5}[a-z]", fullmatch=True).map(str.strip),
    files=some.lists(FILES, min_size=1),
)
@settings(max_examples=30, deadline=None)
def test_what_is_written_is_read_again(course, tmp_path_factory, student, files):
    guess = {name: file_cell(file).removeprefix("./") for name, file in zip(course.lessons, files, strict=False)}
    line = replace(intake_question(student, files, "Why, and why.", LESSON), guess=guess)
    path = tmp_path_factory.mktemp("intake") / "i.csv"
    path.write_text(intake_text([line]), encoding="utf-8")
    assert read_intake(path, course) == [line]
    assert not any(cell[:1] in tuple("=+-@") for cells in csv.reader(path.open(encoding="utf-8")) for cell in cells)


def test_what_is_kept():
    question = fresh = intake_question("ann", ("a.py", "b.py"), "Two files.", LESSON)
    done = IntakeLine("bo", "c.py", {LESSON: "c.py"}, confirmed=True)
    assert updated_lines([], {"ann": [question]}, [LESSON]) == ([fresh], [])
    assert updated_lines([fresh, done], {}, [LESSON]) == ([fresh, done], [])  # a run without them
    assert updated_lines([fresh, done], {"ann": [], "bo": []}, [LESSON]) == ([done], [])  # ann submitted again
    edited = IntakeLine("ann", fresh.found, {LESSON: "b.py"}, fresh.reason, fresh.alternatives)
    assert updated_lines([edited], {"ann": [question]}, [LESSON]) == ([edited], ["ann"])
    assert decisions([edited, done]) == {"bo": {LESSON: "c.py"}}
    new = intake_question("ann", ("b.py", "a.py"), "Two other files: nobody's edit.", LESSON)
    assert updated_lines([fresh], {"ann": [new]}, [LESSON]) == ([new], [])


@pytest.mark.full
def test_from_the_guess_to_the_decision(tmp_path):
    """As it is typed: a guess, an edited line, --intake, and a later run that keeps the decision."""
    folder, out = tmp_path / "class" / "ann", tmp_path / "out"
    folder.mkdir(parents=True)
    (folder / "a.py").write_bytes(right("04") + b"\ndef dlogits(logits, Yb, n):\n    return logits\n")
    (folder / "b.py").write_bytes(other("04"))
    command = ["run", str(tmp_path / "class"), "--lesson", "4", "-o", str(out), "--jobs", "1", "--course", str(ROOT)]

    def run(*more: str) -> tuple[str, str, str]:
        """The points, intake.csv's second line, and what was printed."""
        done = CliRunner().invoke(main, [*command, *more])
        assert done.exit_code == 0, done.output
        table = list(csv.reader((out / "grades.csv").open(encoding="utf-8")))
        return table[1][1], (out / "intake.csv").read_text(encoding="utf-8").splitlines()[1], done.stderr

    points, line, message = run()
    assert line.startswith(f"ann,a.py; b.py,{LESSON}: a.py,") and points == "0"
    assert f"1 submission can be read in several ways: edit `guess` in {out / 'intake.csv'}, then run again" in message
    assert "was guessed: see intake.csv" in (out / "index.html").read_text(encoding="utf-8")
    text = (out / "intake.csv").read_text(encoding="utf-8").replace(f"{LESSON}: a.py,", "4: b.py,", 1)
    (out / "intake.csv").write_text(text, encoding="utf-8")
    points, line, message = run()
    assert points == "0" and f"{LESSON}: b.py" in line and "was edited for ann" in message
    for more in (["--intake", str(out / "intake.csv")], [], ["--fresh"]):
        points, line, message = run(*more)
        assert points == "3" and line.endswith(",yes") and "edit `guess`" not in message
    (out / "intake.csv").write_text(text.replace("4: b.py", "4: c.py"), encoding="utf-8")
    failed = CliRunner().invoke(main, [*command, "--intake", str(out / "intake.csv")])
    assert (
        failed.exit_code == 2
        and "says that `c.py` is 04_cross_entropy, and the submission has no such" in failed.stderr
    )


def test_a_notebook_for_several_lessons_has_a_line_for_each(course, tmp_path):
    """One key per student made the second run write the last guess into every line, and say that somebody had."""
    names = [*course.lessons][1:5]
    questions = [
        intake_question("ann", ["n.ipynb"], f"`n.ipynb` is {name}, and defines one twice.", name) for name in names
    ]
    first, _ = updated_lines([], {"ann": questions}, names)
    text = intake_text(first)
    assert updated_lines(read(tmp_path, course, text), {"ann": questions}, names) == (first, [])
    # a run for other lessons has no question about them, and asks about another in the same words
    assert updated_lines(first, {"ann": questions[1:2]}, names[1:2]) == (first, [])
    lines = read(tmp_path, course, text.replace(f"{names[2]}: n.ipynb", f"{names[2]}:"))
    kept, edited = updated_lines(lines, {"ann": questions}, names)
    assert edited == ["ann"] and [each.guess for each in kept] == [
        {name: "n.ipynb" if name != names[2] else ""} for name in names
    ]
