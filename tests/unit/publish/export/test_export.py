"""Results in other programs' formats: what they say, that they are valid, and that nothing in them does anything."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from feedback_class import add_attempt, write_student
from hypothesis import given
from hypothesis import strategies as st
from made_gradebook import write_gradebook
from made_results import HOSTILE, every_status, lesson, results, row
from runner import Runner
from support import ROOT

from grader.commands import grade as cli
from grader.commands.command_line import UNUSABLE
from grader.gradebook.assignment.config import parse_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.lesson.lesson import Course
from grader.publish.export import github
from grader.publish.export.formats import gradescope_json, junit_xml, write_formats
from grader.publish.export.gradebooks import points_in_cell
from grader.publish.inert import terminal_line
from grader.results import SubmissionResult


@pytest.fixture
def ada() -> SubmissionResult:
    return every_status()


def hostile() -> SubmissionResult:
    feedback = {"message": HOSTILE, "file": "04_small/backward.py", "line": 3}
    rows = [
        row("dwrong", "failed", **feedback, mistake={"id": HOSTILE, "message": HOSTILE + "!"}),
        row("derror", "error", **feedback),
        row("dtodo", "todo", **feedback),
    ]
    return results(
        HOSTILE, lesson("04_small", *rows, message=HOSTILE), lesson("05_x", status="missing", message=HOSTILE)
    )


# Gradescope ----------------------------------------------------------------------------------------------------------


def test_gradescope_has_a_test_for_each_row(ada):
    found = json.loads(gradescope_json(ada))
    assert {key: found[key] for key in found if key != "tests"} == {
        **{"score": 2, "execution_time": 2, "output_format": "text"},
        "output": "2 of 11 points.\n\n05_other was not graded: No folder was submitted.",
        **{"visibility": "visible", "stdout_visibility": "hidden"},
    }
    tests = found["tests"]
    assert [(test["number"], test["status"], test["score"], test["max_score"]) for test in tests] == [
        *((f"04.{number}", "passed", 1, 1) for number in (1, 2)),
        *((f"04.{number}", "failed", 0, 1) for number in range(3, 11)),
        ("05.1", "failed", 0, 1),
    ]
    assert (tests[2]["name"], tests[2]["output_format"]) == ("04_small: dwrong", "text")
    assert [test["output"] for test in tests[1:3]] == [
        "Right (04_small/backward.py)\nIn your chain: correct; red only because `dwrong` above it is wrong.\n"
        "exact: True  | approximate: True  | maxdiff: 0",
        "Wrong value (04_small/backward.py, line 7)\nThe sign is turned round.\n"
        "exact: False | approximate: False | maxdiff: 0.5",
    ]
    rejected = json.loads(gradescope_json(results("bo", status="rejected", message="bo.zip is no archive.")))
    assert (rejected["tests"], rejected["score"]) == ([], 0)
    assert rejected["output"] == "0 of 0 points.\n\nThe submission was not graded: bo.zip is no archive."


# JUnit ---------------------------------------------------------------------------------------------------------------

SUITE = ["name", "id", "package", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time"]


def checked_junit(text: str) -> ElementTree.Element:
    """The root, once everything is as JUnit's schema has it: elements in order, required attributes, no others."""
    root = ElementTree.fromstring(text)
    assert (root.tag, root.attrib) == ("testsuites", {})
    for number, suite in enumerate(root):
        assert (suite.tag, list(suite.attrib), suite.get("id")) == ("testsuite", SUITE, str(number))
        assert datetime.fromisoformat(suite.attrib["timestamp"]).tzinfo is None
        tags = [element.tag for element in suite]
        cases = suite.findall("testcase")
        assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
        assert all(list(each.attrib) == ["name", "value"] for each in suite.findall("properties/property"))
        count = {kind: len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error", "skipped")}
        assert [int(suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped")] == [
            len(cases),
            *count.values(),
        ]
        for case in cases:
            assert list(case.attrib) == ["name", "classname", "time"] and len(case) <= 1
            for feedback in case:
                assert list(feedback.attrib) == (["message"] if feedback.tag == "skipped" else ["type", "message"])
    return root


def test_junit_has_a_suite_for_each_lesson_and_a_case_for_each_row(ada):
    root = checked_junit(junit_xml(ada, datetime(2026, 11, 21, 18, 0, 5, tzinfo=UTC)))
    assert [root[0].get(name) for name in SUITE] == [
        *("04_small", "0", "ada", "2026-11-21T18:00:05", "localhost", "10", "2", "4", "2", "0.250")
    ]
    kinds = {"failure": "dwrong dshape", "skipped": "dtodo dmissing dx"}
    kinds |= {"passed": "dright dchain", "error": "derror dtimeout dcrashed dforbidden"}
    assert {case.get("name"): case[0].tag if len(case) else "passed" for case in root.iter("testcase")} == {
        name: kind for kind, names in kinds.items() for name in names.split()
    }
    wrong = root.find(".//testcase[@name='dwrong']/failure")
    assert wrong is not None and wrong.get("message") == "The sign is turned round."
    assert (wrong.text or "").startswith("Wrong value (04_small/backward.py, line 7)\n")
    assert root.findtext("testsuite[2]/system-out") == "No folder was submitted."


# GitHub: annotations -------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository" / "exercises" / "04_small"
    folder.mkdir(parents=True)
    (folder / "backward.py").write_text("")
    return tmp_path / "repository"


def commands_of(found: SubmissionResult, repository: Path) -> list[str]:
    paths = {found.student: repository / "exercises"}
    return list(github.error_commands([found], paths, repository))


def test_annotations_are_at_the_students_file_and_line(ada, repository):
    """Relative to the repository, as the runner has to have them."""
    assert commands_of(ada, repository) == [
        "::error title=05_other%3A not graded::No folder was submitted.",
        "::error file=exercises/04_small/backward.py,line=7,title=dwrong%3A wrong value::The sign is turned round.",
        "::error file=exercises/04_small/backward.py,line=9,title=dshape%3A wrong shape::Found (3,), expected (4, 3).",
        "::error file=exercises/04_small/backward.py,line=20,title=derror%3A error::ValueError: no",
        "::error file=exercises/04_small/backward.py,title=dtimeout%3A out of time::"
        "It did not return within 10 seconds.",
        "::error file=exercises/04_small/backward.py,title=dcrashed%3A crashed::Its process ended.",
        "::error file=exercises/04_small/backward.py,line=30,title=dforbidden%3A not allowed::It calls autograd.",
    ]


def test_rows_that_fail_with_one_sentence_are_one_annotation(repository):
    rows = [row(f"d{n}", "error", message="SyntaxError: invalid syntax", line=2) for n in range(26)]
    (command,) = commands_of(results("ada", lesson("04_small", *rows)), repository)
    assert "title=d0%2C d1%2C d2%2C d3 and 22 more%3A error::SyntaxError: invalid syntax" in command


def test_ten_annotations_at_most(repository):
    rows = [row(f"d{n}", "failed", message=f"wrong {n}", line=n) for n in range(1, 30)]
    found = Runner().read("\n".join(commands_of(results("ada", lesson("04_small", *rows)), repository)))
    assert [command.name for command in found.commands] == ["error"] * 10 + ["notice"]
    assert found.commands[-1].data == "19 more, see the job's summary."


def test_a_file_that_is_not_in_the_repository_is_not_pointed_at(repository):
    (repository.parent / "outside.py").write_text("")
    for inside in ("../../outside.py", "/etc/passwd", "nowhere.py"):
        assert github.path_in_repository(repository / "exercises", inside, repository) is None


def test_a_notebook_has_no_line(repository):
    (repository / "hw.ipynb").write_text("{}")
    found = results("ada", lesson("04_small", row("dx", "failed", message="no", file="hw.ipynb", line=3)))
    (command,) = github.error_commands([found], {"ada": repository / "hw.ipynb"}, repository)
    assert command == "::error file=hw.ipynb,title=dx%3A wrong value::no"


def test_a_job_under_its_bound_says_so(tmp_path):
    found, said = results("ada", lesson("03_a", row("dx", "passed"), row("dy", "todo"))), []
    github.report_to_github(tmp_path, [found], {}, {}, said.append, 62.5)
    assert said == [
        "::error title=Under 62.5 %25::ada has 1 of 2 points, and this job needs 62.5 %25. The job's summary says "
        "what to do next."
    ]


@given(title=st.text(), text=st.text(), place=st.none() | st.text(min_size=1))
def test_an_annotation_is_one_command_whatever_is_in_it(title, text, place):
    line = github.error_command(title, text, place, 3)
    (found,) = Runner().read(line).commands
    assert found.name == "error"
    assert found.data == text[: github.MAX_ANNOTATION_CHARACTERS]
    assert found.properties.get("file") == place
    assert set(found.properties) <= {"file", "line", "title"}


@given(st.text())
def test_what_is_printed_besides_is_never_a_command(text):
    assert not Runner().read(f"[1/2] {terminal_line(text)}: 3 of 3").commands


def test_commands_are_on_again_whatever_ends_the_run(tmp_path):
    arguments = ["run", str(tmp_path / "nowhere"), "--course", str(ROOT), "--format", "github"]
    done = CliRunner().invoke(cli.main, arguments)
    assert done.exit_code == UNUSABLE
    stopped, resumed = done.stdout.splitlines()
    assert stopped.startswith("::stop-commands::") and resumed == f"::{stopped.rpartition('::')[2]}::"
    assert [command.data for command in Runner().read(f"{done.stdout}::error::x").commands] == ["x"]


# GitHub: summary -----------------------------------------------------------------------------------------------------


def test_a_summary_keeps_under_github_s_limit(tmp_path):
    """A larger one is dropped as a whole, with what was in it before."""
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    github.append_summary(summary, ["one\n", "two\n"])
    github.append_summary(summary, ["é" * 400 + "\n"] * 3_000)
    assert summary.read_text() == "# before\none\n\n\ntwo\n" + github.TOO_LONG


def test_github_reads_the_files_that_it_names(ada, repository, tmp_path):
    out, said = tmp_path / "out", []
    (out / "ada").mkdir(parents=True)
    (out / "ada" / "report.md").write_text("# ada: 2 of 11\n")
    summary = tmp_path / "summary"
    environment = {"GITHUB_WORKSPACE": str(repository), "GITHUB_STEP_SUMMARY": str(summary)}
    github.report_to_github(out, [ada], {"ada": repository / "exercises"}, environment, said.append)
    assert said == commands_of(ada, repository)
    assert summary.read_text() == "# ada: 2 of 11\n"
    said.clear()
    github.report_to_github(out, [replace(ada, status="error")], {}, {}, said.append, 80)  # not the student's fault
    assert not any("Under 80" in line for line in said)
    github.report_to_github(out, [ada], {}, {}, said.append)  # not on GitHub: nowhere to write to, and no error


# Hostile text --------------------------------------------------------------------------------------------------------


def test_hostile_text_is_inert_in_every_format(repository):
    found = hostile()
    root = checked_junit(junit_xml(found))
    assert len(root.findall(".//failure")) == 1 and not root.findall(".//script")
    obeyed = Runner().read("\n".join(commands_of(found, repository))).commands
    assert {command.name for command in obeyed} == {"error"}
    shown = [junit_xml(found), gradescope_json(found), *(c.data for c in obeyed)]
    for text in shown:
        assert not {"\x1b", "\x00", "\u202e", "\u200b", "\udc80", "\r"} & set(text)


def test_a_fault_of_ours_has_no_files(tmp_path):
    (tmp_path / "ada").mkdir()
    write_formats(tmp_path, ["ada", "bo"], ["gradescope", "junit"])
    assert list((tmp_path / "ada").iterdir()) == []


# Canvas and Moodle ---------------------------------------------------------------------------------------------------


def of_class(student: str, points: int = 2) -> SubmissionResult:
    rows = [row("dx"), row("dy", "passed" if points == 2 else "todo")]
    return results(student, lesson("03_steps", *rows), lesson("04_small", row("dz")))


def add_results(out: Path, *found: SubmissionResult) -> Path:
    out.mkdir(exist_ok=True)
    book = Gradebook(out / GRADEBOOK)
    for each in found:
        add_attempt(book, each)
        write_student(out, each)
    book.close()
    return out


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    return add_results(tmp_path / "grades", of_class("Ada Okafor"), of_class("Bo Li", 1))


def exported(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.main, ["export", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def table(path: Path) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "roster.csv"
    path.write_text(ROSTER)
    return path


CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section"
MOODLE = "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments"
ROSTER = "id,name,email\n101,Ada Okafor,ada@x.org\n102,Bo Li,bo@x.org\n103,=cmd(),cy@x.org\n"
ABSENT = "1 of the roster without a score, their cells are empty: =cmd()."
SCALED = "{}: scores out of {} are scaled to the platform's maximum of {}."


class GradeBook(NamedTuple):
    """What `grade export PLATFORM --roster GIVEN` writes and says of a class in which Ada has 2 and 1, Bo 1 and 1."""

    platform: str
    given: str
    written: str
    options: str = ""
    remarks: tuple[str, ...] = ()


GRADE_BOOKS = {
    "a new file for Canvas": GradeBook(
        "canvas",
        ROSTER,
        f"{CANVAS},03_steps,04_small\n    Points Possible,,,,,2,1\n"
        "Ada Okafor,,101,,,2,1\nBo Li,,102,,,1,1\n'=cmd(),,103,,,,\n",
        remarks=(ABSENT,),
    ),
    "Canvas's own export, filled in": GradeBook(
        "canvas",
        f"{CANVAS},Old (1)\n    Points Possible,,,,,5\nAda Okafor,9,s1,ada7,A,4\nBo Li,8,s2,bo8,B,\n",
        f"{CANVAS},Old (1),S (7)\n    Points Possible,,,,,5,2\nAda Okafor,9,s1,ada7,A,4,2\nBo Li,8,s2,bo8,B,,1\n",
        "--name=3=S (7)",
    ),
    "scaled to Canvas's points possible": GradeBook(
        "canvas",
        f"{CANVAS},S (7),T (8),Final\n    Points Possible,,,,,10.0,,(read only)\nAda Okafor,9,,,,,,4\nBo Li,8,,,,,,\n",
        f"{CANVAS},S (7),T (8),Final\n    Points Possible,,,,,10,1,(read only)\n"
        "Ada Okafor,9,,,,10,1,4\nBo Li,8,,,,5,1,\n",
        "--name=3=S (7)|--name=4=T (8)",
        (SCALED.format("S (7)", 2, 10),),
    ),
    "scaled to Moodle's maximum": GradeBook(
        "moodle",
        f'{MOODLE}\n1,Ada Okafor,,,"100,00",x\n2,Bo Li,,,"100,00",y\n',
        f'{MOODLE}\n1,Ada Okafor,,100,"100,00",x\n2,Bo Li,,66.666667,"100,00",y\n',
        remarks=(SCALED.format("Grade", 3, 100),),
    ),
    "a maximum that is no number": GradeBook(
        "moodle",
        f"{MOODLE}\n1,Ada Okafor,,,Excellent,x\n2,Bo Li,,,Excellent,y\n",
        f"{MOODLE}\n1,Ada Okafor,,3,Excellent,x\n2,Bo Li,,2,Excellent,y\n",
    ),
    "the maximum on the command line": GradeBook(
        "moodle",
        ROSTER,
        "Identifier,Full name,Email address,Grade\n"
        "101,Ada Okafor,ada@x.org,100\n102,Bo Li,bo@x.org,66.666667\n103,'=cmd(),cy@x.org,\n",
        "--max=100",
        (ABSENT, SCALED.format("Grade", 3, 100)),
    ),
    "it comes before the file's": GradeBook(
        "moodle",
        f"{MOODLE}\n1,Ada Okafor,,,100.00,x\n2,Bo Li,,,50.00,y\n",
        f"{MOODLE}\n1,Ada Okafor,,30,100.00,x\n2,Bo Li,,20,50.00,y\n",
        "--max=30",
        (SCALED.format("Grade", 3, 30),),
    ),
    "columns by name": GradeBook(
        "moodle",
        "name,id\nAda Okafor,1\nBo Li,2\n",
        "Identifier,Full name,Email address,S,T\n1,Ada Okafor,,10,10\n2,Bo Li,,5,10\n",
        "--name=03=S|--name=4=T|--max=10",
        (SCALED.format("S", 2, 10), SCALED.format("T", 1, 10)),
    ),
}


@pytest.mark.parametrize("name", GRADE_BOOKS)
def test_a_grade_book(graded, tmp_path, name):
    platform, given, written, options, remarks = GRADE_BOOKS[name]
    (tmp_path / "class.csv").write_text(given)
    arguments = ["--roster", tmp_path / "class.csv", *filter(None, options.split("|"))]
    status, said, warned = exported(platform, graded, *arguments)
    students = 3 if given == ROSTER else 2
    assert (status, warned) == (0, "".join(f"grade: {remark}\n" for remark in remarks))
    assert said.startswith(f"wrote {graded / platform}.csv: 2 of {students} students have a score.\n")
    advice = "Grade is in points out of 3. If the platform's maximum is another, give it with --max.\n"
    assert (advice in said) == ("Excellent" in given)
    assert (graded / f"{platform}.csv").read_text() == written


def test_a_score_is_the_share_of_the_student_s_own_maximum(tmp_path, roster):
    """A notebook cannot contain the row `dy`: it has all points without it."""
    rows = row("dx"), row("dy", "missing", max_points=0, counted=False)
    notebook = results("Bo Li", lesson("03_steps", *rows), lesson("04_small", row("dz", "todo")))
    graded = add_results(tmp_path / "grades", of_class("Ada Okafor"), notebook)
    names = ["--name", "03=S", "--name", "total=T"]
    assert exported("canvas", graded, "--roster", roster, *names)[0] == 0
    assert [line[-2:] for line in table(graded / "canvas.csv")[1:4]] == [["2", "3"], ["2", "3"], ["2", "1.5"]]


def test_moodle_s_worksheet_with_hidden_identities_keeps_its_cells(tmp_path):
    """Identifier is enough, and only the grade changes: a `-` stays one, a comment keeps its lines and spaces."""
    graded = add_results(tmp_path / "grades", of_class("Ada Okafor"), of_class("Participant 12", 1))
    worksheet = tmp_path / "worksheet.csv"
    worksheet.write_text(
        "sep=,\nIdentifier,Status,Grade,Last modified (grade),Feedback comments\n"
        'Participant 12,+1 day,,-,"<p>- one</p>\n<p>two</p> "\nParticipant 13,=cmd(),,-0.5,a;=b\n'
    )
    assert exported("moodle", graded, "--roster", worksheet)[0] == 0
    assert table(graded / "moodle.csv")[1:] == [
        ["Participant 12", "'+1 day", "2", "-", "<p>- one</p>\n<p>two</p> "],
        ["Participant 13", "'=cmd()", "", "-0.5", "a;'=b"],
    ]


def test_a_maximum_is_a_positive_number_as_a_platform_writes_it():
    numbers = {"100.00": 100, "100,00": 100, "1000,00": 1000, "1,000.00": 1000, "1.000,00": 1000, " 6 ": 6}
    for cell, value in {**numbers, "-": None, "Excellent": None, "0.00": None, "-4": None, "": None}.items():
        assert points_in_cell(cell) == value


def test_who_is_in_no_roster_is_named(graded, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\n101,Ada Okafor,ada@x.org\n")
    status, said, warned = exported("moodle", graded, "--roster", roster)
    assert status == 0 and "1 of 1 student has a score" in said
    assert warned == "grade: `Bo Li` is not in the roster; it is graded under that name.\n"


def test_a_grade_book_that_cannot_be_written_is_one_sentence(graded, roster, tmp_path):
    several = tmp_path / "several.csv"
    several.write_text(f"{MOODLE}\n1,Ada Okafor,,,100.00,x\n2,Bo Li,,,50.00,y\n")
    for platform, out, students, options, sentence in (
        ("canvas", graded, roster, ["--name", "09=x"], "LESSON=COLUMN, with a lesson of 03_steps, 04_small, total"),
        ("canvas", graded, roster, ["--name", "03"], "give LESSON=COLUMN"),
        ("canvas", graded, "nowhere.csv", [], "nowhere.csv cannot be read"),
        ("canvas", tmp_path, roster, [], "name the folder that `grade run -o` wrote"),
        ("moodle", graded, several, [], "several values (100.00, 50.00): give the maximum"),
    ):
        status, _, said = exported(platform, out, "--roster", students, *options)
        assert status == UNUSABLE
        assert sentence in said and said.startswith("grade: ") and said.count("\n") == 1


def test_a_second_folder_of_the_same_name_changes_no_mark(graded, roster):
    """`grade run --roster` wrote `Ada Okafor`; a submission called `ada okafor` is somebody's guess at that name."""
    add_results(graded, results("ada okafor", lesson("03_steps", row("dx", "todo"), row("dy", "todo"))))
    status, said, warned = exported("canvas", graded, "--roster", roster)
    assert (status, said) == (0, f"wrote {graded / 'canvas.csv'}: 2 of 3 students have a score.\n")
    assert warned.splitlines()[0] == (
        "grade: `ada okafor` matches Ada Okafor (id 101), but `Ada Okafor` is confirmed and counts. `ada okafor` is "
        "graded under its own name: find out who submitted it."
    )
    assert ["Ada Okafor", "", "101", "", "", "2", "1"] in table(graded / "canvas.csv")


def test_two_submissions_of_one_student_have_no_score_until_one_is_confirmed(tmp_path, roster):
    """`Ada Okafor` and `Ada Okafor-2` came under one name, in a run without a roster."""
    for names in (("ada okafor", "okafor-ada"), ("Ada Okafor", "Ada Okafor-2")):
        graded = add_results(tmp_path / names[1], *map(of_class, names), of_class("Bo Li", 1))
        status, said, warned = exported("canvas", graded, "--roster", roster)
        assert (status, said) == (0, f"wrote {graded / 'canvas.csv'}: 1 of 3 students have a score.\n")
        assert warned.splitlines()[0] == (
            f"grade: `{names[0]}` and `{names[1]}` both match Ada Okafor (id 101). None of them counts until you say "
            "which: write one of these names in the line of Ada Okafor, in the roster's column `submission`, and run "
            "again."
        )
        assert ["Ada Okafor", "", "101", "", "", "", ""] in table(graded / "canvas.csv")


def test_points_have_the_assignment_s_decimals(tmp_path):
    """Three lessons are 100 points together, not 99.99."""
    write_gradebook(tmp_path / "out", {"Ada": 1})
    lessons = list(Course(ROOT).lessons.values())
    rows = ", ".join(f'{{rows = "{name}", points = 1}}' for name in ("04.dlogits", "02.dW2", "03.dW2"))
    text = f'title = "HW"\nrows = [{rows}]\npoints = 100\nround = 2\n'
    book = Gradebook(tmp_path / "out" / GRADEBOOK)
    book.set_assignment(parse_assignment(text, Path("hw.toml"), lessons))
    book.close()
    (tmp_path / "roster.csv").write_text("id,name\n1,Ada\n")
    assert exported("canvas", tmp_path / "out", "--roster", tmp_path / "roster.csv", "--name", "04=A", "--name", "02=B",
                    "--name", "total=T")[0] == 0  # fmt: skip
    possible, ada = table(tmp_path / "out" / "canvas.csv")[1:]
    assert (possible[5:], ada[5:]) == (["33.33", "33.33", "100"], ["33.33", "0", "33.33"])
