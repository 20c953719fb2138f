"""Reports on their way back: what each platform reads in an archive, and that each student gets their own."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from feedback_class import LESSON, add_attempt, golden_download, laid_out, report_of, write_class, write_student
from made_results import HOSTILE, lesson, results, row

from grader.commands.grade import main
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.records import Decision
from grader.intake.submissions.roster import read_roster
from grader.publish.export.gradebooks import read_marks
from grader.publish.feedback import NoFeedback, canvas_feedback, moodle_feedback, one_line_summary
from grader.publish.report.decisions import decision_sentences
from grader.results import Adjustment, Comment, Excuse, Lateness, NotGraded


def grade(*arguments: object, status: int = 0) -> tuple[str, str]:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == status, done.output
    return done.stdout, done.stderr


def unzipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and len(set(archive.namelist())) == len(archive.namelist())
        return {name: archive.read(name) for name in archive.namelist()}


# Canvas --------------------------------------------------------------------------------------------------------------


def canvas_reads(name: str) -> tuple[str, str]:
    """(user, attachment) as Canvas reads a re-uploaded file's name: numbers between underscores, or after anon."""
    parts = [part for part in name.split("_") if part != "LATE"]
    if parts[0] == "anon":
        return parts[1], parts[2]
    user, attachment = [part for part in parts if re.fullmatch(r"\d+", part)][:2]
    return user, attachment


def test_canvas_gets_the_names_that_it_gave(course, tmp_path):
    download = golden_download("canvas", tmp_path)
    write_class(course, download, tmp_path / "out")
    said, warned = grade("feedback", "canvas", tmp_path / "out")
    files = unzipped(tmp_path / "out" / "canvas-feedback.zip")
    assert "reports for 6 students" in said
    assert warned == (
        "grade: `perezluis` gets no feedback: Canvas returns files only to who submitted a file, and this is typed "
        "text or a link.\n"
    )
    given = {path.name: path.name for path in download.iterdir()}
    assert set(files) - set(given) == {"ngthuý_12349_67895_notes.pdf.html"}
    owners = {canvas_reads(name)[0]: name for name in files}
    for user, student in (
        ("12345", "okaforada"), ("12346", "dupontamélie"), ("12347", "oneilsmithana"), ("12348", "chenbo"),
        ("12349", "ngthuý"), ("12351", "silvaeva"),
    ):  # fmt: skip
        text = files[owners[user]]
        if owners[user].endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(text)) as inside:
                assert sorted(inside.namelist()) == ["report.html", "report.md"]
                text = inside.read("report.html")
        assert report_of(student) in text.decode()
    # of two attempts the newest, of two files the one that is graded
    assert owners["12346"] == "dupontamélie_LATE_12346_67899_backward-1.py"
    assert owners["12347"] == "oneilsmithana_12347_67892_backward.py"


def test_an_anonymous_class_and_its_archive(course, tmp_path):
    download = golden_download("canvas_anonymous", tmp_path)
    packed = tmp_path / "submissions.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in download.iterdir():
            archive.write(path, path.name)
    write_class(course, packed, tmp_path / "out")
    grade("feedback", "canvas", tmp_path / "out", "-o", tmp_path / "x.zip")
    assert {canvas_reads(name) for name in unzipped(tmp_path / "x.zip")} == {("Zz9zz", "67891"), ("aB3xY", "67890")}


def test_what_comes_back_is_what_its_name_says():
    files = {"report.html": b"<p>", "report.md": b"# R\n\x0c::end\nmore"}
    ((_, python),) = canvas_feedback(["a_1_234_backward.py"], files).items()
    assert all(line.startswith(b"#") for line in python.splitlines()) and b"# more" in python
    compile(python, "backward.py", "exec")
    ((_, notebook),) = canvas_feedback(["a_1_234_makemore.ipynb"], files).items()
    (cell,) = json.loads(notebook)["cells"]
    assert cell["cell_type"] == "markdown" and "# R" in cell["source"] and "more" in cell["source"]
    assert canvas_feedback(["a_1_234_x.html"], files) == {"a_1_234_x.html": b"<p>"}
    assert canvas_feedback(["a_1_234_x.tar.gz"], files) == {"a_1_234_x.tar.gz.html": b"<p>"}
    with pytest.raises(NoFeedback):
        canvas_feedback(["a_1_link.html"], files)


# Moodle --------------------------------------------------------------------------------------------------------------


def moodle_reads(path: str) -> tuple[str, str]:
    """(participant's number, file) as Moodle's importer reads a path in the zip."""
    parts = path.split("/")
    for at, part in enumerate(parts):
        fields = part.split("_", 4)
        if len(fields) >= 4 and fields[1].isdigit() and fields[2] == "assignsubmission":
            return fields[1], "/".join([*fields[4:], *parts[at + 1 :]]).lstrip("/")
    raise AssertionError(f"Moodle ignores {path}")


@pytest.mark.parametrize("name", ["moodle", "moodle_flat"])
def test_moodle_reads_whose_each_file_is(course, tmp_path, name):
    download = golden_download(name, tmp_path)
    written = write_class(course, download, tmp_path / "out")
    said, warned = grade("feedback", "moodle", tmp_path / "out")
    files = unzipped(tmp_path / "out" / "moodle-feedback.zip")
    assert warned == "" and f"reports for {len(written)} students" in said
    numbers = {moodle_reads(path.name + "/x")[0]: path.name.split("_")[0] for path in download.iterdir()}
    for path, text in files.items():
        number, file = moodle_reads(path)
        student = numbers[number] if numbers[number] != "Participant" else f"Participant {number}"
        assert file in ("report.html", "report.md") and report_of(student) in text.decode()
    assert len(files) == 2 * len(written)


def test_moodle_s_folder_is_named_as_it_was():
    one = {"report.html": b""}
    assert [*moodle_feedback(["Ada_1_assignsubmission_onlinetext_", "Ada_1_assignsubmission_file_"], one)] == [
        "Ada_1_assignsubmission_file_/report.html"
    ]
    assert [*moodle_feedback(["Ada_1_assignsubmission_file_b_c.py"], one)] == [
        "Ada_1_assignsubmission_file_report.html"
    ]


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
    "Last modified (grade),Feedback comments\n"
    'Participant 123456,Ada Okafor,ada@x.org,Submitted,-,"50,00",Yes,"Monday, 2 March 2026, 9:00 AM",-,\n'
    'Participant 123457,Amélie Dupont-Léger,amelie@x.org,Submitted,-,"50,00",Yes,-,-,an old remark\n'
    'Participant 99,Cy Nobody,cy@x.org,No submission,-,"50,00",Yes,-,-,\n'
)


def test_moodle_s_worksheet_comes_back_whole(course, tmp_path):
    """With the columns that Moodle needs, and a summary where no comment is."""
    download, roster = golden_download("moodle", tmp_path), tmp_path / "worksheet.csv"
    roster.write_text(WORKSHEET, encoding="utf-8")
    write_class(course, download, tmp_path / "out", roster, ada=2)
    _, warned = grade("export", "moodle", tmp_path / "out", "--roster", roster)
    assert "scaled to the platform's maximum of 50" in warned
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "moodle.csv").read_text(encoding="utf-8"))))
    assert list(rows[0]) == WORKSHEET.splitlines()[0].split(",")
    assert [(each["Identifier"], each["Grade"], each["Feedback comments"]) for each in rows] == [
        ("Participant 123456", "50", "2 of 2 points (100 %)."),
        ("Participant 123457", "25", "an old remark"),
        ("Participant 99", "", ""),
    ]


@pytest.mark.parametrize(
    ("platform", "place"),
    [("canvas", "okaforada_12_345_backward.py"), ("moodle", "Ada Okafor_12_assignsubmission_file_/backward.py")],
)
def test_who_submits_for_a_group_gets_their_own_report(course, tmp_path, platform, place):
    download, roster, out = laid_out(tmp_path / "in", {place: "right"}), tmp_path / "roster.csv", tmp_path / "out"
    roster.write_text("name,group\nAda Okafor,G\nZoe Chen,G\n")
    write_class(course, download, out, roster, zoe=2)
    _, warned = grade("feedback", platform, out)
    files = unzipped(out / f"{platform}-feedback.zip")
    assert files and not any(report_of("Zoe Chen").encode() in text for text in files.values())
    assert any(report_of("Ada Okafor").encode() in text for text in files.values())
    assert "`Zoe Chen` gets no feedback here: Ada Okafor submitted for the group" in warned


@pytest.mark.parametrize(("points", "names"), [(1, {"teamg_12_345_backward.py"}), (2, {"bobo_13_346_backward.py"})])
def test_a_group_that_submitted_under_its_own_name(course, tmp_path, points, names):
    places = ("teamg_12_345_backward.py", "bobo_13_346_backward.py")
    download, roster, out = laid_out(tmp_path / "in", dict.fromkeys(places, "right")), tmp_path / "r", tmp_path / "o"
    roster.write_text("name,group\nAda Okafor,Team G\nZoe Chen,Team G\nBo Bo,\n")
    write_class(course, download, out, roster, zoe=points)
    _, warned = grade("feedback", "canvas", out)
    assert set(unzipped(out / "canvas-feedback.zip")) == names | {"bobo_13_346_backward.py"}
    assert (points == 2) == (
        "gets no feedback: its members have different scores or remarks, and there is one report" in warned
    )


# What does not go back -----------------------------------------------------------------------------------------------


@pytest.fixture
def ada(course, tmp_path) -> Path:
    download = laid_out(
        tmp_path / "submissions", {"okaforada_12_345_backward.py": "right", "chenbo_13_346_backward.py": "right"}
    )
    write_class(course, download, tmp_path / "out")
    return download


def test_only_what_came_in_the_platform_s_download_goes_back(ada, course, tmp_path):
    """Also where a later attempt came in another way: Canvas knows the student by the names of the first."""
    of_none = "gets no feedback here: no submission of this student came in a download of"
    for platform, out in (("moodle", tmp_path / "out"), ("canvas", tmp_path / "other")):
        write_class(course, laid_out(tmp_path / "in", {"cy/backward.py": "right"}), tmp_path / "other")
        _, shown = grade("feedback", platform, out, status=2)
        assert of_none in shown and "nothing was written" in shown
    assert not list((tmp_path / "out").glob("*.zip"))
    again = laid_out(tmp_path / "again", {"okaforada/backward.py": "right", "cy/backward.py": "right"})
    write_class(course, again, tmp_path / "out")
    _, warned = grade("feedback", "canvas", tmp_path / "out")
    assert set(unzipped(tmp_path / "out" / "canvas-feedback.zip")) == {path.name for path in ada.iterdir()}
    assert warned == f"grade: `cy` {of_none} Canvas.\n"


def test_a_report_that_is_not_current_stays_here(ada, tmp_path):
    out = tmp_path / "out"
    gradebook = Gradebook(out / GRADEBOOK)
    (bo,), (ada_s,) = ([each.results for each in gradebook.attempts(name)] for name in ("chenbo", "okaforada"))
    better = replace(bo, score=2, lessons=[lesson(LESSON, row("dlogits"), row("in_one_go"))])
    add_attempt(gradebook, better)
    add_attempt(gradebook, replace(ada_s, status="error", lessons=[], not_graded=[NotGraded(LESSON, 2)]))
    gradebook.close()
    _, shown = grade("feedback", "canvas", out, status=2)
    assert "`chenbo` gets no feedback: the report in" in shown and "is older than the score" in shown
    assert "`okaforada` gets no feedback: the submission could not be graded, so there is no report." in shown
    assert shown.splitlines()[-1].startswith("grade: nothing was written")
    write_student(out, better)
    grade("feedback", "canvas", out)


# A folder, and mail merge --------------------------------------------------------------------------------------------


def test_a_folder_for_each_student_and_a_csv(ada, tmp_path):
    out, roster = tmp_path / "out", tmp_path / "roster.csv"
    roster.write_text(
        "id,name,email,submission\n1,Ada Okafor,ada@x.org,okaforada\n=2+2,Bo Chen,=cmd()@x.org,chenbo\n"
        "3,Cy Nobody,cy@x.org,\n4,Di Silent,,\n"
    )
    said, warned = grade("feedback", "folder", out, "--roster", roster)
    assert "reports for 2 students" in said and "Cy Nobody" in warned
    assert (out / "feedback" / "okaforada" / "report.html").read_text() == f"<p>{report_of('okaforada')}</p>"
    assert not list((out / "feedback").rglob("results.json"))  # it has the seed
    lines = list(csv.DictReader(io.StringIO((out / "feedback" / "mailmerge.csv").read_text())))
    assert [line | {"report": ""} for line in lines] == [
        {"email": "ada@x.org", "name": "Ada Okafor", "id": "1", "score": "1", "maximum": "2", "percent": "50",
         "summary": "1 of 2 points (50 %). Not right yet: in_one_go (wrong value).", "report": ""},
        {"email": "'=cmd()@x.org", "name": "Bo Chen", "id": "'=2+2", "score": "1", "maximum": "2", "percent": "50",
         "summary": "1 of 2 points (50 %). Not right yet: in_one_go (wrong value).", "report": ""},
    ]  # fmt: skip
    assert [Path(line["report"]).read_text() for line in lines] == [
        f"<p>{report_of(name)}</p>" for name in ("okaforada", "chenbo")
    ]
    said, _ = grade("export", "mailmerge", out, "--roster", roster)
    assert said == f"wrote {out / 'mailmerge.csv'}: 2 of 4 students.\n"
    rows = list(csv.DictReader(io.StringIO((out / "mailmerge.csv").read_text())))
    assert [Path(line["report"]) for line in rows] == [out / name / "report.html" for name in ("okaforada", "chenbo")]


def test_a_student_for_whom_it_fails_gets_nothing_and_the_others_get_theirs(ada, tmp_path, monkeypatch):
    """The same for each platform: a comment, a file, a line of a CSV."""

    def sentences(results):
        return decision_sentences(results) if results.student != "okaforada" else 1 // 0

    monkeypatch.setattr("grader.publish.feedback.decision_sentences", sentences)
    out, roster = tmp_path / "out", tmp_path / "roster.csv"
    roster.write_text(
        "Identifier,Full name,Email address,Grade,Feedback comments,submission\n"
        "Participant 1,Ada Okafor,a@x.org,,,okaforada\nParticipant 2,Bo Chen,bo@x.org,,,chenbo\n"
    )
    for command, file in (
        *((("export", name, out, "--roster", roster), f"{name}.csv") for name in ("mailmerge", "moodle")),
        (("feedback", "canvas", out), "canvas-feedback.zip"),
    ):
        _, warned = grade(*command)
        assert "`okaforada` gets no feedback: it could not be made, which is a fault of the grader" in warned
        assert (out / file).is_file()
    assert (out / "mailmerge.csv").read_text().count("\n") == 2
    assert [line.count("1 of 2 points") for line in (out / "moodle.csv").read_text().splitlines()] == [0, 0, 1]
    assert [name.partition("_")[0] for name in unzipped(out / "canvas-feedback.zip")] == ["chenbo"]


def test_a_summary_is_one_inert_line():
    rows = [row(f"d{n}", "failed") for n in range(12)]
    found = one_line_summary(results("ada", lesson("04_small", *rows), lesson("05_x", status="missing")))
    assert found.startswith(
        "0 of 12 points (0 %). Not submitted, or not readable: 05_x. Not right yet: d0 (wrong value)"
    )
    assert found.endswith("d7 (wrong value) and 4 more.")
    hostile = one_line_summary(results("eve", status="rejected", message=HOSTILE))
    assert hostile.isprintable() and "\n" not in hostile


def test_no_student_is_called_like_a_file_in_out():
    from grader.intake.submissions.people import is_reserved

    assert all(map(is_reserved, ("feedback", "Canvas-Feedback.zip", "mailmerge.csv")))


# Decisions -----------------------------------------------------------------------------------------------------------


def test_the_summary_says_what_was_decided():
    changed = replace(
        row("dC", "failed"),
        adjustment=Adjustment(0.5, 0, "Grace", "2026", "Nearly right."),
        comments=[Comment("See me.", "Grace", "2026")],
    )
    late = Lateness(True, 86_400, 1, 0, 90, 0.25)
    found = replace(results("ada", lesson("04_x", changed)), score=0.25, late=late)
    assert one_line_summary(found) == (
        "0.25 of 1 point (25 %). Not right yet: dC (wrong value). It was submitted 1 day late. That cost 0.25 points. "
        "04_x: Grace set `dC` to 0.5 points; before, it was 0. Reason: Nearly right. "
        "04_x: On `dC`: Grace writes: See me."
    )
    excused = replace(found, excused=Excuse("Grace", "2026-10-01T00:00:00+00:00", "illness"))
    assert "This assignment does not count for you. Decided by Grace. Reason: illness" in one_line_summary(excused)
    hostile = replace(found, comments=[Comment(HOSTILE, HOSTILE, "2026")])
    assert one_line_summary(hostile).isprintable()


@pytest.mark.parametrize("assignment", [None, Assignment("Homework", {LESSON: {"dlogits": 1.0, "in_one_go": 1.0}})])
def test_who_submitted_nothing_has_no_zero_unless_a_person_gives_it(course, tmp_path, assignment):
    out, roster = tmp_path / "out", tmp_path / "roster.csv"
    roster.write_text("id,name,email\n1,ada,a@x\n2,bo,b@x\n3,cy,c@x\n4,di,d@x\n5,eve,e@x\n", encoding="utf-8")
    write_class(course, laid_out(tmp_path / "in", {"ada/backward.py": "right"}), out, roster)
    now = datetime.now(UTC)
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        gradebook.decide(
            [
                Decision(0, "bo", "excuse", "TA", now, text="Ill"),
                Decision(0, "cy", "comment", "TA", now, text="Where is it?"),
                Decision(0, "di", "excuse", "TA", now, row=LESSON, text="Changed course"),
                Decision(0, "eve", "points", "TA", now, points=0, text="Plagiarism"),
            ]
        )
        if assignment is not None:
            gradebook.set_assignment(assignment)
        members = read_roster(roster)
        marks = read_marks(gradebook, members)
    cells = {member.student: marks.cell(member, "total") for member in members.members}
    assert cells == {"ada": "1", "bo": "", "cy": "", "di": "", "eve": "0"}
    assert one_line_summary(marks.results["cy"]) == "Nothing was submitted. TA writes: Where is it?"
    for platform in ("canvas", "moodle", "mailmerge"):  # they have the same cells
        grade("export", platform, out, "--roster", roster)
        lines = (out / f"{platform}.csv").read_text(encoding="utf-8").splitlines()
        assert [line.endswith(",") for line in lines if "cy" in line] in ([True], []), lines
