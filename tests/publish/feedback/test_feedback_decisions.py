"""What people decided, in what goes back to students; and signatures after a decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from feedback_class import LESSON, add_attempt, laid_out, write_class, write_student
from made_results import HOSTILE, lesson, results, row

from grader.commands.grade import main
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.records import Decision
from grader.intake.submissions.finding import find
from grader.intake.submissions.intake_csv import IntakeLine, intake_text
from grader.intake.submissions.roster import read_roster
from grader.publish.export.marks import read_marks
from grader.publish.feedback.download import group_doubts
from grader.publish.feedback.reports import NoFeedback, one_line_summary, require_score
from grader.results.annotations import Adjustment, Comment, Excuse, Lateness

EXCUSE = Excuse("Grace", "2026-10-01T00:00:00+00:00", "illness")


def test_the_summary_says_what_was_decided():
    changed = replace(
        row("dC", "failed"),
        adjustment=Adjustment(0.5, 0, "Grace", "2026", "Nearly right."),
        comments=[Comment("See me.", "Grace", "2026")],
    )
    late = Lateness(True, 86_400, 1, 0, 90, 0.25)
    found = replace(results("ada", lesson("04_x", changed)), score=0.25, late=late, excused=EXCUSE)
    assert one_line_summary(found) == (
        "0.25 of 1 point (25 %). Not right yet: dC (wrong value). This submission was late: 0.25 points less. "
        "This submission is excused: illness 04_x.dC was set to 0.5 points: Nearly right. Grace: See me."
    )
    hostile = replace(found, comments=[Comment(HOSTILE, HOSTILE, "2026")])
    assert one_line_summary(hostile).isprintable()


def test_who_is_excused_has_no_score_to_return():
    found = replace(results("ada", lesson("04_x", row("dC"))), excused=EXCUSE)
    with pytest.raises(NoFeedback, match="is excused"):
        require_score(found)
    assert group_doubts([found]) == "a member is excused, so there is no score"


def test_a_remark_for_one_member_of_a_group_reaches_nobody_else():
    ada, bo = (results(name, lesson("04_x", row("dC"))) for name in ("ada", "bo"))
    assert group_doubts([ada, bo]) == ""
    private = replace(bo, comments=[Comment("See me.", "Grace", "2026")])
    assert group_doubts([ada, private]).endswith("those of its members (ada, bo) have different remarks")


def test_who_submitted_nothing_has_no_zero_unless_a_person_gives_it(course, tmp_path):
    out, roster = tmp_path / "out", tmp_path / "roster.csv"
    roster.write_text("id,name,email\n1,ada,a@x\n2,bo,b@x\n3,cy,c@x\n4,di,d@x\n5,eve,e@x\n", encoding="utf-8")
    write_class(course, laid_out(tmp_path / "in", {"ada/backward.py": "right"}), out, roster)
    gradebook = Gradebook(out / GRADEBOOK)
    rows = {LESSON: {"dlogits": 1.0, "in_one_go": 1.0}}
    for assignment in (None, Assignment("Homework", rows)):
        if assignment is None:
            now = datetime.now(UTC)
            gradebook.decisions.add(
                [
                    Decision(0, "bo", "excuse", "TA", now, text="Ill"),
                    Decision(0, "cy", "comment", "TA", now, text="Where is it?"),
                    Decision(0, "di", "excuse", "TA", now, row=LESSON, text="Changed course"),
                    Decision(0, "eve", "points", "TA", now, points=0, text="Plagiarism"),
                ]
            )
        else:
            gradebook.set_assignment(assignment)
        marks = read_marks(out, read_roster(roster))
        cells = {member.student: marks.cell(member, "total") for member in read_roster(roster).members}
        zero = "0"
        assert cells == {"ada": "1", "bo": "", "cy": "", "di": "", "eve": zero}, assignment
        assert one_line_summary(marks.results["cy"]) == "Nothing was submitted. TA: Where is it?"
    gradebook.close()
    # worksheet, Canvas and mail merge have the same cells
    for platform in ("canvas", "moodle", "mailmerge"):
        done = CliRunner().invoke(main, ["export", platform, str(out), "--roster", str(roster)])
        assert done.exit_code == 0, done.output
        lines = (out / f"{platform}.csv").read_text(encoding="utf-8").splitlines()
        assert [line.endswith(",") for line in lines if "cy" in line] in ([True], []), lines


def test_feedback_reads_the_download_as_intake_csv_decides(course, tmp_path):
    """Of two files, the person chose the one that the grader had not: without intake.csv it would be another work."""
    names = ("okaforada_1001_20011_a.py", "okaforada_1001_20012_b.py")
    download = laid_out(
        tmp_path / "canvas", {name: f"def dlogits(logits, Yb, n):\n    return {name!r}\n" for name in names}
    )
    out = tmp_path / "out"
    lessons = list(course.lessons.values())
    found = find([download], [course.find("04")], lessons)
    guessed = found[0]
    (question,) = found.questions[guessed.student]
    other = next(file for lesson, file in question.alternatives if lesson == LESSON)
    found.decided = {guessed.student: {LESSON: other}}
    chosen = found[0]
    assert chosen.sha256 != guessed.sha256
    (out).mkdir()
    gradebook = Gradebook(out / GRADEBOOK)
    result = results(guessed.student, lesson(LESSON, row("dlogits")), submission_sha256=chosen.sha256, left_out=[])
    add_attempt(gradebook, result)
    gradebook.close()
    write_student(out, result)
    arguments = ["feedback", "canvas", str(out), str(download), "--course", str(course.root)]
    assert CliRunner().invoke(main, arguments).exit_code == 2  # nobody confirms whose it is
    line = IntakeLine(guessed.student, "", {LESSON: other}, confirmed=True)
    (out / "intake.csv").write_text(intake_text([line]), encoding="utf-8")
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0 and "reports for 1 student" in done.stdout, done.output
