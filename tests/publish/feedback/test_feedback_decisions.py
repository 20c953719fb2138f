"""What people decided, in what goes back to students; and signatures after a decision."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner
from feedback_class import LESSON, laid_out, write_class
from made_results import HOSTILE, lesson, results, row

from grader.commands.grade import main
from grader.publish.feedback.download import group_doubts
from grader.publish.feedback.reports import NoFeedback, require_score
from grader.publish.feedback.summary import one_line_summary
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
        "0.25 of 1 points (25 %). Not right yet: dC (wrong value). This submission was late: 0.25 points less. "
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


def test_a_decision_removes_the_signature_and_sign_renews_it(course, tmp_path):
    def grade(*arguments: object) -> tuple[int, str]:
        done = CliRunner().invoke(main, list(map(str, arguments)))
        return done.exit_code, done.output

    out, key = tmp_path / "out", tmp_path / "course.pem"
    write_class(course, laid_out(tmp_path / "in", {"ada/backward.py": "right", "bo/backward.py": "right"}), out)
    grade("keygen", key)
    verify = ("verify-results", out, "--key", tmp_path / "course.pub.pem")
    assert grade("sign", out, "--key", key)[0] == 0 and grade(*verify)[0] == 0
    row_name, reason = f"{LESSON}.in_one_go", "Right on paper."
    adjust = ("adjust", "ada", row_name, "--points", "1", "--because", reason, "--out", out, "--course", course.root)
    status, said = grade(*adjust)
    assert status == 0, said
    assert '"signature"' not in (out / "ada" / "results.json").read_text()
    assert grade(*verify)[0] == 1
    assert grade("sign", out, "--key", key)[0] == 0
    status, said = grade(*verify)
    assert status == 0 and "ada, 2 of 2 points" in said
